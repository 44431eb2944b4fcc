// Assembling: with programs that only pretend to be ptxas, and with the real ptxas and nvJitLink
// where they are installed.
#include "session/assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <thread>

#include "base/bytes.h"
#include "fatbin/fatbin.h"
#include "session/child_process.h"
#include "session/nvjitlink.h"
#include "session/private_directory.h"
#include "session/ptxas.h"

namespace egpu::session {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Target kSm90{9, 0, '\0'};
constexpr std::chrono::milliseconds kTimeout = std::chrono::minutes(2);

std::string ptx_for(std::string_view target, std::string_view body = "ret;",
                    std::string_view version = "8.0") {
  return std::string(".version ") + std::string(version) + "\n.target " + std::string(target) +
         "\n.address_size 64\n.visible .entry kernel()\n{\n" + std::string(body) + "\n}\n";
}

// Directories with programs in them.
class Assembling : public ::testing::Test {
 protected:
  void SetUp() override {
    auto directory = PrivateDirectory::create();
    ASSERT_TRUE(directory) << to_string(directory.error());
    root_ = directory->path();
    directory_.emplace(*std::move(directory));
  }
  // An executable shell script `folder`/ptxas that says version 12.3.4, and otherwise does
  // `assemble`.
  fs::path pretend_ptxas(const std::string& folder, const std::string& assemble) {
    const fs::path program = root() / folder / "ptxas";
    fs::create_directories(program.parent_path());
    std::ofstream(program)
        << "#!/bin/sh\n"
        << "if [ \"$1\" = --version ]; then echo 'Cuda tools, release 12.3, V12.3.4'; exit; fi\n"
        << assemble << "\n";
    fs::permissions(program, fs::perms::owner_all);
    return program;
  }
  const fs::path& root() { return root_; }
  // Looks nowhere but in `path`.
  AssemblerSearch only(std::string path) {
    AssemblerSearch search;
    search.path = std::move(path);
    search.toolkit = root() / "none";
    return search;
  }

 private:
  std::optional<PrivateDirectory> directory_;
  fs::path root_;
};

TEST(Target, Names) {
  EXPECT_EQ(to_string(Target{9, 0, 'a'}), "sm_90a");
  EXPECT_EQ(to_string(Target{12, 1, '\0'}), "sm_121");
}

TEST(Target, KeepsThePtxsSuffix) {
  const auto name = [](std::string_view target, unsigned major, unsigned minor) {
    const auto chosen = target_for(ptx_for(target), {major, minor});
    return chosen ? to_string(*chosen) : to_string(chosen.error());
  };
  EXPECT_EQ(name("sm_80", 9, 0), "sm_90");
  EXPECT_EQ(name("sm_90a", 9, 0), "sm_90a");
  EXPECT_EQ(name("sm_100f", 10, 3), "sm_103f");
  EXPECT_EQ(name("sm_90a", 10, 0),
            "PTX for compute_90a does not run on a device of compute capability 10.0");
  EXPECT_THAT(name("nothing", 9, 0), HasSubstr("no sm_ architecture"));
}

TEST(Search, ReadsTheEnvironment) {
  const std::map<std::string, const char*> variables = {{"EGPU_PTXAS", "/a/ptxas"},
                                                        {"PATH", "/b:/c"}};
  const AssemblerSearch search = search_from([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second;
  });
  EXPECT_EQ(search.ptxas, "/a/ptxas");
  EXPECT_EQ(search.path, "/b:/c");
  EXPECT_EQ(search.cuda_home, "");
}

TEST_F(Assembling, FindsPtxasInOrder) {
  AssemblerSearch search =
      only("relative::" + (root() / "empty").string() + ":" + (root() / "path").string());
  search.cuda_home = root() / "home";
  search.toolkit = root() / "toolkit";
  const fs::path toolkit = pretend_ptxas("toolkit/bin", "");
  const fs::path home = pretend_ptxas("home/bin", "");
  const fs::path path = pretend_ptxas("path", "");
  fs::create_directories(root() / "empty" / "ptxas");  // a directory is no program
  EXPECT_THAT(ptxas_candidates(search), ElementsAre(path, home, toolkit));
}

TEST_F(Assembling, UsesThePtxasThatWasAskedForOrNone) {
  pretend_ptxas("path", "");
  AssemblerSearch search = only((root() / "path").string());
  search.ptxas = pretend_ptxas("mine", "");
  const auto found = Assembler::find(search);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->identity(), "ptxas 12.3.4");

