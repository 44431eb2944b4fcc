#include "emu/launch.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "emu/kernel.h"
#include "emu/schedule.h"

namespace egpu::emu {
namespace {

// Where blocks of a cooperative launch count who arrived (cooperative_groups::grid_group::sync):
// zeros, at the address that %envreg1 and %envreg2 hold.
class Workspace {
 public:
  Workspace(Memory& memory, bool wanted)
      : memory_(memory), address_(wanted ? memory.allocate(kBytes) : 0) {}
  ~Workspace() {
    if (address_ != 0) memory_.release(address_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  std::uint64_t address() const { return address_; }

 private:
  static constexpr std::uint64_t kBytes = 64;

  Memory& memory_;
  std::uint64_t address_;
};

}  // namespace

std::optional<Fault> launch(const Kernel& kernel, Memory& memory, const DeviceShape& device,
                            const LaunchConfig& config, std::stop_token stop) {
  const Workspace workspace(memory, config.cooperative);
  Launch launch{.kernel = kernel,
                .memory = memory,
                .device = device,
                .config = config,
                .parameters = std::vector<std::byte>(kernel.info.parameter_bytes),
                .workspace = workspace.address()};
  std::ranges::copy(
      config.parameters.first(std::min(launch.parameters.size(), config.parameters.size())),
      launch.parameters.begin());
  const std::stop_callback on_stop(std::move(stop), [&launch] {
    launch.end_with({.kind = FaultKind::kTimeout,
                     .kernel = launch.kernel.info.name,
                     .detail = "the launch was stopped"});
  });

  std::uint64_t units = 1;
  for (std::size_t axis = 0; axis < config.grid.size(); ++axis)
    units *= config.grid[axis] / config.cluster[axis];
  const auto workers =
      std::clamp<std::uint64_t>(config.workers, 1, std::max<std::uint64_t>(units, 1));
  Units queue(units, workers);
  std::vector<std::jthread> threads;
  for (std::uint64_t i = 1; i < workers; ++i)
    threads.emplace_back([&] { run_units(launch, queue); });
  run_units(launch, queue);
  threads.clear();
  return std::move(launch.fault);
}

}  // namespace egpu::emu
