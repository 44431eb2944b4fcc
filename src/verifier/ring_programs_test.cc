#include "verifier/ring_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "verifier/assembled.h"
#include "verifier/check.h"

namespace egpu::verifier {
namespace {

using testing::RingProgram;

class RingPrograms : public ::testing::TestWithParam<RingProgram> {};

TEST_P(RingPrograms, AreAcceptedOrRefused) {
  bpf::Object object;
  object.maps = testing::ring_program_maps();
  const bpf::Program program = testing::assembled(GetParam().text);
  const auto checked = check(object, program);
  const char* const refusal = GetParam().refusal;
  if (refusal == nullptr) {
    EXPECT_TRUE(checked) << to_string(checked.error());
    return;
  }
  ASSERT_FALSE(checked) << "accepted:\n" << GetParam().text;
  EXPECT_EQ(checked.error().fault, Fault::kInput);
  EXPECT_THAT(checked.error().message, ::testing::HasSubstr(refusal));
  EXPECT_NE(checked.error().place, "");
}

// Of the call that ends a record: the bytes that are known of it.
std::uint32_t known_bytes(const std::string& text) {
  bpf::Object object;
  object.maps = testing::ring_program_maps();
  const bpf::Program program = testing::assembled(text);
  const auto checked = check(object, program);
  EXPECT_TRUE(checked) << to_string(checked.error());
  return checked
             ? std::ranges::max(checked->facts, {}, &InstructionFacts::record_bytes).record_bytes
             : 0;
}

TEST(RecordBytes, AreThoseThatAllPathsReserve) {
  const auto reserve = [](int bytes) {
    return "r1 = map[0]\n r2 = " + std::to_string(bytes) +
           "\n r3 = 0\n call 131\n if r0 == 0 goto done\n";
  };
  const auto of_two = [&](int one, int other) {
    return "r6 = *(u32 *)(r1 +0)\n if r6 == 0 goto other\n" + reserve(one) +
           "goto end\n other: " + reserve(other) +
           "end: r1 = r0\n r2 = 0\n call 132\n done: r0 = 0\n exit\n";
  };
  EXPECT_EQ(known_bytes(of_two(24, 24)), 24U);
  EXPECT_EQ(known_bytes(of_two(24, 16)), 0U);
  EXPECT_EQ(known_bytes(of_two(16, 24)), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, RingPrograms, ::testing::ValuesIn(testing::ring_programs()),
                         [](const auto& program) { return program.param.name; });

}  // namespace
}  // namespace egpu::verifier
