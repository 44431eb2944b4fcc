#include "session/module_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <map>
#include <thread>

#include "session/private_directory.h"

namespace egpu::session {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

CacheKey key_of(std::initializer_list<std::string_view> parts) {
  auto key = cache_key_of(parts);
  EXPECT_TRUE(key);
  return key ? *key : CacheKey{};
}
CacheKey key_of(std::string_view name) { return key_of({name}); }

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    auto directory = PrivateDirectory::create();
    ASSERT_TRUE(directory) << to_string(directory.error());
    directory_ = directory->path() / "deep" / "cache";
    parent_.emplace(*std::move(directory));
  }
  const fs::path& directory() { return directory_; }
  ModuleCache opened(std::uint64_t max_bytes = ModuleCache::kDefaultMaxBytes) {
    auto cache = ModuleCache::open(directory(), max_bytes);
    EXPECT_TRUE(cache) << to_string(cache.error());
    return *std::move(cache);
  }
  fs::path file_of(std::string_view name) { return directory() / key_of(name).hex; }
  std::string loaded(const ModuleCache& cache, std::string_view name) {
    const auto image = cache.load(key_of(name));
    return image ? std::string(as_text(*image)) : "a miss";
  }

 private:
  std::optional<PrivateDirectory> parent_;
  fs::path directory_;
};

TEST(CacheKeyOf, DependsOnEveryPartAndItsBounds) {
  EXPECT_EQ(key_of({"a", "bc"}), key_of({"a", "bc"}));
  EXPECT_NE(key_of({"a", "bc"}), key_of({"ab", "c"}));
  EXPECT_NE(key_of("a"), key_of({"a", ""}));
  EXPECT_EQ(key_of("a").hex.size(), 64u);
  // SHA-256 of eight zero bytes: the length of an empty part.
  EXPECT_EQ(key_of("").hex, "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc");
}

TEST(CacheDirectory, FollowsTheEnvironment) {
  const auto directory = [](std::map<std::string, const char*> variables) {
    const auto found = cache_directory([&](const char* name) { return variables[name]; });
    return found ? found->string() : to_string(found.error());
  };
  EXPECT_EQ(directory({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}), "/x/egpu");
  EXPECT_EQ(directory({{"XDG_CACHE_HOME", "x"}, {"HOME", "/h"}}), "/h/.cache/egpu");
  EXPECT_EQ(directory({{"XDG_CACHE_HOME", ""}, {"HOME", "/h"}}), "/h/.cache/egpu");
  EXPECT_THAT(directory({}), HasSubstr("set HOME or XDG_CACHE_HOME"));
}

TEST_F(Cache, KeepsImages) {
  const ModuleCache cache = opened();
  EXPECT_EQ(loaded(cache, "one"), "a miss");
  ASSERT_TRUE(cache.store(key_of("one"), as_bytes("image one")));
  ASSERT_TRUE(cache.store(key_of("two"), {}));
  EXPECT_EQ(loaded(cache, "one"), "image one");
  EXPECT_EQ(loaded(cache, "two"), "");
  EXPECT_EQ(loaded(opened(), "one"), "image one");
  ASSERT_TRUE(cache.store(key_of("one"), as_bytes("another")));
  EXPECT_EQ(loaded(cache, "one"), "another");
}

