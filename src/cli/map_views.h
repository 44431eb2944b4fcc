// The maps of a run as they are shown: PERCPU maps added over all instances, other maps one for
// each instance.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "bpf/object.h"
#include "maps/values.h"
#include "session/session.h"

namespace egpu::cli {

struct MapView {
  std::size_t map = 0;                  // index in Object::maps
  std::optional<std::size_t> instance;  // index in SessionReport::instances; nothing: all of them
  Result<maps::Entries> entries;
};

std::vector<MapView> map_views(const bpf::Object& object, const session::SessionReport& session);

// What went through a ring buffer, over all instances.
struct RingView {
  std::size_t map = 0;  // index in Object::maps
  maps::RingTotals totals;
};

std::vector<RingView> ring_views(const bpf::Object& object, const session::SessionReport& session);

// The kernel a map's key stands for, where its key type says that it is one and the session knows
// it.
const session::KernelInfo* kernel_of_key(const bpf::Object& object, const bpf::MapDefinition& map,
                                         const session::SessionReport& session, Bytes key);

}  // namespace egpu::cli
