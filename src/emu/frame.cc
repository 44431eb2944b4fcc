#include "emu/frame.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace egpu::emu {
namespace {

constexpr std::align_val_t kAlignment{64};

template <class T>
void fill(std::byte* at, std::uint64_t value) {
  std::fill_n(reinterpret_cast<T*>(at), kLanes, static_cast<T>(value));
}

void fill(std::byte* registers, const ConstantSlot& constant) {
  std::byte* const at = registers + constant.slot;
  switch (constant.bits) {
    case 1:
      *reinterpret_cast<Mask*>(at) = constant.value != 0 ? kAllLanes : 0;
      break;
    case 16:
      fill<std::uint16_t>(at, constant.value);
      break;
    case 32:
      fill<std::uint32_t>(at, constant.value);
      break;
    default:
      fill<std::uint64_t>(at, constant.value);
  }
}

}  // namespace

FramePool::~FramePool() {
  for (const auto& frame : all_) ::operator delete(frame->registers, kAlignment);
}

Frame* FramePool::take(const Code& code) {
  auto& free = free_[&code];
  Frame* frame = nullptr;
  if (free.empty()) {
    frame = all_.emplace_back(std::make_unique<Frame>()).get();
    frame->code = &code;
    bytes_ += code.register_bytes;
    frame->registers =
        static_cast<std::byte*>(::operator new(code.register_bytes + std::size_t{1}, kAlignment));
  } else {
    frame = free.back();
    free.pop_back();
  }
  std::memset(frame->registers, 0, code.register_bytes);
  for (const ConstantSlot& constant : code.constants) fill(frame->registers, constant);
  return frame;
}

}  // namespace egpu::emu
