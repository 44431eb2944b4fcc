#include "cli/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/temporary_tree.h"

namespace egpu::cli {
namespace {

class InstallationTest : public testing::Test {
 protected:
  InstallationTest() {
    tree.add("share/egpu/tools/kernelcount.bpf.o");
    tree.add("share/egpu/tools/README");
    own = tree.add("own.bpf.o");
  }

  TemporaryTree tree;
  std::filesystem::path own;
  Installation installation{.executable = tree.root() / "bin/egpu"};
};

TEST_F(InstallationTest, FindsToolsByNameAndFilesByPath) {
  EXPECT_THAT(installation.tools(), testing::ElementsAre("kernelcount"));
  EXPECT_EQ(*find_object(installation, "kernelcount"),
            tree.root() / "share/egpu/tools/kernelcount.bpf.o");
  EXPECT_EQ(*find_object(installation, own), own);
}

TEST_F(InstallationTest, SuggestsTheToolThatWasMeant) {
  const auto result = find_object(installation, "kernelcont");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().remedy, "did you mean `kernelcount`?");
  EXPECT_THAT(find_object(installation, "quite-other").error().remedy,
              testing::HasSubstr("bundled tools: kernelcount"));
}

TEST_F(InstallationTest, NamesAMissingFile) {
  const auto result = find_object(installation, "./gone.bpf.o");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().place, "./gone.bpf.o");
  EXPECT_EQ(result.error().message, "no such file");
}

}  // namespace
}  // namespace egpu::cli
