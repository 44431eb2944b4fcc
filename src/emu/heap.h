// What malloc() of device code gives out: one piece of Memory, taken when it is first asked for.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

namespace egpu::emu {

class Memory;

// Thread-safe.
class Heap {
 public:
  explicit Heap(Memory& memory) : memory_(memory) {}

  // Bytes of the whole heap. False: it is in use already.
  bool set_size(std::uint64_t bytes);
  std::uint64_t size() const;

  // Aligned to 16 bytes; 0: nothing is left.
  std::uint64_t allocate(std::uint64_t bytes);
  // False where `address` is not what allocate() gave.
  bool release(std::uint64_t address);

 private:
  static constexpr std::uint64_t kDefaultSize = std::uint64_t{8} << 20;  // CUDA's

  Memory& memory_;
  mutable std::mutex mutex_;
  std::uint64_t size_ = kDefaultSize;
  std::uint64_t first_ = 0;
  std::uint64_t used_ = 0;                           // bytes from `first_` that were ever given
  std::array<std::vector<std::uint64_t>, 64> free_;  // pieces of 1 << index bytes
};

}  // namespace egpu::emu
