#include "inject/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "abi/protocol.h"

namespace egpu::inject {
namespace {

constexpr std::uint64_t kLargestMapping = std::uint64_t{1} << 36;

UniqueFd new_memfd() {
  return UniqueFd(::memfd_create("egpu-image", MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

bool seal(int fd) { return ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0; }

bool cannot_shrink(int fd) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0) return true;
  return ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
}

}  // namespace

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  if (this == &other) return *this;
  reset();
  data_ = other.data_;
  size_ = other.size_;
  other.data_ = nullptr;
  return *this;
}

void Mapping::reset() {
  if (data_ != nullptr) ::munmap(data_, size_);
  data_ = nullptr;
}

void* Mapping::release() { return std::exchange(data_, nullptr); }

void Mapping::shrink(std::size_t size) {
  if (data_ == nullptr || size >= size_) return;
  ::munmap(static_cast<char*>(data_) + size, size_ - size);
  size_ = size;
}

UniqueFd make_memfd(const void* data, std::size_t size) {
  UniqueFd fd = new_memfd();
  const char* next = static_cast<const char*>(data);
  std::size_t left = size;
  while (fd && left > 0) {
    const ssize_t written = ::write(fd.get(), next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return {};
    next += written;
    left -= static_cast<std::size_t>(written);
  }
  if (!fd || !seal(fd.get())) return {};
  return fd;
}

UniqueFd copy_file_to_memfd(const char* path, std::size_t* size) {
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) > abi::kMaxImageBytes)
    return {};
  UniqueFd fd = new_memfd();
  off_t done = 0;
  while (fd && done < status.st_size) {
    const ssize_t sent =
        ::sendfile(fd.get(), file.get(), nullptr, static_cast<std::size_t>(status.st_size - done));
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return {};
    done += sent;
  }
  if (!fd || !seal(fd.get())) return {};
  *size = static_cast<std::size_t>(done);
  return fd;
}

Mapping map_received(const UniqueFd& fd, std::uint64_t size, Access access) {
  struct stat status{};
  if (!fd || size == 0 || size > kLargestMapping || !cannot_shrink(fd.get()) ||
      ::fstat(fd.get(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) < size)
    return {};
  const bool write = access == Access::kSharedWrite;
  void* data = ::mmap(nullptr, size, write ? PROT_READ | PROT_WRITE : PROT_READ,
                      write ? MAP_SHARED : MAP_PRIVATE, fd.get(), 0);
  if (data == MAP_FAILED) return {};
  return {data, size};
}

}  // namespace egpu::inject
