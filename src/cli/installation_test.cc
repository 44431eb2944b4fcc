#include "cli/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/temporary_tree.h"

namespace egpu::cli {
namespace {

class InstallationTest : public testing::Test {
 protected:
  InstallationTest() {
    tree_.add("share/egpu/tools/kernelcount.bpf.o");
    tree_.add("share/egpu/tools/README");
    own_ = tree_.add("own.bpf.o");
  }

  TemporaryTree tree_;
  std::filesystem::path own_;
  Installation installation_{.executable = tree_.root() / "bin/egpu"};
};

TEST_F(InstallationTest, FindsToolsByNameAndFilesByPath) {
  EXPECT_THAT(installation_.tools(), testing::ElementsAre("kernelcount"));
  EXPECT_EQ(*find_object(installation_, "kernelcount"),
            tree_.root() / "share/egpu/tools/kernelcount.bpf.o");
  EXPECT_EQ(*find_object(installation_, own_), own_);
}

TEST_F(InstallationTest, SuggestsTheToolThatWasMeant) {
  const auto result = find_object(installation_, "kernelcont");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().remedy, "did you mean `kernelcount`?");
  EXPECT_THAT(find_object(installation_, "quite-other").error().remedy,
              testing::HasSubstr("bundled tools: kernelcount"));
}

TEST_F(InstallationTest, NamesAMissingFile) {
  const auto result = find_object(installation_, "./gone.bpf.o");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().place, "./gone.bpf.o");
  EXPECT_EQ(result.error().message, "no such file");
}

}  // namespace
}  // namespace egpu::cli
