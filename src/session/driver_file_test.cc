#include "session/driver_file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "support/uprobe.h"

namespace egpu::session {
namespace {

// The C library's file: root's, as the driver's is.
std::filesystem::path c_library() {
  Dl_info info{};
  EXPECT_NE(::dladdr(reinterpret_cast<void*>(&::getpid), &info), 0);
  return std::filesystem::canonical(info.dli_fname);
}

Result<DriverFile> opened(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return DriverFile::open(fd.get());
}

TEST(DriverFile, ShowsTheFileAndNoBreakpoints) {
  const auto content = read_file(c_library());
  ASSERT_TRUE(content);
  const auto before = opened(c_library());
  ASSERT_TRUE(before);
  EXPECT_TRUE(std::ranges::equal(before->bytes(), *content));

  const auto uprobe = test::SystemUprobe::attach(c_library(), "getpid");
  if (!uprobe) GTEST_SKIP() << "uprobes are not permitted here: " << to_string(uprobe.error());
  const auto after = opened(c_library());
  ASSERT_TRUE(after);
  EXPECT_TRUE(std::ranges::equal(before->bytes(), *content)) << "mapped before the uprobe came";
  EXPECT_TRUE(std::ranges::equal(after->bytes(), *content)) << "mapped while it was there";
}

TEST(DriverFile, CopiesWhatAnotherUserMayChange) {
  const auto path =
      std::filesystem::temp_directory_path() / ("egpu_driver_file." + std::to_string(::getpid()));
  ASSERT_TRUE(overwrite_file(path, as_bytes("library")));
  std::filesystem::permissions(path, std::filesystem::perms::group_write,
                               std::filesystem::perm_options::add);
  const auto file = opened(path);
  ASSERT_TRUE(file);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(as_text(file->bytes()), "library");
  std::filesystem::remove(path);
}

TEST(DriverFile, RefusesWhatIsNoFile) {
  EXPECT_FALSE(opened("/"));
  EXPECT_FALSE(opened("/dev/null"));
  EXPECT_FALSE(DriverFile::open(-1));
}

}  // namespace
}  // namespace egpu::session
