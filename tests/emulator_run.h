// Programs under `egpu run --emulate`, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/start_child.h"
#include "support/toolkit.h"

namespace egpu::testing {

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The value of NAME=value in what a program printed; empty where there is none.
inline std::string field(const std::string& name, const std::string& output) {
  const std::size_t at = output.find(name + "=");
  if (at == std::string::npos) return {};
  const std::size_t start = at + name.size() + 1;
  return output.substr(start, output.find_first_of(" \n", start) - start);
}

// Waits, a minute at most, for what must come; false where it does not.
template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class EmulatorRun {
 public:
  // Through `env`, so that this machine's settings and caches play no part.
  [[nodiscard]] std::vector<std::string> egpu(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command = {"env", "XDG_CACHE_HOME=" + file("cache"), EGPU_EXECUTABLE};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }

  // `egpu run --emulate TOOL -- PROGRAM...`; the report goes to the file "report".
  [[nodiscard]] std::vector<std::string> observed(const std::string& tool,
                                                  const std::vector<std::string>& program) const {
    std::vector<std::string> command =
        egpu({"run", "--emulate", "--interval", "20", "--json", "-o", file("report"), tool, "--"});
    command.insert(command.end(), program.begin(), program.end());
    return command;
  }

  // The program in the emulator, without egpu.
  [[nodiscard]] static std::vector<std::string> plain(const std::vector<std::string>& program) {
    std::vector<std::string> command = {"env", "LD_LIBRARY_PATH=" EMULATOR_FOLDER};
    command.insert(command.end(), program.begin(), program.end());
    return command;
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }

  [[nodiscard]] nlohmann::json report() const {
    return nlohmann::json::parse(contents(file("report")));
  }

  // A field of kernelcount, added up over all kernels.
  [[nodiscard]] std::uint64_t count(const std::string& name) const {
    std::uint64_t sum = 0;
    const nlohmann::json whole = report();
    for (const auto& map : whole["maps"])
      for (const auto& row : map["rows"]) sum += row["value"][name].get<std::uint64_t>();
    return sum;
  }

  // The program's output is the same with and without probes, and all that it launched is counted.
  void expect_exact(const std::vector<std::string>& program) const {
    const toolkit::Outcome without = toolkit::run(plain(program));
    ASSERT_EQ(without.status, 0) << without.output;
    EXPECT_EQ(field("wrong", without.output), "0");
    const toolkit::Outcome with = toolkit::run(observed("kernelcount", program));
    ASSERT_EQ(with.status, 0) << with.output;
    EXPECT_THAT(with.output, ::testing::HasSubstr(without.output));
    EXPECT_EQ(std::to_string(count("threads")), field("threads", without.output));
    EXPECT_EQ(std::to_string(count("launches")), field("launches", without.output));
    EXPECT_TRUE(report()["complete"].get<bool>());
    EXPECT_TRUE(report()["warnings"].empty()) << report()["warnings"];
  }

 private:
  toolkit::TemporaryFolder folder_;
};

// A command that runs while the test goes on; what it prints goes to `output`.
class Started {
 public:
  Started(const std::vector<std::string>& command, std::string output)
      : output_(std::move(output)), pid_(start_child(command, output_)) {}
  ~Started() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    wait();
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  void kill() const { ::kill(pid_, SIGKILL); }
  // The exit code, or 128 and the signal that ended it.
  int wait() {
    if (pid_ <= 0) return -1;
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] std::string output() const { return contents(output_); }

 private:
  std::string output_;
  pid_t pid_;
};

}  // namespace egpu::testing