TEST_F(Cache, ItsDirectoryIsPrivate) {
  opened();
  struct stat status{};
  ASSERT_EQ(::stat(directory().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0700u);
}

TEST_F(Cache, ADirectoryThatOthersMayWriteIsRefused) {
  opened();
  for (const fs::perms write : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(directory(), fs::perms::owner_all | write);
    const auto cache = ModuleCache::open(directory());
    ASSERT_FALSE(cache);
    EXPECT_THAT(to_string(cache.error()), HasSubstr("others may write the cache directory"));
    EXPECT_EQ(cache.error().place, directory().string());
  }
}

TEST_F(Cache, AForeignDirectoryIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  opened();
  ASSERT_EQ(::chown(directory().c_str(), 12345, 12345), 0);
  const auto cache = ModuleCache::open(directory());
  ASSERT_FALSE(cache);
  EXPECT_THAT(cache.error().message, HasSubstr("belongs to user 12345"));
}

TEST_F(Cache, AFileInsteadOfTheDirectoryIsRefused) {
  fs::create_directories(directory().parent_path());
  std::ofstream(directory()) << "a file";
  const auto cache = ModuleCache::open(directory());
  ASSERT_FALSE(cache);
  EXPECT_THAT(cache.error().message, HasSubstr("not a directory"));
}

TEST_F(Cache, ADirectoryThatCannotBeCreatedIsRefused) {
  const auto cache = ModuleCache::open("/proc/egpu/cache");
  ASSERT_FALSE(cache);
  EXPECT_THAT(cache.error().message, HasSubstr("cannot create"));
}

TEST_F(Cache, DamagedFilesAreMissesAndRemoved) {
  const ModuleCache cache = opened();
  ASSERT_TRUE(cache.store(key_of("one"), as_bytes("image one")));
  std::ifstream stored(file_of("one"), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(stored)), {});
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    std::ofstream(file_of("one"), std::ios::binary) << bad;
    EXPECT_EQ(loaded(cache, "one"), "a miss") << at;
    EXPECT_FALSE(fs::exists(file_of("one"))) << at;
    std::ofstream(file_of("one"), std::ios::binary) << good.substr(0, at);
    EXPECT_EQ(loaded(cache, "one"), "a miss") << at;
  }
  std::ofstream(file_of("one"), std::ios::binary) << good << "more";
  EXPECT_EQ(loaded(cache, "one"), "a miss");
  std::ofstream(file_of("one"), std::ios::binary) << good;
  EXPECT_EQ(loaded(cache, "one"), "image one");
}

TEST_F(Cache, AnImageUnderAnotherKeyIsAMiss) {
  const ModuleCache cache = opened();
  ASSERT_TRUE(cache.store(key_of("one"), as_bytes("image one")));
  fs::copy_file(file_of("one"), file_of("two"));
  EXPECT_EQ(loaded(cache, "two"), "a miss");
}

TEST_F(Cache, RemovesTheOldestBeyondItsBound) {
  const ModuleCache cache = opened(3000);
  const std::string image(800, 'x');
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 3; ++i) {
    const std::string name = std::to_string(i);
    ASSERT_TRUE(cache.store(key_of(name), as_bytes(image)));
    fs::last_write_time(file_of(name), now - std::chrono::hours(10 - i));
  }
  std::ofstream(directory() / "not ours") << std::string(5000, 'x');
  ASSERT_TRUE(cache.store(key_of("3"), as_bytes(image)));
  EXPECT_EQ(loaded(cache, "0"), "a miss");
  for (const char* const name : {"1", "2", "3"}) EXPECT_EQ(loaded(cache, name), image);
  EXPECT_TRUE(fs::exists(directory() / "not ours"));
}

TEST_F(Cache, UnfinishedFilesCountAndGoFirst) {
  const ModuleCache cache = opened(2000);
  const fs::path unfinished = file_of("one").string() + ".tmp.abcdef";
  std::ofstream(unfinished) << std::string(1500, 'x');
  fs::last_write_time(unfinished, fs::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_TRUE(cache.store(key_of("two"), as_bytes(std::string(1000, 'x'))));
  EXPECT_FALSE(fs::exists(unfinished));
  EXPECT_NE(loaded(cache, "two"), "a miss");
}

TEST_F(Cache, AnImageLargerThanTheBoundIsNotKept) {
  const ModuleCache cache = opened(1000);
  ASSERT_TRUE(cache.store(key_of("small"), as_bytes("small")));
  ASSERT_TRUE(cache.store(key_of("large"), as_bytes(std::string(1000, 'x'))));
  EXPECT_EQ(loaded(cache, "large"), "a miss");
  EXPECT_EQ(loaded(cache, "small"), "small");
}

TEST_F(Cache, ThreadsMayStoreAndLoadTheSameKey) {
  const ModuleCache cache = opened();
  const std::string image(100'000, 'x');
  std::atomic<int> failures = 0;
  const auto work = [&] {
    for (int i = 0; i < 100; ++i) {
      if (!cache.store(key_of("one"), as_bytes(image))) ++failures;
      if (loaded(cache, "one") != image) ++failures;
    }
  };
  {
    const std::jthread first(work);
    const std::jthread second(work);
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace egpu::session
