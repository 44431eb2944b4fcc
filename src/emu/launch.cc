#include "emu/launch.h"

#include <algorithm>
#include <cstring>

#include "emu/execute.h"
#include "emu/kernel.h"

namespace egpu::emu {
namespace {

constexpr std::int64_t kWarpSlice = 4096;  // Ops of a warp before the next one runs

// Runs all warps of a block to their ends.
void run_block(Block& block) {
  Launch& launch = *block.launch;
  start_block(block);
  for (bool some_run = true; some_run && !launch.ended;) {
    some_run = false;
    for (Warp& warp : block.warps) {
      if (warp.live() == 0) continue;
      some_run = run_warp(warp, kWarpSlice) || some_run;
      if (launch.ended) return;
    }
  }
}

void run_all_blocks(Launch& launch) {
  FramePool frames;
  std::vector<std::byte> shared(launch.kernel.info.static_shared_bytes +
                                launch.config.dynamic_shared_bytes);
  Block block;
  block.launch = &launch;
  block.frames = &frames;
  block.shared = shared.data();
  block.shared_bytes = static_cast<std::uint32_t>(shared.size());
  block.cluster = {&block};
  const Dim3& grid = launch.config.grid;
  for (std::uint32_t z = 0; z < grid[2]; ++z)
    for (std::uint32_t y = 0; y < grid[1]; ++y)
      for (std::uint32_t x = 0; x < grid[0] && !launch.ended; ++x) {
        block.id = {x, y, z};
        std::ranges::fill(shared, std::byte{0});
        run_block(block);
      }
}

}  // namespace

std::optional<Fault> launch(const Kernel& kernel, const Memory& memory, const DeviceShape& device,
                            const LaunchConfig& config, std::stop_token stop) {
  Launch launch{.kernel = kernel,
                .memory = memory,
                .device = device,
                .config = config,
                .parameters = std::vector<std::byte>(kernel.info.parameter_bytes)};
  std::memcpy(launch.parameters.data(), config.parameters.data(),
              std::min(launch.parameters.size(), config.parameters.size()));
  const std::stop_callback on_stop(std::move(stop), [&launch] {
    launch.end_with({.kind = FaultKind::kTimeout,
                     .kernel = launch.kernel.info.name,
                     .detail = "the launch was stopped"});
  });
  run_all_blocks(launch);
  return std::move(launch.fault);
}

}  // namespace egpu::emu
