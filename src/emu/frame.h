// Register files of calls.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emu/code.h"
#include "emu/op.h"

namespace egpu::emu {

// One call of a function by lanes that made it together. They leave it one by one.
struct Frame {
  const Code* code = nullptr;
  std::byte* registers = nullptr;
  Frame* caller = nullptr;         // null: the kernel itself
  const Op* call = nullptr;        // the caller's Op
  Mask lanes = 0;                  // that have not returned
  std::uint32_t depth = 0;         // callers above it
  std::uint64_t local_offset = 0;  // of its variables in each thread's local memory
  std::uint64_t local_bytes = 0;   // of them and of what it allocated behind them
};

// Frames that nobody uses any more are kept, for their constants are in place already.
class FramePool {
 public:
  FramePool() = default;
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;
  ~FramePool();

  // Constants are filled in, other registers are zero.
  Frame* take(const Code& code);
  void give_back(Frame* frame) { free_[frame->code].push_back(frame); }

  std::uint64_t bytes() const { return bytes_; }  // of all register files

 private:
  std::unordered_map<const Code*, std::vector<Frame*>> free_;
  std::vector<std::unique_ptr<Frame>> all_;
  std::uint64_t bytes_ = 0;
};

}  // namespace egpu::emu
