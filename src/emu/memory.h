// Memory that kernels may touch through global addresses.
//
// A device address is the host address of the same byte, as memory lies in this process: copies are
// memcpy, and pinned or managed host memory is simply added. What lies outside every range is an
// illegal address to kernels.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>

#include "base/result.h"

namespace egpu::emu {

class Heap;

// Addresses first <= a < end. Empty: first == end.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t end = 0;

  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= first && address <= end && bytes <= end - address;
  }
};

// Thread-safe. Kernels may run while ranges come; a range must not go while one uses it.
class Memory {
 public:
  // `limit`: bytes that allocate() gives out at most at a time, as a device's memory is finite.
  explicit Memory(std::uint64_t limit);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Zeros, aligned to 512 bytes; pages cost nothing before they are written. 0: no memory is left.
  std::uint64_t allocate(std::uint64_t bytes);
  // False where `address` is not what allocate() gave.
  bool release(std::uint64_t address);

  // Memory of somebody else that kernels may use: pinned host memory.
  void add(Range range);
  bool remove(std::uint64_t first);

  // The range that holds the address; empty where none does.
  Range find(std::uint64_t address) const;

  // Of malloc() in device code.
  Heap& heap() { return *heap_; }

  std::uint64_t limit() const { return limit_; }
  std::uint64_t allocated() const;

  // Changes whenever a range goes: what find() said before is then worth nothing.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  struct Entry {
    std::uint64_t end;
    std::uint64_t mapped;  // bytes of our mapping; 0: somebody else's memory
  };

  const std::uint64_t limit_;
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Entry> ranges_;  // by first address
  std::uint64_t allocated_ = 0;
  std::atomic<std::uint64_t> generation_{0};
  const std::unique_ptr<Heap> heap_;
};

}  // namespace egpu::emu
