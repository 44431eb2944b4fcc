// Elements of maps, in instances that live and in those that are as they last were.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

#include "api/failure.h"
#include "api/handles.h"
#include "bpf/map_spec.h"
#include "maps/values.h"

namespace egpu::api {
namespace {

using Value = std::vector<std::byte>;
template <class T>
using MapResult = session::MapResult<T>;

std::unexpected<session::MapError> refusal(int number, std::string message) {
  return std::unexpected(session::MapError{number, std::move(message)});
}

const bpf::Object& object_of(const egpu_map& map) { return map.session->session->object(); }
const bpf::MapDefinition& definition_of(const egpu_map& map) {
  return object_of(map).maps[map.index];
}

// What a caller's `instance` stands for.
struct Target {
  std::uint64_t id = 0;
  std::uint32_t shards = 1;
  std::shared_ptr<session::MapAccess> live;  // null: it is as it last was
  Value last = {};                           // then; empty: it was never read
};

std::vector<Target> live_targets(egpu_session& session) {
  std::vector<Target> targets;
  for (session::LiveInstance& one : session.session->live()) {
    one.maps->set_wait(session.wait);
    targets.push_back({.id = instance_id(one.process, one.number),
                       .shards = one.shards,
                       .live = std::move(one.maps)});
  }
  return targets;
}

// Also those that have ended, with copies of their maps.
std::vector<Target> all_targets(egpu_session& session) {
  std::vector<Target> targets = live_targets(session);
  const std::size_t live = targets.size();
  session::SessionReport report = session.session->report();
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < report.instances.size(); ++i) {
    session::InstanceView& view = report.instances[i];
    number = i > 0 && report.instances[i - 1].process == view.process ? number + 1 : 0;
    const std::uint64_t id = instance_id(view.process, number);
    const auto same = [&](const Target& target) { return target.id == id; };
    if (std::any_of(targets.begin(), targets.begin() + static_cast<std::ptrdiff_t>(live), same))
      continue;
    targets.push_back({.id = id,
                       .shards = view.shards,
                       .live = nullptr,
                       .last = view.published == 0 ? Value() : std::move(view.slot)});
  }
  return targets;
}

MapResult<std::vector<Target>> select(const egpu_map& map, std::uint64_t instance) {
  // An instance that lives is found without copies of the others.
  if (instance != EGPU_ALL)
    for (Target& target : live_targets(*map.session))
      if (target.id == instance) return std::vector<Target>{std::move(target)};
  std::vector<Target> targets = all_targets(*map.session);
  if (instance != EGPU_ALL)
    std::erase_if(targets, [&](const Target& target) { return target.id != instance; });
  if (targets.empty()) return refusal(ENODEV, "no such instance");
  if (targets.size() > 1 && !bpf::is_percpu(definition_of(map).type))
    return refusal(EINVAL, "there are several instances: choose one of them");
  return targets;
}

// A copy of all maps as they are now, or last were.
MapResult<Value> copy_of(Target& target) {
  if (target.live == nullptr) {
    if (target.last.empty()) return refusal(ENODEV, "the maps were never read");
    return std::move(target.last);
  }
  auto snapshot = target.live->snapshot();
  if (!snapshot) return std::unexpected(snapshot.error());
  return std::move(snapshot->slot);
}

MapResult<maps::Entries> entries_of(const egpu_map& map, std::vector<Target> targets) {
  std::vector<Value> slots;
  std::vector<maps::Copy> copies;
  slots.reserve(targets.size());
  for (Target& target : targets) {
    auto slot = copy_of(target);
    if (!slot) return std::unexpected(slot.error());
    slots.push_back(*std::move(slot));
    copies.push_back({.slot = slots.back(), .shards = target.shards});
  }
  auto entries = maps::read_entries(object_of(map), map.index, copies);
  if (!entries) return refusal(EINVAL, to_string(entries.error()));
  return *std::move(entries);
}

// The parts of a value; ENOENT where there is none.
MapResult<Value> parts_of(const egpu_map& map, Target& target, Bytes key) {
  if (target.live != nullptr) return target.live->lookup(map.index, key);
  const bpf::MapDefinition& definition = definition_of(map);
  auto entries = entries_of(map, {std::move(target)});
  if (!entries) return std::unexpected(entries.error());
  for (maps::Entry& entry : entries->entries)
    if (std::ranges::equal(entry.key, key)) return std::move(entry.value);
  const auto index = read_at<std::uint32_t>(key, 0);
  if (bpf::is_array(definition.type) && index && *index < definition.max_entries)
    return Value(definition.value_size);
  return refusal(ENOENT, "no such key");
}

bool has_keys(const egpu_map& map) {
  const bpf::MapType type = definition_of(map).type;
  return bpf::is_array(type) || bpf::is_hash(type);
}

Bytes key_of(const egpu_map& map, const void* key) {
  return {static_cast<const std::byte*>(key), definition_of(map).key_size};
}
Bytes value_of(const egpu_map& map, const void* value) {
  return {static_cast<const std::byte*>(value), definition_of(map).value_size};
}

int lookup(const egpu_map& map, std::uint64_t instance, Bytes key, void* value) {
  auto targets = select(map, instance);
  if (!targets) return failed(targets.error());
  Value parts;
  for (Target& target : *targets) {
    const auto own = parts_of(map, target, key);
    if (!own && own.error().number != ENOENT) return failed(own.error());
    if (own) parts.insert(parts.end(), own->begin(), own->end());
  }
  if (parts.empty()) return failed(ENOENT, "no such key");
  const auto total = maps::add_parts(object_of(map), map.index, parts);
  if (!total) return failed(total.error());
  std::memcpy(value, total->data(), total->size());
  return 0;
}

// Does the same in each instance that `instance` means.
int in_each(egpu_map& map, std::uint64_t instance,
            const std::function<MapResult<void>(session::MapAccess&)>& work) {
  std::vector<Target> targets = live_targets(*map.session);
  if (instance != EGPU_ALL)
    std::erase_if(targets, [&](const Target& target) { return target.id != instance; });
  if (targets.empty()) return failed(ENODEV, "no such instance lives");
  int result = 0;
  for (Target& target : targets)
    if (const auto done = work(*target.live); !done && result == 0) result = failed(done.error());
  return result;
}

}  // namespace
}  // namespace egpu::api

