#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emu/test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::HasSubstr;

TEST(Execute, RunsStraightCode) {
  TestKernel kernel(R"(.visible .entry k(.param .u32 a) {
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [a];
    mov.u32 %r2, %tid.x;
    ret;
    trap;
})");
  EXPECT_EQ(kernel.run({.grid = {3, 2, 2}, .block = {33, 2, 1}}, 7), std::nullopt);
}

TEST(Execute, ATrapNamesThreadAndPlace) {
  TestKernel kernel(R"(.visible .entry k() {
    .reg .pred %p<2>;
    mov.pred %p1, 0;
    @%p1 trap;
    bra.uni L2;
L1:
    @!%p1 trap;
L2:
    @!%p1 bra L1;
    ret;
})");
  const auto fault = kernel.run({.grid = {2, 1, 1}, .block = {8, 8, 1}});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kTrap);
  EXPECT_EQ(fault->kernel, "k");
  EXPECT_EQ(fault->place, "test.ptx:10:11");
  EXPECT_EQ(to_string(*fault), "k, block (0,0,0), thread (0,0,0), test.ptx:10:11: trap");
}

TEST(Execute, RefusesWhatItDoesNotKnow) {
  const Error error = error_of(".entry k() {\n  foo.bar.u32;\n}");
  EXPECT_THAT(error.message, HasSubstr("'foo.bar.u32'"));
  EXPECT_EQ(error.place, "test.ptx:5:3");
  EXPECT_THAT(error_of(".entry k() {\n ret.foo;\n}").message, HasSubstr("'.foo'"));
  EXPECT_THAT(error_of(".entry k() {\n bra L;\n}").message, HasSubstr("no label L"));
  EXPECT_THAT(error_of(".entry k() { .reg .b32 %r<2>; mov.b64 %r1, 0; }").message,
              HasSubstr("has 32 bits, 64 are needed"));
  EXPECT_THAT(error_of(".entry k() { .reg .b32 %r<2>; mov.b32 %r2, 0; }").message,
              HasSubstr("%r2 is not declared"));
}

}  // namespace
}  // namespace egpu::emu
