#include "cli/map_views.h"

#include "maps/scalar.h"

namespace egpu::cli {

std::vector<MapView> map_views(const bpf::Object& object, const session::SessionReport& session,
                               std::size_t top) {
  std::vector<maps::Copy> copies;
  std::vector<std::size_t> instances;  // of each copy
  for (std::size_t i = 0; i < session.instances.size(); ++i) {
    const session::InstanceView& instance = session.instances[i];
    if (instance.published == 0) continue;  // never read: zeros would be no counts
    copies.push_back({.slot = instance.slot, .shards = instance.shards});
    instances.push_back(i);
  }

  std::vector<MapView> views;
  for (std::size_t map = 0; map < object.maps.size() && !copies.empty(); ++map) {
    if (bpf::is_ring(object.maps[map].type)) continue;  // see ring_views()
    if (bpf::is_percpu(object.maps[map].type)) {
      views.push_back(
          {.map = map, .instance = {}, .entries = maps::read_entries(object, map, copies)});
      continue;
    }
    for (std::size_t i = 0; i < copies.size(); ++i)
      views.push_back({.map = map,
                       .instance = instances[i],
                       .entries = maps::read_entries(object, map, {&copies[i], 1})});
  }
  for (MapView& view : views)
    if (top != 0 && view.entries)
      view.rest = maps::keep_largest(object, object.maps[view.map], top, *view.entries);
  return views;
}

std::vector<RingView> ring_views(const bpf::Object& object, const session::SessionReport& session) {
  std::vector<RingView> views;
  for (std::size_t map = 0; map < object.maps.size(); ++map) {
    if (!bpf::is_ring(object.maps[map].type)) continue;
    RingView view{.map = map, .totals = {}};
    for (const session::InstanceView& instance : session.instances) {
      if (map >= instance.rings.size()) continue;
      view.totals.records += instance.rings[map].records;
      view.totals.discarded += instance.rings[map].discarded;
      view.totals.dropped += instance.rings[map].dropped;
    }
    views.push_back(view);
  }
  return views;
}

std::vector<std::string> kernel_names(const std::vector<session::KernelInfo>& kernels) {
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const session::KernelInfo& kernel : kernels) names.push_back(kernel.demangled);
  return names;
}

std::vector<std::uint64_t> slots_of_array(const bpf::MapDefinition& map,
                                          const maps::Entries& entries) {
  std::vector<std::uint64_t> slots(map.max_entries);
  for (const maps::Entry& entry : entries.entries)
    slots[read_at<std::uint32_t>(entry.key, 0).value_or(0)] =
        maps::load_bits(entry.value, 0, std::uint64_t{8} * map.value_size);
  return slots;
}

}  // namespace egpu::cli
