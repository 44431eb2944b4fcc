// memfds to and from the service.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fd.h"

namespace egpu::inject {

// A mapping that unmaps itself.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* data, std::size_t size) : data_(data), size_(size) {}
  Mapping(Mapping&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
  }
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping() { reset(); }

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  explicit operator bool() const { return data_ != nullptr; }
  void reset();
  // Leaves the mapping to the process for good.
  void* release();
  // Unmaps all but the first `size` bytes, a multiple of the page size.
  void shrink(std::size_t size);

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// A sealed memfd holding the bytes; empty on failure.
UniqueFd make_memfd(const void* data, std::size_t size);

// A sealed memfd holding a copy of a file; empty on failure, and for a file of more than
// abi::kMaxImageBytes. *size: its bytes.
UniqueFd copy_file_to_memfd(const char* path, std::size_t* size);

// Maps what the service sent. Empty unless it holds `size` bytes and can never shrink: touching the
// mapping must not raise SIGBUS in the application.
enum class Access { kPrivateRead, kSharedWrite };
Mapping map_received(const UniqueFd& fd, std::uint64_t size, Access access);

}  // namespace egpu::inject
