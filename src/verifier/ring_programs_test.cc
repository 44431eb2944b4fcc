#include "verifier/ring_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(All, RingPrograms, ::testing::ValuesIn(testing::ring_programs()),
                         [](const auto& program) { return program.param.name; });

}  // namespace
}  // namespace egpu::verifier