  search.ptxas = root() / "missing";
  const auto missing = Assembler::find(search);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().place, search.ptxas.string());
}

TEST_F(Assembling, ProgramsThatAreNoPtxasAreNotUsed) {
  const auto opened = open_ptxas("/bin/true", kTimeout);
  ASSERT_FALSE(opened);
  EXPECT_THAT(to_string(opened.error()), HasSubstr("--version"));
}

TEST_F(Assembling, GivesTargetAndPtxToTheProgram) {
  const auto ptxas = open_ptxas(
      pretend_ptxas("bin", "echo \"$1 $2 $5 $6\" > \"$3\"; cat \"$4\" >> \"$3\""), kTimeout);
  ASSERT_TRUE(ptxas) << to_string(ptxas.error());
  const auto assembled =
      Assembler(*ptxas).assemble("the text", Target{9, 0, 'a'}, {"-maxrregcount=32", "-O1"});
  ASSERT_TRUE(assembled) << to_string(assembled.error());
  EXPECT_EQ(as_text(assembled->image), "-arch=sm_90a -o -maxrregcount=32 -O1\nthe text");
  EXPECT_EQ(assembled->by, "ptxas 12.3.4");
}

TEST_F(Assembling, ReportsWhatTheProgramSays) {
  const auto ptxas = open_ptxas(
      pretend_ptxas("bin", "echo \"ptxas $4, line 2; error : no such thing\" >&2; exit 255"),
      kTimeout);
  ASSERT_TRUE(ptxas) << to_string(ptxas.error());
  const auto assembled = (*ptxas)->assemble("first\nsecond\n", "sm_90", {});
  ASSERT_FALSE(assembled);
  EXPECT_EQ(to_string(assembled.error()),
            "PTX line 2 `second`: ptxas 12.3.4 refuses the PTX: no such thing");
}

TEST_F(Assembling, ReportsACrashAndAMissingResult) {
  const auto crash = open_ptxas(pretend_ptxas("crash", "kill -SEGV $$"), kTimeout);
  ASSERT_TRUE(crash) << to_string(crash.error());
  EXPECT_FALSE((*crash)->assemble("text", "sm_90", {}));
  const auto nothing = open_ptxas(pretend_ptxas("nothing", "exit 0"), kTimeout);
  ASSERT_TRUE(nothing) << to_string(nothing.error());
  const auto assembled = (*nothing)->assemble("text", "sm_90", {});
  ASSERT_FALSE(assembled);
  EXPECT_THAT(to_string(assembled.error()), HasSubstr("module.cubin"));
}

TEST_F(Assembling, StopsAProgramThatHangs) {
  const fs::path hanging = pretend_ptxas("bin", "sleep 100 & sleep 100");
  const auto started = std::chrono::steady_clock::now();
  const auto status = run_program(hanging, {}, root(), std::chrono::milliseconds(100));
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("did not end within 100 ms"));
}

TEST_F(Assembling, ProgramsGetNoEnvironmentAndNoInput) {
  const fs::path program =
      pretend_ptxas("bin", "cat; env | grep -v -e ^PATH= -e ^PWD= -e ^_= -e ^SHLVL=");
  const auto status = run_program(program, {}, root(), kTimeout);
  ASSERT_TRUE(status) << to_string(status.error());
  std::ifstream log(root() / "log");
  const std::string text((std::istreambuf_iterator<char>(log)), {});
  EXPECT_EQ(text, "TMPDIR=" + root().string() + "\n");
}

