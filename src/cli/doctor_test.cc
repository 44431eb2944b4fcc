#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/doctor_checks.h"
#include "cli/doctor_command.h"
#include "cli/temporary_tree.h"

namespace egpu::cli {
namespace {

// A machine on which everything is as it should be.
class Doctor : public testing::Test {
 protected:
  Doctor() {
    tree.add("proc/sys/kernel/osrelease", "6.18.0\n");
    for (const char* node : {"dev/nvidiactl", "dev/nvidia0", "dev/nvidia-uvm"}) tree.add(node);
    set_driver("580.159.04");
    tree.add("usr/lib64/libcuda.so.1");
    tree.add_executable("bin/ptxas");
    tree.add_executable("bin/clang");
    tree.add("opt/egpu/bin/libegpu_inject.so");
    tree.add("opt/egpu/lib/egpu/emulator/libcuda.so.1");
    tree.add("opt/egpu/share/egpu/tools/kernelcount.bpf.o");
  }

  void set_driver(const std::string& version) {
    tree.add("proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " + version + "  x\n");
  }
  void remove(const char* path) { std::filesystem::remove(tree.root() / path); }

  [[nodiscard]] Machine machine() const {
    return {
        .root = tree.root(), .architecture = architecture, .environment = [this](const char* name) {
          const auto variable = variables.find(name);
          return variable == variables.end() ? nullptr : variable->second;
        }};
  }
  [[nodiscard]] Installation installation() const {
    return {.executable = tree.root() / "opt/egpu/bin/egpu"};
  }

  [[nodiscard]] Check check(const std::string& name) const {
    const auto checks = examine(machine(), installation());
    return *std::ranges::find(checks, name, &Check::name);
  }

  TemporaryTree tree;
  std::string architecture = "x86_64";
  std::map<std::string, const char*> variables = {{"PATH", "/bin"}, {"HOME", "/h"}};
};

TEST_F(Doctor, IsContentWithAWholeMachine) {
  for (const Check& check : examine(machine(), installation())) {
    EXPECT_EQ(check.health, Health::kOk) << check.name << ": " << check.detail;
    EXPECT_EQ(check.remedy, "");
  }
}

TEST_F(Doctor, NamesARemedyForWhateverIsMissing) {
  for (const char* path :
       {"dev/nvidiactl", "usr/lib64/libcuda.so.1", "proc/driver/nvidia/version",
        "opt/egpu/bin/libegpu_inject.so", "opt/egpu/lib/egpu/emulator/libcuda.so.1",
        "opt/egpu/share/egpu/tools/kernelcount.bpf.o", "bin/ptxas", "bin/clang"})
    remove(path);
  for (const char* name : {"GPU", "driver", "CUDA driver library", "injected library"}) {
    EXPECT_EQ(check(name).health, Health::kFailure) << name;
    EXPECT_NE(check(name).remedy, "") << name;
  }
  for (const char* name : {"emulator", "bundled tools", "PTX assembler", "clang"}) {
    EXPECT_EQ(check(name).health, Health::kWarning) << name;
    EXPECT_NE(check(name).remedy, "") << name;
  }
}

TEST_F(Doctor, FindsClangByItsVersion) {
  remove("bin/clang");
  tree.add_executable("bin/clang-14");
  EXPECT_EQ(check("clang").health, Health::kOk);
  EXPECT_THAT(check("clang").detail, testing::EndsWith("clang-14"));
}

TEST_F(Doctor, KnowsWhatIsNotSupported) {
  set_driver("470.10");
  EXPECT_EQ(check("driver").health, Health::kFailure);
  tree.add("tmp/nvidia-mps/control");
  EXPECT_THAT(check("GPU sharing").detail, testing::HasSubstr("MPS"));
  tree.add("proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n");
  EXPECT_THAT(check("platform").detail, testing::HasSubstr("Windows Subsystem"));
  tree.add("proc/sys/kernel/osrelease", "5.4.0\n");
  EXPECT_EQ(check("platform").health, Health::kWarning);
  architecture = "aarch64";
  EXPECT_EQ(check("platform").health, Health::kFailure);
}

TEST_F(Doctor, ChecksTheAssemblerThatTheUserChose) {
  variables["EGPU_PTXAS"] = "/bin/ptxas";
  EXPECT_EQ(check("PTX assembler").detail, "/bin/ptxas (EGPU_PTXAS)");
  variables["EGPU_PTXAS"] = "/bin/absent";
  EXPECT_EQ(check("PTX assembler").health, Health::kFailure);
}

TEST_F(Doctor, DistrustsACacheThatOthersMayWrite) {
  const auto cache = tree.root() / "h/.cache/egpu";
  std::filesystem::create_directories(cache);
  std::filesystem::permissions(cache, std::filesystem::perms::owner_all);
  EXPECT_EQ(check("cache").health, Health::kOk);
  std::filesystem::permissions(cache, std::filesystem::perms::all);
  EXPECT_EQ(check("cache").health, Health::kWarning);
}

TEST_F(Doctor, ExitCodeAndTextSayWhetherARunCanWork) {
  const Context context{.installation = installation(), .output = {}, .messages = {}};
  const Outcome good = doctor_command(context, machine(), {});
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_THAT(good.text, testing::HasSubstr("`egpu run` can work here"));

  remove("dev/nvidia0");
  const Context narrow{
      .installation = installation(), .output = {.width = 80, .colour = false}, .messages = {}};
  EXPECT_THAT(doctor_command(narrow, machine(), {}).text,
              testing::HasSubstr("container its\n                              devices"));
  const Outcome bad = doctor_command(context, machine(), {.json = true});
  EXPECT_EQ(bad.exit_code, 1);
  const auto json = nlohmann::json::parse(bad.text);
  EXPECT_EQ(json["run_possible"], false);
  EXPECT_EQ(json["checks"][1]["status"], "fail");
}

}  // namespace
}  // namespace egpu::cli
