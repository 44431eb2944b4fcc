// Launches: what the application asks for, checked against what the kernel and the device allow.
#pragma once

#include <optional>

#include "emu/driver/events.h"
#include "emu/driver/modules.h"
#include "emu/driver/operations.h"

namespace egpu::emu::driver {

struct LaunchAttributes {
  bool cooperative = false;
  std::optional<emu::Dim3> cluster = {};
  std::optional<int> priority = {};
  std::vector<EventPointer> events = {};  // to be recorded behind the kernel
};

// kNotSupported, and a line that says why, for an attribute that cannot be ignored.
Status read_attribute(const cuda::LaunchAttribute& attribute, LaunchAttributes& result);
Status read_attributes(const cuda::LaunchConfig& config, LaunchAttributes& result);

// Blocks of a cluster: as the launch says, else as the kernel does, else one.
emu::Dim3 cluster_of(const Function& function, const LaunchAttributes& attributes);

struct Arguments {
  void** parameters = nullptr;
  void** extra = nullptr;
};

// Everything but the stream. Translates the kernel where that was not done yet.
Status prepare_launch(const FunctionPointer& function, const cuda::LaunchConfig& config,
                      const LaunchAttributes& attributes, const Arguments& arguments,
                      KernelLaunch& launch);

}  // namespace egpu::emu::driver