using namespace egpu;  // NOLINT(google-build-using-namespace): what follows is C's
using api::failed;
using api::guarded;

egpu_map* egpu_session_map(egpu_session* session, const char* name) {
  if (session == nullptr || name == nullptr) return nullptr;
  const auto& definitions = session->session->object().maps;
  const auto found = std::ranges::find(definitions, name, &bpf::MapDefinition::name);
  if (found != definitions.end())
    return &session->maps[static_cast<std::size_t>(found - definitions.begin())];
  failed(ENOENT, "the object has no such map");
  return nullptr;
}

egpu_map* egpu_session_map_at(egpu_session* session, size_t index) {
  if (session == nullptr || index >= session->maps.size()) return nullptr;
  return &session->maps[index];
}

int egpu_map_get_info(const egpu_map* map, egpu_map_info* info) {
  if (map == nullptr || info == nullptr) return failed(EINVAL, "no map");
  const bpf::MapDefinition& definition = api::definition_of(*map);
  *info = {.name = definition.name.c_str(),
           .type = static_cast<std::uint32_t>(definition.type),
           .key_size = definition.key_size,
           .value_size = definition.value_size,
           .max_entries = definition.max_entries,
           .per_sm = bpf::is_percpu(definition.type) ? 1U : 0U};
  return 0;
}

