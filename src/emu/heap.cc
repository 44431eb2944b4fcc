#include "emu/heap.h"

#include <algorithm>
#include <bit>

#include "emu/memory.h"

namespace egpu::emu {
namespace {

// Before each piece, so that it keeps its alignment of 16.
struct Header {
  std::uint64_t mark = 0;
  std::uint64_t order = 0;  // the piece has 1 << order bytes, this header among them
};
constexpr std::uint64_t kGiven = 0x6769'7665'6e21'7e5a;
constexpr std::uint64_t kFree = 0x6672'6565'2121'7e5a;

Header& header_of(std::uint64_t piece) {
  return *reinterpret_cast<Header*>(piece);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

bool Heap::set_size(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (first_ != 0) return false;
  size_ = bytes;
  return true;
}

std::uint64_t Heap::size() const {
  const std::scoped_lock lock(mutex_);
  return size_;
}

std::uint64_t Heap::allocate(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (bytes == 0 || bytes > size_) return 0;
  if (first_ == 0) first_ = memory_.allocate(size_);
  if (first_ == 0) return 0;
  const auto order =
      static_cast<std::uint64_t>(std::bit_width(std::max<std::uint64_t>(bytes, 16) + 15));
  std::uint64_t piece = 0;
  if (!free_[order].empty()) {
    piece = free_[order].back();
    free_[order].pop_back();
  } else {
    const std::uint64_t size = std::uint64_t{1} << order;
    if (size > size_ - used_) return 0;
    piece = first_ + used_;
    used_ += size;
  }
  header_of(piece) = {kGiven, order};
  return piece + sizeof(Header);
}

// The program can write to headers: nothing in one is believed beyond what it costs itself.
bool Heap::release(std::uint64_t address) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t piece = address - sizeof(Header);
  if (first_ == 0 || address % 16 != 0 || piece < first_ || piece >= first_ + used_) return false;
  Header& header = header_of(piece);
  const std::uint64_t order = header.order;
  if (header.mark != kGiven || order < 5 || order >= free_.size()) return false;
  if (std::uint64_t{1} << order > first_ + used_ - piece) return false;
  header.mark = kFree;
  free_[order].push_back(piece);
  return true;
}

}  // namespace egpu::emu