TEST_F(Assembling, LeavesNothingBehind) {
  const auto ptxas = open_ptxas(pretend_ptxas("bin", "dirname \"$4\" > \"$3\""), kTimeout);
  ASSERT_TRUE(ptxas) << to_string(ptxas.error());
  const auto assembled = (*ptxas)->assemble("text", "sm_90", {});
  ASSERT_TRUE(assembled) << to_string(assembled.error());
  const std::string text(as_text(*assembled));
  EXPECT_FALSE(fs::exists(text.substr(0, text.find('\n'))));
}

TEST(DriverAssembler, IsGivenThePtxItself) {
  const Assembler driver;
  EXPECT_EQ(driver.identity(), "driver");
  const auto assembled = driver.assemble("text", kSm90);
  ASSERT_TRUE(assembled) << to_string(assembled.error());
  EXPECT_EQ(as_text(assembled->image), std::string_view("text\0", 5));
  EXPECT_FALSE(driver.assemble("text", kSm90, {"-maxrregcount=32"}));
}

TEST(NvJitLinkLibrary, OtherLibrariesAreRefused) {
  EXPECT_FALSE(open_nvjitlink("libegpu_no_such_library.so"));
  const auto other = open_nvjitlink("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_THAT(to_string(other.error()), HasSubstr("lacks functions"));
}

// The same expectations of every real assembler.
void expect_assembles(const AssemblerBackend& assembler) {
  for (const char* const target : {"sm_90", "sm_90a"}) {
    const auto cubin = assembler.assemble(ptx_for(target), target, {});
    ASSERT_TRUE(cubin) << to_string(cubin.error());
    const auto image = fatbin::parse_image(*cubin);
    ASSERT_TRUE(image) << to_string(image.error());
    EXPECT_EQ(image->members.at(0).architecture, 90u);
    EXPECT_FALSE(image->members.at(0).unsupported);
    EXPECT_THAT(*fatbin::cubin_kernels(*cubin), ElementsAre("kernel"));
  }
}

void expect_refuses(const AssemblerBackend& assembler) {
  const auto bad = assembler.assemble(ptx_for("sm_90", "foo;\nret;"), "sm_90", {});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, StartsWith(assembler.identity() + " refuses the PTX: "));
  EXPECT_EQ(bad.error().place, "PTX line 6 `foo;`");

  const auto newer = assembler.assemble(ptx_for("sm_90", "ret;", "99.9"), "sm_90", {});
  ASSERT_FALSE(newer);
  EXPECT_THAT(newer.error().remedy, HasSubstr("newer than the assembler"))
      << to_string(newer.error());

  const auto specific = assembler.assemble(ptx_for("sm_90a"), "sm_100", {});
  ASSERT_FALSE(specific);
  EXPECT_THAT(specific.error().message, HasSubstr("sm_90a"));
  EXPECT_FALSE(assembler.assemble(ptx_for("sm_90"), "sm_999", {}));
}

TEST(RealPtxas, AssemblesAndRefuses) {
  const auto candidates = ptxas_candidates(AssemblerSearch{});
  if (candidates.empty()) GTEST_SKIP() << "no ptxas in the toolkit";
  const auto ptxas = open_ptxas(candidates.front(), kTimeout);
  ASSERT_TRUE(ptxas) << to_string(ptxas.error());
  expect_assembles(**ptxas);
  expect_refuses(**ptxas);
}

TEST(RealNvJitLink, AssemblesAndRefusesFromSeveralThreads) {
  std::shared_ptr<const AssemblerBackend> library;
  for (const auto& candidate : nvjitlink_candidates(AssemblerSearch{}))
    if (auto opened = open_nvjitlink(candidate); opened && library == nullptr) library = *opened;
  if (library == nullptr) GTEST_SKIP() << "no libnvJitLink";
  EXPECT_THAT(library->identity(), StartsWith("nvJitLink 1"));
  expect_refuses(*library);
  std::jthread other([&] { expect_assembles(*library); });
  expect_assembles(*library);
}

}  // namespace
}  // namespace egpu::session
