#include "session/module_cache.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "base/file.h"
#include "base/system_error.h"

namespace egpu::session {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHexDigits = 64;
using Digest = std::array<unsigned char, 32>;

// What a file begins with; the image follows.
struct EntryHeader {
  char magic[8];
  std::uint64_t size;  // of the image
  Digest digest;       // of key and image, as in digest_of()
};
static_assert(sizeof(EntryHeader) == 48);
constexpr char kMagic[9] = "EGPUMOD1";

Result<Digest> digest_of(std::initializer_list<std::string_view> parts) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  bool good = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const std::string_view part : parts) {
    const std::uint64_t size = part.size();
    good = good && EVP_DigestUpdate(context.get(), &size, sizeof size) == 1 &&
           EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  }
  Digest digest{};
  good = good && EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1;
  if (!good) return internal_error("SHA-256 is not available");
  return digest;
}

std::optional<std::vector<std::byte>> image_in(Bytes file, const CacheKey& key) {
  const auto header = read_at<EntryHeader>(file, 0);
  if (!header || std::memcmp(header->magic, kMagic, sizeof header->magic) != 0) return std::nullopt;
  const Bytes image = file.subspan(sizeof *header);
  if (image.size() != header->size) return std::nullopt;
  const auto digest = digest_of({key.hex, as_text(image)});
  if (!digest || *digest != header->digest) return std::nullopt;
  return std::vector<std::byte>(image.begin(), image.end());
}

// Files of this cache, unfinished ones (KEY.tmp.*) of a process that died included. Others are left
// alone.
bool is_entry_name(std::string_view name) {
  return name.size() >= kHexDigits &&
         name.substr(0, kHexDigits).find_first_not_of("0123456789abcdef") ==
             std::string_view::npos &&
         (name.size() == kHexDigits || name.substr(kHexDigits).starts_with(".tmp."));
}

struct StoredFile {
  fs::path path;
  fs::file_time_type written;
  std::uint64_t size;
};

// Another process may remove files meanwhile: those are left out.
std::vector<StoredFile> stored_files(const fs::path& directory) {
  std::vector<StoredFile> files;
  std::error_code failed;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (!is_entry_name(at->path().filename().string())) continue;
    std::error_code gone;
    const auto size = at->file_size(gone);
    const auto written = gone ? fs::file_time_type{} : at->last_write_time(gone);
    if (!gone) files.push_back({at->path(), written, size});
  }
  return files;
}

Result<void> check_private(const fs::path& directory) {
  struct stat status{};
  if (::stat(directory.c_str(), &status) != 0)
    return system_error("cannot look at the cache directory").at(directory.string());
  if (!S_ISDIR(status.st_mode)) return input_error("is not a directory").at(directory.string());
  if (status.st_uid != ::geteuid())
    return input_error(
               fmt::format("the cache directory belongs to user {}, not to you", status.st_uid))
        .at(directory.string())
        .hint("set XDG_CACHE_HOME to a directory of your own");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return input_error(fmt::format("others may write the cache directory (mode {:o})",
                                   status.st_mode & 07777u))
        .at(directory.string())
        .hint("chmod 700 it, after a look at what lies there");
  return {};
}

}  // namespace

Result<CacheKey> cache_key_of(std::initializer_list<std::string_view> parts) {
  EGPU_ASSIGN(const Digest digest, digest_of(parts));
  CacheKey key;
  for (const unsigned char byte : digest) key.hex += fmt::format("{:02x}", byte);
  return key;
}

Result<fs::path> cache_directory(const EnvironmentLookup& environment) {
  if (const fs::path cache = value_of(environment, "XDG_CACHE_HOME"); cache.is_absolute())
    return cache / "egpu";
  if (const fs::path home = value_of(environment, "HOME"); home.is_absolute())
    return home / ".cache" / "egpu";
  return input_error("no directory to cache modules in")
      .hint("set HOME or XDG_CACHE_HOME to an absolute path");
}

Result<ModuleCache> ModuleCache::open(fs::path directory, std::uint64_t max_bytes) {
  std::error_code failed;
  if (directory.has_parent_path()) fs::create_directories(directory.parent_path(), failed);
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return system_error("cannot create the cache directory")
        .at(directory.string())
        .hint("set XDG_CACHE_HOME to a directory you may write");
  EGPU_TRY(check_private(directory));
  return ModuleCache(std::move(directory), max_bytes);
}

std::optional<std::vector<std::byte>> ModuleCache::load(const CacheKey& key) const {
  const auto file = read_file(file_of(key));
  if (!file) return std::nullopt;
  auto image = image_in(*file, key);
  if (!image) {
    std::error_code ignored;
    fs::remove(file_of(key), ignored);
  }
  return image;
}

Result<void> ModuleCache::store(const CacheKey& key, Bytes image) const {
  if (image.size() + sizeof(EntryHeader) > max_bytes_) return {};
  EntryHeader header{};
  std::memcpy(header.magic, kMagic, sizeof header.magic);
  header.size = image.size();
  EGPU_ASSIGN(header.digest, digest_of({key.hex, as_text(image)}));

  std::vector<std::byte> file(sizeof header + image.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::ranges::copy(image, file.begin() + sizeof header);
  EGPU_TRY(write_file(file_of(key), file));
  evict();
  return {};
}

void ModuleCache::evict() const {
  std::vector<StoredFile> files = stored_files(directory_);
  std::ranges::sort(files, {}, &StoredFile::written);
  std::uint64_t total = 0;
  for (const StoredFile& file : files) total += file.size;
  for (const StoredFile& file : files) {
    if (total <= max_bytes_) return;
    std::error_code ignored;
    fs::remove(file.path, ignored);
    total -= file.size;
  }
}

}  // namespace egpu::session
