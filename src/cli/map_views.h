// The maps of a run as they are shown: PERCPU maps added over all instances, other maps one for
// each instance.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "maps/top.h"
#include "maps/values.h"
#include "session/session.h"

namespace egpu::cli {

struct MapView {
  std::size_t map = 0;                  // index in Object::maps
  std::optional<std::size_t> instance;  // index in SessionReport::instances; nothing: all of them
  Result<maps::Entries> entries;
  std::optional<maps::Rest> rest = {};  // what was left out of them
};

// `top`: how many entries of a map with keys are shown, the largest; 0: all.
std::vector<MapView> map_views(const bpf::Object& object, const session::SessionReport& session,
                               std::size_t top);

// What went through a ring buffer, over all instances.
struct RingView {
  std::size_t map = 0;  // index in Object::maps
  maps::RingTotals totals;
};

std::vector<RingView> ring_views(const bpf::Object& object, const session::SessionReport& session);

// What people call the kernels, by their ids.
std::vector<std::string> kernel_names(const std::vector<session::KernelInfo>& kernels);

// The counts of an array that is one histogram (maps/histogram.h), by their slots.
std::vector<std::uint64_t> slots_of_array(const bpf::MapDefinition& map,
                                          const maps::Entries& entries);

}  // namespace egpu::cli
