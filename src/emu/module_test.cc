// Variables with their initial values, and what launches need to know of kernels.
#include "emu/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "emu/test_kernel.h"

namespace egpu::emu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Loaded {
 public:
  explicit Loaded(std::string_view text) {
    auto module = load_text(text, memory_);
    EXPECT_TRUE(module) << to_string(module.error());
    if (module) module_ = *std::move(module);
  }

  template <class T>
  std::vector<T> values(std::string_view name) const {
    const Variable* const variable = module_ ? module_->variable(name) : nullptr;
    if (variable == nullptr) {
      ADD_FAILURE() << "no variable " << name;
      return {};
    }
    std::vector<T> result(variable->bytes / sizeof(T));
    std::memcpy(result.data(), reinterpret_cast<const void*>(variable->address),  // NOLINT
                variable->bytes);
    return result;
  }
  std::uint64_t address(std::string_view name) const { return module_->variable(name)->address; }
  const KernelInfo& info(std::string_view name) const { return *module_->info(name); }
  Module& module() { return *module_; }

 private:
  Memory memory_{std::uint64_t{1} << 30};
  std::unique_ptr<Module> module_;
};

std::string message_of(std::string_view text) {
  Memory memory(1 << 20);
  const auto module = load_text(text, memory);
  return module ? "accepted" : module.error().message;
}

TEST(Variables, StartAsZeroOrAsWritten) {
  const Loaded loaded(R"(
.global .align 16 .b8 zero[5];
.global .u32 number = 42;
.const .s16 negative = -2;
.global .f32 third = 0f3EAAAAAB;
.global .f64 half = 0.5;
.global .b16 hexadecimal = 0xabcd;
.global .b32 bits = 1.5;
.visible .global .v2 .u32 pair = {1, 2};
)");
  EXPECT_THAT(loaded.values<std::uint8_t>("zero"), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_EQ(loaded.address("zero") % 16, 0U);
  EXPECT_THAT(loaded.values<std::uint32_t>("number"), ElementsAre(42));
  EXPECT_THAT(loaded.values<std::int16_t>("negative"), ElementsAre(-2));
  EXPECT_THAT(loaded.values<float>("third"), ElementsAre(1.0F / 3));
  EXPECT_THAT(loaded.values<double>("half"), ElementsAre(0.5));
  EXPECT_THAT(loaded.values<std::uint16_t>("hexadecimal"), ElementsAre(0xabcd));
  EXPECT_THAT(loaded.values<float>("bits"), ElementsAre(1.5F));
  EXPECT_THAT(loaded.values<std::uint32_t>("pair"), ElementsAre(1, 2));
}

TEST(Variables, ArraysAreFilledFromTheFront) {
  const Loaded loaded(R"(
.global .u16 some[4] = {1, 2};
.global .u8 nested[2][3] = {{1}, {2, 3}};
.global .b8 open[] = {7, 8, 9};
.global .b32 rows[][2] = {{1, 2}, {3, 4}, {5}};
)");
  EXPECT_THAT(loaded.values<std::uint16_t>("some"), ElementsAre(1, 2, 0, 0));
  EXPECT_THAT(loaded.values<std::uint8_t>("nested"), ElementsAre(1, 0, 0, 2, 3, 0));
  EXPECT_THAT(loaded.values<std::uint8_t>("open"), ElementsAre(7, 8, 9));
  EXPECT_THAT(loaded.values<std::uint32_t>("rows"), ElementsAre(1, 2, 3, 4, 5, 0));
}

TEST(Variables, MayHoldAddressesOfOthersAndOfFunctions) {
  const Loaded loaded(R"(
.global .u64 pointers[3] = {later, generic(later)+4, f};
.global .u32 later[2];
.global .b8 bytes[2] = {0xff(later), 0xff00(later)};
.func f() { ret; }
)");
  const std::uint64_t later = loaded.address("later");
  const auto pointers = loaded.values<std::uint64_t>("pointers");
  EXPECT_EQ(pointers[0], later);
  EXPECT_EQ(pointers[1], later + 4);
  EXPECT_NE(pointers[2], 0U);
  EXPECT_THAT(loaded.values<std::uint8_t>("bytes"), ElementsAre(later & 0xff, later >> 8 & 0xff));
}

TEST(Variables, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(message_of(".global .u32 a[2] = {1, 2, 3};"), HasSubstr("more values"));
  EXPECT_THAT(message_of(".extern .global .u32 a = 1;"), HasSubstr("external variable a has"));
  EXPECT_THAT(message_of(".global .u32 a[2][2] = {1, 2};"), HasSubstr("expected '{'"));
  EXPECT_THAT(message_of(".global .u32 a = b;"), HasSubstr("64 bits"));
  EXPECT_THAT(message_of(".global .u64 a = b;"), HasSubstr("b has no address"));
  EXPECT_THAT(message_of(".global .u32 a = 1+2;"), HasSubstr("end of the value"));
  EXPECT_THAT(message_of(".global .f32 a = 0x12;"), HasSubstr("no value of its type"));
  EXPECT_THAT(message_of(".global .texref t;"), HasSubstr("size or type"));
  EXPECT_THAT(message_of(".global .b8 big[99999999999];"), HasSubstr("does not fit"));
  EXPECT_THAT(message_of(".global .u32 a; .global .u32 a;"), HasSubstr("twice"));
  EXPECT_THAT(error_of(".extern .global .u32 a;\n.entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, a; }")
                  .message,
              HasSubstr("a is not defined in this module"));
}

TEST(Kernels, ParametersAreLaidOut) {
  const Loaded loaded(R"(
.entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d) { ret; })");
  const auto& parameters = loaded.info("k").parameters;
  ASSERT_EQ(parameters.size(), 4U);
  EXPECT_EQ(parameters[0].offset, 0U);
  EXPECT_EQ(parameters[1].offset, 8U);
  EXPECT_EQ(parameters[2].offset, 16U);
  EXPECT_EQ(parameters[2].size, 20U);
  EXPECT_EQ(parameters[2].alignment, 16U);
  EXPECT_EQ(parameters[3].offset, 36U);
  EXPECT_EQ(loaded.info("k").parameter_bytes, 38U);
}

