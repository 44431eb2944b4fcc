#include <gtest/gtest.h>

#include <filesystem>

#include "base/bytes.h"
#include "base/demangle.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/result.h"

namespace egpu {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return input_error("odd number").at("here").hint("double it");
  return number / 2;
}

Result<int> quarter(int number) {
  EGPU_ASSIGN(const int once, half(number));
  EGPU_ASSIGN(const int twice, half(once));
  return twice;
}

TEST(Result, PassesValueOrErrorThrough) {
  EXPECT_EQ(*quarter(8), 2);
  const auto failed = quarter(6);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().fault, Fault::kInput);
  EXPECT_EQ(to_string(failed.error()), "here: odd number (double it)");
}

TEST(Bytes, ReadsStayInside) {
  const auto bytes = as_bytes(std::string_view("ab\0cd", 5));
  EXPECT_EQ(read_at<std::uint16_t>(bytes, 3), 0x6463);
  EXPECT_FALSE(read_at<std::uint16_t>(bytes, 4));
  EXPECT_FALSE(read_at<std::uint8_t>(bytes, ~0ull));
  EXPECT_EQ(c_string_at(bytes, 0), "ab");
  EXPECT_FALSE(c_string_at(bytes, 3));
  EXPECT_FALSE(slice(bytes, 2, ~0ull));
}

TEST(File, RoundTripsAndNamesWhatIsMissing) {
  const auto path =
      std::filesystem::temp_directory_path() / ("egpu_base_test." + std::to_string(::getpid()));
  ASSERT_TRUE(write_file(path, as_bytes("content")));
  EXPECT_EQ(as_text(*read_file(path)), "content");
  std::filesystem::remove(path);
  const auto missing = read_file(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().place, path.string());
}

TEST(File, OverwritingKeepsWhatIsNoRegularFile) {
  ASSERT_TRUE(overwrite_file("/dev/null", as_bytes("content")));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const auto path =
      std::filesystem::temp_directory_path() / ("egpu_base_test." + std::to_string(::getpid()));
  ASSERT_TRUE(overwrite_file(path, as_bytes("long content")));
  ASSERT_TRUE(overwrite_file(path, as_bytes("short")));
  EXPECT_EQ(as_text(*read_file(path)), "short");
  std::filesystem::remove(path);
}

TEST(File, AnnouncedSizeIsChecked) {
  const auto fd = make_memfd("test", as_bytes("1234"));
  ASSERT_TRUE(fd);
  EXPECT_EQ(as_text(*read_fd(fd->get(), 4)), "1234");
  EXPECT_FALSE(read_fd(fd->get(), 5));
}

TEST(Demangle, LeavesWhatIsNoMangledName) {
  EXPECT_EQ(demangle("_Z7vec_addPKfS0_Pfm"),
            "vec_add(float const*, float const*, float*, unsigned long)");
  EXPECT_EQ(demangle("i"), "i");
  EXPECT_EQ(demangle("_Zbroken"), "_Zbroken");
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("vec_add<float>"), "vec_add<float>");
  EXPECT_EQ(printable("\x1b[2Jx\n\xc2"), "\\x1b[2Jx\\x0a\\xc2");
}

}  // namespace
}  // namespace egpu
