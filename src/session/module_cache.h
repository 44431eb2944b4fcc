// Replacement images on disk, so that a program's second start compiles nothing.
//
// One file per image, named by its key, in a directory that belongs to the user and that nobody
// else may write: what lies there is loaded into programs. Each file carries a digest of its key
// and content; a damaged one is a miss and removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "session/environment.h"

namespace egpu::session {

struct CacheKey {
  std::string hex;  // 64 digits
  bool operator==(const CacheKey&) const = default;
};

// SHA-256 of the parts, each with its length before it. Parts: everything that the image depends
// on.
Result<CacheKey> cache_key_of(std::initializer_list<std::string_view> parts);

// $XDG_CACHE_HOME/egpu, else $HOME/.cache/egpu. Relative values count as not set (XDG Base
// Directory Specification).
Result<std::filesystem::path> cache_directory(const EnvironmentLookup& environment);

// Copyable. Thread-safe, and safe against other processes that use the same directory.
class ModuleCache {
 public:
  static constexpr std::uint64_t kDefaultMaxBytes = 512ull << 20;

  // Creates the directory (0700) where it is missing. Refuses one of another user, or one that the
  // group or others may write.
  static Result<ModuleCache> open(std::filesystem::path directory,
                                  std::uint64_t max_bytes = kDefaultMaxBytes);

  // The image, or nothing where it is not there or damaged.
  [[nodiscard]] std::optional<std::vector<std::byte>> load(const CacheKey& key) const;

  // Keeps the image and removes the oldest ones beyond the bound. An image that alone exceeds the
  // bound is not kept.
  [[nodiscard]] Result<void> store(const CacheKey& key, Bytes image) const;

 private:
  ModuleCache(std::filesystem::path directory, std::uint64_t max_bytes)
      : directory_(std::move(directory)), max_bytes_(max_bytes) {}

  [[nodiscard]] std::filesystem::path file_of(const CacheKey& key) const {
    return directory_ / key.hex;
  }
  void evict() const;

  std::filesystem::path directory_;
  std::uint64_t max_bytes_;
};

}  // namespace egpu::session