TEST(Kernels, DirectivesLimitLaunches) {
  const Loaded loaded(R"(
.entry a() .maxntid 16, 8 { ret; }
.entry b() .reqntid 32, 2, 2 .reqnctapercluster 4 { .local .b8 x[24]; .reg .b64 %rd<5>; ret; })");
  EXPECT_EQ(loaded.info("a").max_threads, 128U);
  EXPECT_THAT(loaded.info("b").required_threads, ElementsAre(32, 2, 2));
  EXPECT_THAT(loaded.info("b").cluster, ElementsAre(4, 1, 1));
  EXPECT_EQ(loaded.info("b").local_bytes, 24U);
  EXPECT_EQ(loaded.info("b").registers, 10U);
}

// Shared memory is that of the kernel and of the functions it may call, not of the module.
TEST(Kernels, SharedMemoryIsWhatTheyReach) {
  const Loaded loaded(R"(
.shared .align 4 .b8 outside[100];
.shared .align 4 .b8 unused[1000];
.extern .shared .align 128 .b8 dynamic[];
.func f() { .shared .align 8 .b8 inside[20]; ret; }
.entry none() { ret; }
.entry k() {
  .reg .b32 %r<4>;
  .shared .b8 own[3];
  mov.u32 %r1, outside;
  call f;
  ret;
}
.entry open() { .reg .b32 %r<4>; .shared .b8 own[3]; mov.u32 %r1, dynamic; ret; })");
  EXPECT_EQ(loaded.info("none").static_shared_bytes, 0U);
  EXPECT_EQ(loaded.info("k").static_shared_bytes, 4U + 100U + 20U);
  EXPECT_EQ(loaded.info("open").static_shared_bytes, 128U);
}

TEST(Kernels, ReachSharedMemoryByAnAddressBehindItsStart) {
  TestKernel kernel(R"(
.shared .align 4 .b8 first[64];
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  mov.u32 %r1, first+60;
  st.shared.u32 [%r1], 7;
  ld.shared.u32 %r2, [%r1];
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], %r2;
  ret;
})");
  EXPECT_EQ(kernel.module().info("k")->static_shared_bytes, 64U);
  const auto out = kernel.buffer<std::uint32_t>(1);
  ASSERT_EQ(kernel.run({}, out), std::nullopt);
  EXPECT_THAT(kernel.read(out), ::testing::ElementsAre(7U));
}

TEST(Kernels, UnknownInstructionsConcernOnlyWhoReachesThem) {
  Loaded loaded(R"(
.func bad() { foo.u32; ret; }
.func good() { ret; }
.entry a() { call bad; ret; }
.entry b() { call good; ret; })");
  EXPECT_FALSE(loaded.module().kernel("a"));
  EXPECT_TRUE(loaded.module().kernel("b"));
  EXPECT_FALSE(loaded.module().kernel("c"));
  EXPECT_EQ(loaded.module().info("c"), nullptr);
}

TEST(Kernels, AliasesAreFunctions) {
  Loaded loaded(R"(
.func f() { ret; }
.func g();
.alias g, f;
.entry k() { call g; ret; })");
  EXPECT_TRUE(loaded.module().kernel("k"));
}

}  // namespace
}  // namespace egpu::emu
