#include "emu/memory.h"

#include <sys/mman.h>

#include <mutex>

#include "emu/heap.h"
#include "emu/layout.h"

namespace egpu::emu {
namespace {

constexpr std::uint64_t kGranularity = 512;  // of what counts against the limit
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 46;  // more than a process can map

void* pointer_to(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

Memory::Memory(std::uint64_t limit) : limit_(limit), heap_(std::make_unique<Heap>(*this)) {}

Memory::~Memory() {
  for (const auto& [first, entry] : ranges_)
    if (entry.mapped != 0) munmap(pointer_to(first), entry.mapped);
}

std::uint64_t Memory::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > kLargest) return 0;
  const std::uint64_t counted = round_up(bytes, kGranularity);
  const std::uint64_t mapped = round_up(bytes, kPage);
  const std::unique_lock lock(mutex_);
  if (counted > limit_ - allocated_) return 0;
  void* const pages = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return 0;
  const auto first = reinterpret_cast<std::uint64_t>(pages);
  ranges_.emplace(first, Entry{first + bytes, mapped});
  allocated_ += counted;
  return first;
}

bool Memory::release(std::uint64_t address) {
  const std::unique_lock lock(mutex_);
  const auto found = ranges_.find(address);
  if (found == ranges_.end() || found->second.mapped == 0) return false;
  allocated_ -= round_up(found->second.end - address, kGranularity);
  generation_.fetch_add(1, std::memory_order_release);
  munmap(pointer_to(address), found->second.mapped);
  ranges_.erase(found);
  return true;
}

void Memory::add(Range range) {
  const std::unique_lock lock(mutex_);
  ranges_.emplace(range.first, Entry{range.end, 0});
}

bool Memory::remove(std::uint64_t first) {
  const std::unique_lock lock(mutex_);
  const auto found = ranges_.find(first);
  if (found == ranges_.end() || found->second.mapped != 0) return false;
  generation_.fetch_add(1, std::memory_order_release);
  ranges_.erase(found);
  return true;
}

Range Memory::find(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return {};
  --next;
  if (address >= next->second.end) return {};
  return {next->first, next->second.end};
}

std::uint64_t Memory::allocated() const {
  const std::shared_lock lock(mutex_);
  return allocated_;
}

}  // namespace egpu::emu
