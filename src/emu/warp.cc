#include "emu/warp.h"

#include "emu/kernel.h"

namespace egpu::emu {

void Launch::end_with(Fault reason) {
  const std::scoped_lock lock(mutex);
  if (!fault) fault = std::move(reason);
  ended.store(true, std::memory_order_relaxed);
}

void Warp::yield() {
  turn = 0;
  if (credit <= 0) return;
  block->spent -= static_cast<std::uint64_t>(credit);  // run_warp() counts it, but nobody ran it
  credit = 0;
}

void Warp::fault(FaultKind kind, unsigned lane, std::string detail) {
  Launch& launch = *block->launch;
  const Dim3& extent = launch.config.block;
  const std::uint32_t thread = index * kLanes + lane;
  const Code& code = *frame->code;
  const std::uint32_t place = (next - 1)->place;
  running = false;
  launch.end_with({
      .kind = kind,
      .kernel = launch.kernel.info.name,
      .block = block->id,
      .thread = {thread % extent[0], thread / extent[0] % extent[1],
                 thread / extent[0] / extent[1]},
      .place = place < code.places.size() ? launch.kernel.source->place(code.places[place]) : "",
      .detail = std::move(detail),
  });
}

}  // namespace egpu::emu
