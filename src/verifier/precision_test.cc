// Numbers that no check depends on do not make paths: programs whose paths are too many to follow
// one by one.
#include "verifier/precision.h"

#include <gtest/gtest.h>

#include <string>

#include "verifier/assembled.h"
#include "verifier/check.h"

namespace egpu::verifier {
namespace {

bpf::Object object() {
  bpf::Object object;
  object.maps.push_back({".bss", bpf::MapType::kArray, 4, 64, 1, {}, {}});
  return object;
}

Result<CheckedProgram> checked(const std::string& text) {
  static const bpf::Object maps = object();
  const bpf::Program code = testing::assembled(text);
  return check(maps, code);
}

// 20 rounds; each shifts a bit out of r6 and counts it or not: 2^20 different results.
std::string counting(const std::string& count, const std::string& end) {
  return "  r6 = *(u32 *)(r1 +0)\n"
         "  r7 = 0\n"
         "  *(u64 *)(r10 -8) = 0\n"
         "  r8 = 0\n"
         "round:\n"
         "  r2 = r6\n"
         "  r2 &= 1\n"
         "  r6 >>= 1\n"
         "  if r2 == 0 goto next\n" +
         count +
         "next:\n"
         "  r8 += 1\n"
         "  if r8 != 20 goto round\n" +
         end;
}

constexpr const char* kCount = "  r7 *= 3\n  r7 += r8\n";

TEST(Precision, ACountThatIsOnlyStoredMakesNoPaths) {
  const auto result = checked(counting(kCount,
                                       "  r1 = map_data[0] +8\n"
                                       "  *(u64 *)(r1 +0) = r7\n"
                                       "  r0 = r7\n"
                                       "  exit\n"));
  EXPECT_TRUE(result) << to_string(result.error());
}

TEST(Precision, NorDoesOneThatIsKeptOnTheStack) {
  const auto result =
      checked(counting("  r3 = *(u64 *)(r10 -8)\n"
                       "  r3 *= 3\n"
                       "  r3 += r8\n"
                       "  *(u64 *)(r10 -8) = r3\n",
                       "  r0 = *(u64 *)(r10 -8)\n"
                       "  exit\n"));
  EXPECT_TRUE(result) << to_string(result.error());
}

// Of an index no number is forgotten: it is what the proof rests on.
TEST(Precision, AnIndexIsRemembered) {
  const auto result = checked(counting("  r7 += 1\n",
                                       "  r1 = map_data[0] +0\n"
                                       "  r1 += r7\n"
                                       "  r0 = *(u8 *)(r1 +0)\n"
                                       "  exit\n"));
  EXPECT_TRUE(result) << to_string(result.error());
}

TEST(Precision, AddressesConditionsAndStoresThatAreReadAgainAreNeeded) {
  const bpf::Program code = testing::assembled(
      "  r2 = 1\n"
      "  r3 = 2\n"
      "  r4 = 3\n"
      "  r5 = 4\n"
      "  *(u64 *)(r10 -8) = r3\n"
      "  *(u64 *)(r10 -16) = r4\n"
      "  r6 = *(u64 *)(r10 -8)\n"
      "  if r6 == 2 goto end\n"
      "  if r2 == r5 goto end\n"
      "end:\n"
      "  r0 = 0\n"
      "  exit\n");
  const auto needed = needed_numbers(code, Precision::kNeeded);
  EXPECT_EQ(needed[4].registers & 0b11'1110, 0b10'1100);  // r2, r3, r5, not r4
  EXPECT_EQ(needed[5].slots, 1U);                         // r10 -8
  EXPECT_EQ(needed[4].slots, 0U);
  const auto loops = needed_numbers(code, Precision::kLoops);
  EXPECT_EQ(loops[4].registers & 0b11'1110, 0b00'1000);  // r3 alone
}

}  // namespace
}  // namespace egpu::verifier
