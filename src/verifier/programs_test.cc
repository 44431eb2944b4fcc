// The compiled programs of tests/programs: the examples are accepted, those in refused/ are refused
// with the message and at the line that their first line tells. Linked ones are accepted as every
// clang that is here compiles them at every -mcpu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "bpf/object.h"
#include "bpf/refused_program.h"
#include "verifier/check.h"

namespace egpu::verifier {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> programs_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(EGPU_SOURCE_DIR) / folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".bpf.c")) names.push_back(name.substr(0, name.size() - 6));
  }
  std::ranges::sort(names);
  return names;
}

// Loads an object and checks its programs up to the first error.
Result<void> load_and_check(const fs::path& folder, const std::string& name) {
  EGPU_ASSIGN(const auto bytes, read_file(fs::path(EGPU_BINARY_DIR) / folder / (name + ".bpf.o")));
  EGPU_ASSIGN(const auto object, bpf::load_object(bytes, name + ".bpf.o"));
  for (const bpf::Program& program : object.programs) EGPU_TRY(check(object, program));
  return {};
}

class Example : public ::testing::TestWithParam<std::string> {};

TEST_P(Example, IsAccepted) {
  const auto result = load_and_check("tests/programs", GetParam());
  EXPECT_TRUE(result) << to_string(result.error());
}

// "clang-22/v3/data", in tests/compilers of the build. Programs that call what nobody provides are
// for the loader.
std::vector<std::string> linked_programs() {
  std::vector<std::string> names;
  const fs::path root = fs::path(EGPU_BINARY_DIR) / "tests/compilers";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = fs::relative(entry.path(), root).string();
    const bool provided = !name.ends_with("/externs.bpf.o");
    if (name.ends_with(".bpf.o") && provided) names.push_back(name.substr(0, name.size() - 6));
  }
  std::ranges::sort(names);
  return names;
}

class Linked : public ::testing::TestWithParam<std::string> {};

TEST_P(Linked, IsAccepted) {
  const auto result = load_and_check("tests/compilers", GetParam());
  EXPECT_TRUE(result) << to_string(result.error());
}

class Refused : public ::testing::TestWithParam<std::string> {};

TEST_P(Refused, WithTheMessageAndTheLine) {
  const fs::path folder = "tests/programs/refused";
  const auto result = load_and_check(folder, GetParam());
  ASSERT_FALSE(result) << "the program was accepted";
  bpf::testing::expect_refusal(fs::path(EGPU_SOURCE_DIR) / folder / (GetParam() + ".bpf.c"),
                               result.error());
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param) {
    if (std::isalnum(c) != 0) name += name.empty() ? static_cast<char>(std::toupper(c)) : c;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Programs, Example, ::testing::ValuesIn(programs_in("tests/programs")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Compilers, Linked, ::testing::ValuesIn(linked_programs()), test_name);
INSTANTIATE_TEST_SUITE_P(Programs, Refused,
                         ::testing::ValuesIn(programs_in("tests/programs/refused")), test_name);

}  // namespace
}  // namespace egpu::verifier
