// What libegpu_inject.so asks of the program it is loaded into.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::vector<std::string> lines_of(const std::string& command) {
  const auto close = [](std::FILE* file) { ::pclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(
      ::popen(command.c_str(), "r"), close);  // NOLINT(bugprone-command-processor): fixed commands
  std::string output;
  std::array<char, 4096> chunk{};
  while (std::fgets(chunk.data(), chunk.size(), pipe.get()) != nullptr) output += chunk.data();
  std::vector<std::string> lines;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class InjectLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::string_view(EGPU_SANITIZE).empty())
      GTEST_SKIP() << "sanitizers add libraries and symbols";
  }
};

TEST_F(InjectLibrary, NeedsLibcAlone) {
  const auto needed = lines_of("readelf -dW " EGPU_INJECT_LIBRARY " | grep NEEDED");
  ASSERT_EQ(needed.size(), 1u) << ::testing::PrintToString(needed);
  EXPECT_THAT(needed[0], ::testing::HasSubstr("[libc.so.6]"));
}

TEST_F(InjectLibrary, LeavesNothingUndefinedButLibcFunctions) {
  const auto symbols = lines_of("nm -D --undefined-only " EGPU_INJECT_LIBRARY);
  ASSERT_FALSE(symbols.empty());
  for (const std::string& symbol : symbols) {
    const bool weak = symbol.find(" w ") != std::string::npos;
    EXPECT_TRUE(weak || symbol.find("@GLIBC_") != std::string::npos) << symbol;
  }
}

TEST_F(InjectLibrary, ExportsItsEntryPointAlone) {
  const auto symbols = lines_of("nm -D --defined-only " EGPU_INJECT_LIBRARY);
  ASSERT_EQ(symbols.size(), 1u) << ::testing::PrintToString(symbols);
  EXPECT_THAT(symbols[0], ::testing::HasSubstr(" T InitializeInjection"));
}

}  // namespace
