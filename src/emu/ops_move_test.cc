#include "emu/test_instruction.h"

namespace egpu::emu {
namespace {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using ::testing::ElementsAre;
template <class T>
using V = std::vector<T>;

TEST(MoveOps, CopiesEveryWidth) {
  EXPECT_THAT(evaluate<uint16_t>("mov.b16 %d, %a", V<uint16_t>{0xabcd}), ElementsAre(0xabcd));
  EXPECT_THAT(evaluate<uint32_t>("mov.u32 %d, %a", V<uint32_t>{0xdeadbeef}),
              ElementsAre(0xdeadbeefU));
  EXPECT_THAT(evaluate<uint64_t>("mov.s64 %d, %a", V<uint64_t>{1ULL << 63}),
              ElementsAre(1ULL << 63));
  EXPECT_THAT(evaluate<float>("mov.f32 %d, 0fC0000000", V<float>{0}), ElementsAre(-2));
  EXPECT_THAT(evaluate<bool>("mov.pred %d, %a", V<bool>{true, false}), ElementsAre(true, false));
}

TEST(MoveOps, JoinsAndSplitsPartsLowFirst) {
  EXPECT_THAT(evaluate<uint64_t>("mov.b64 %d, {%a, %b}", V<uint32_t>{1}, V<uint32_t>{2}),
              ElementsAre(0x2'0000'0001U));
  EXPECT_THAT(evaluate<uint32_t>("mov.b32 %d, {%a, %b}", V<uint16_t>{1}, V<uint16_t>{2}),
              ElementsAre(0x20001U));
  EXPECT_THAT(evaluate<uint64_t>("mov.b64 %d, {%a, %b, %a, %b}", V<uint16_t>{1}, V<uint16_t>{2}),
              ElementsAre(0x0002'0001'0002'0001U));
  EXPECT_THAT(evaluate<uint32_t>("mov.b64 {%t0, %d}, %a", V<uint64_t>{0x2'0000'0001}),
              ElementsAre(2U));
  EXPECT_THAT(evaluate<uint32_t>("mov.b64 {%d, _}, %a", V<uint64_t>{0x2'0000'0001}),
              ElementsAre(1U));
  EXPECT_THAT(evaluate<uint16_t>("mov.b32 {_, %d}, %a", V<uint32_t>{0xabcd1234}),
              ElementsAre(0xabcd));
  EXPECT_THAT(
      evaluate<uint16_t>("mov.b64 {%h0, %h1, %d, %h2}, %a", V<uint64_t>{0x4444'3333'2222'1111}),
      ElementsAre(0x3333));
  EXPECT_THAT(evaluate<float>("mov.b64 {%t0, %d}, %a", V<uint64_t>{0x3f800000ULL << 32}),
              ElementsAre(1));
}

TEST(MoveOps, Moves128Bits) {
  const V<uint64_t> low = {0x1111'2222'3333'4444};
  const V<uint64_t> high = {0x5555'6666'7777'8888};
  EXPECT_THAT(evaluate<uint64_t>(
                  "mov.b128 %x0, {%a, %b}; mov.b128 %x1, %x0; mov.b128 {%w0, %d}, %x1", low, high),
              ElementsAre(high[0]));
  EXPECT_THAT(evaluate<uint64_t>("mov.b128 %x0, {%a, %b}; mov.b128 {%d, %w0}, %x0", low, high),
              ElementsAre(low[0]));
}

TEST(MoveOps, RefusesWhatDoesNotExist) {
  const auto refusal = [](const std::string& code) {
    return error_of(".entry k() { .reg .b32 %r<8>; .reg .b64 %q<4>; .reg .b16 %h<4>;\n" + code +
                    ";\n}")
        .message;
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("mov.u64 %q0, {%r0, %r1}"), HasSubstr("parts"));
  EXPECT_THAT(refusal("mov.b64 %q0, {%r0, %r1, %r2}"), HasSubstr("parts"));
  EXPECT_THAT(refusal("mov.b64 %q0, {%h0, %h1}"), HasSubstr("16 bits"));
  EXPECT_THAT(refusal("mov.b64 {%r0, %r1}, {%r2, %r3}"), HasSubstr("one side"));
}

}  // namespace
}  // namespace egpu::emu
