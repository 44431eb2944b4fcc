#include "ptx/printer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/lexer.h"
#include "ptx/parser.h"

namespace egpu::ptx {
namespace {

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> result;
  const auto all = tokens(source, "test.ptx");
  EXPECT_TRUE(all) << to_string(all.error());
  if (!all) return result;
  for (const Token& token : *all) result.emplace_back(token.text);
  return result;
}

class RoundTrip : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RoundTrip, GivesBackEveryToken) {
  const auto module = parse(GetParam(), "test.ptx");
  ASSERT_TRUE(module) << to_string(module.error());
  const std::string printed = print(*module);
  EXPECT_EQ(texts(printed), texts(GetParam())) << printed;
  const auto again = parse(printed, "again.ptx");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(print(*again), printed) << "printing is a fixed point";
}

INSTANTIATE_TEST_SUITE_P(
    Texts, RoundTrip,
    ::testing::Values(
        "", "// only a comment",
        ".version 9.0 .target sm_90a, debug .address_size 64 .file 1 \"a b.cu\", 12, 34",
        ".extern .func (.param .b32 r) f(.param .b64 a, .reg .pred b) .noreturn;",
        ".func f; .func (.reg .b32 %x) g() { } .weak .entry k .maxntid 1,2,3 { exit; }",
        ".visible .global .align 8 .u64 v[2][2] = {{0, generic(w)+8}, {mask(0xff), -1}}, w;",
        ".func f() { .reg .b32 %r<5>, %x; .reg .v4 .f32 q; { .local .b8 d[4]; { } } }",
        ".func f() { L: M: @!%p bra L; table: .branchtargets L, M; brx.idx %r1, table; }",
        ".func f() { setp.eq.s32 %p|_, %r1, -0x5; mov.b64 {lo, hi}, %rd1; vadd.u32 %r1, %r2.b0, 1; "
        "}",
        ".func f() { st.v2.f32 [%rd1+-8], {0f00000000, -1.5e-3}; ld.b8 x, [y-4]; ld.b8 x, [64]; }",
        ".func f() { call (r), g, (a, b), p; call.uni g, (); call h; add ,; add a,; f (a,), [,]; }",
        ".func f() { tex.1d.v4.s32.s32 {a,b,c,d}, [t, s, {x}]; op a ? b : c, (1 + 2) * 3, a[1]; }",
        ".section .debug_str { $L__s0: .b8 1, 2 .b32 .debug_abbrev+4 } .alias a, b;"));

// The shape people see in `egpu ptx` and diffs.
TEST(Printer, LaysOutAKernel) {
  const auto module = parse(
      ".visible .entry k(.param .u64 a,.param .u32 n).maxntid 32,1,1{.reg .pred %p<2>;"
      "@%p1 bra $L1;{call.uni f,(a);}$L1:ret;}",
      "test.ptx");
  ASSERT_TRUE(module) << to_string(module.error());
  EXPECT_EQ(print(std::get<Function>(module->items.front())), R"(
.visible .entry k(
	.param .u64 a,
	.param .u32 n
)
.maxntid 32,1,1
{
	.reg .pred %p<2>;
	@%p1 bra $L1;
	{
		call.uni f, (a);
	}
$L1:
	ret;
}
)");
}

}  // namespace
}  // namespace egpu::ptx