int egpu_map_lookup(egpu_map* map, uint64_t instance, const void* key, void* value) {
  return guarded([&] {
    if (map == nullptr || key == nullptr || value == nullptr)
      return failed(EINVAL, "no map, key or place for the value");
    if (!api::has_keys(*map)) return failed(EOPNOTSUPP, "a map without keys");
    return api::lookup(*map, instance, api::key_of(*map, key), value);
  });
}

int egpu_map_lookup_per_sm(egpu_map* map, uint64_t instance, const void* key, void* values,
                           size_t size) {
  return guarded([&] {
    if (map == nullptr || key == nullptr || values == nullptr)
      return failed(EINVAL, "no map, key or place for the values");
    if (!bpf::is_percpu(api::definition_of(*map).type))
      return failed(EOPNOTSUPP, "a map without values of each SM");
    auto targets = api::select(*map, instance);
    if (!targets) return failed(targets.error());
    if (targets->size() > 1) return failed(EINVAL, "there are several instances: choose one");
    if (targets->front().live == nullptr) return failed(ENODEV, "the process has ended");
    const auto parts = targets->front().live->lookup(map->index, api::key_of(*map, key));
    if (!parts) return failed(parts.error());
    if (parts->size() > size) return failed(ENOSPC, "more SMs than there is room for");
    std::memcpy(values, parts->data(), parts->size());
    return 0;
  });
}

int egpu_map_update(egpu_map* map, uint64_t instance, const void* key, const void* value,
                    uint64_t flags) {
  return guarded([&] {
    if (map == nullptr || key == nullptr || value == nullptr || flags > EGPU_EXIST)
      return failed(EINVAL, "no map, key or value, or unknown flags");
    return api::in_each(*map, instance, [&](session::MapAccess& maps) {
      return maps.update(map->index, api::key_of(*map, key), api::value_of(*map, value),
                         static_cast<session::UpdateFlag>(flags));
    });
  });
}

int egpu_map_clear(egpu_map* map, uint64_t instance) {
  return guarded([&] {
    if (map == nullptr) return failed(EINVAL, "no map");
    return api::in_each(*map, instance,
                        [&](session::MapAccess& maps) { return maps.clear(map->index); });
  });
}

int egpu_map_for_each(egpu_map* map, uint64_t instance,
                      int (*visit)(void*, const void*, const void*), void* context) {
  return guarded([&] {
    if (map == nullptr || visit == nullptr) return failed(EINVAL, "no map, or no visitor");
    if (bpf::is_ring(api::definition_of(*map).type)) return failed(EOPNOTSUPP, "a ring buffer");
    auto targets = api::select(*map, instance);
    if (!targets) return failed(targets.error());
    const auto entries = api::entries_of(*map, *std::move(targets));
    if (!entries) return failed(entries.error());
    for (const maps::Entry& entry : entries->entries)
      if (const int result = visit(context, entry.key.data(), entry.value.data()); result != 0)
        return result;
    return 0;
  });
}

int egpu_map_read(egpu_map* map, uint64_t instance, void* keys, void* values, size_t* count) {
  return guarded([&] {
    if (map == nullptr || count == nullptr ||
        ((keys == nullptr || values == nullptr) && *count != 0))
      return failed(EINVAL, "no map, or no place for its elements");
    if (bpf::is_ring(api::definition_of(*map).type)) return failed(EOPNOTSUPP, "a ring buffer");
    auto targets = api::select(*map, instance);
    if (!targets) return failed(targets.error());
    const auto entries = api::entries_of(*map, *std::move(targets));
    if (!entries) return failed(entries.error());
    const std::size_t room = std::exchange(*count, entries->entries.size());
    if (*count > room) return failed(ENOSPC, "more elements than there is room for");
    auto* key = static_cast<std::byte*>(keys);
    auto* value = static_cast<std::byte*>(values);
    for (const maps::Entry& entry : entries->entries) {
      key = std::ranges::copy(entry.key, key).out;
      value = std::ranges::copy(entry.value, value).out;
    }
    return 0;
  });
}
