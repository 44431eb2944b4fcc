// Look-ups in hashes need no thread of the device. A key lies in its home slot or within the home's
// reach behind it, so these slots are copied and compared. In a second request the slot that holds
// it is copied before and after the value: where its version stayed the same, the value is that of
// the key.
#include "session/map_access.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "abi/map_layout.h"
#include "base/system_error.h"
#include "session/device_copies.h"

namespace egpu::session {
namespace {

// A slot changes hands that often only where the program deletes and adds without an end.
constexpr int kLookupAttempts = 64;
constexpr std::uint64_t kSlotsAtATime = 16;

std::unexpected<MapError> refusal(int number, std::string message) {
  return std::unexpected(MapError{number, std::move(message)});
}

constexpr bool is_array(abi::MapKind kind) {
  return kind == abi::MapKind::kArray || kind == abi::MapKind::kPercpuArray ||
         kind == abi::MapKind::kSums;
}
constexpr bool is_hash(abi::MapKind kind) {
  return kind == abi::MapKind::kHash || kind == abi::MapKind::kPercpuHash ||
         kind == abi::MapKind::kLruHash;
}

maps::Parts moved(maps::Parts parts, std::uint64_t offset) {
  parts.offset += offset;
  return parts;
}

// Of `parts`, those from `first` on that are copied at a time.
maps::Parts some_of(const maps::Parts& parts, std::uint32_t first, std::uint64_t bytes) {
  const std::uint64_t most = std::clamp<std::uint64_t>(abi::kLaneBytes / 2 / bytes, 1, 4096);
  return {.offset = parts.offset + first * parts.stride,
          .stride = parts.stride,
          .count = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, parts.count - first))};
}

MapResult<std::uint32_t> index_of(const abi::MapSpec& map, Bytes key) {
  const auto index = read_at<std::uint32_t>(key, 0);
  if (!index || key.size() != map.key_size) return refusal(EINVAL, "a key of another size");
  return *index;
}

}  // namespace

// The lane of copies for a few requests that belong together.
class MapAccess::CopyTurn {
 public:
  static MapResult<CopyTurn> take(MapAccess& access) {
    auto turn = (*access.instance_.lanes)[kLane].take(access.wait_);
    if (!turn) return std::unexpected(result_of(RequestEnd::kLate).error());
    return CopyTurn(access, *std::move(turn));
  }

  DeviceCopies copies() {
    const std::span memory(access_.exchange_.get() + kLane * abi::kLaneBytes, abi::kLaneBytes);
    return {turn_, access_.instance_.number, memory};
  }

  RequestEnd snapshot() {
    abi::MapRequest request;
    request.type = abi::RequestType::kSnapshot;
    request.instance = access_.instance_.number;
    return turn_.ask(request, access_.wait_);
  }

 private:
  static constexpr auto kLane = static_cast<std::size_t>(abi::Lane::kCopies);
  CopyTurn(MapAccess& access, RequestLane::Turn turn) : access_(access), turn_(std::move(turn)) {}
  MapAccess& access_;
  RequestLane::Turn turn_;
};

void MapAccess::Unmap::operator()(std::byte* start) const {
  ::munmap(start, abi::kLanes * abi::kLaneBytes);
}

Result<std::shared_ptr<MapAccess>> MapAccess::make(Instance instance,
                                                   std::vector<abi::MapSpec> maps,
                                                   Initial initial) {
  const std::uint64_t offset = abi::exchange_offset(maps.data(), maps.size(), instance.shards);
  void* const start = ::mmap(nullptr, abi::kLanes * abi::kLaneBytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED, instance.area->fd(), static_cast<off_t>(offset));
  if (start == MAP_FAILED) return system_error("cannot map an exchange area");
  Exchange exchange(static_cast<std::byte*>(start));
  return std::shared_ptr<MapAccess>(
      new MapAccess(std::move(instance), std::move(maps), std::move(initial), std::move(exchange)));
}

MapAccess::MapAccess(Instance instance, std::vector<abi::MapSpec> maps, Initial initial,
                     Exchange exchange)
    : instance_(std::move(instance)),
      maps_(std::move(maps)),
      initial_(std::move(initial)),
      exchange_(std::move(exchange)) {}

std::uint64_t MapAccess::offset_of(std::size_t map) const {
  return abi::map_offset(maps_.data(), map, instance_.shards);
}

MapResult<maps::Snapshot> MapAccess::snapshot() {
  auto turn = CopyTurn::take(*this);
  if (!turn) return std::unexpected(turn.error());
  if (auto taken = result_of(turn->snapshot()); !taken) return std::unexpected(taken.error());
  auto snapshot = instance_.area->read();
  if (!snapshot) return refusal(EAGAIN, to_string(snapshot.error()));
  return *std::move(snapshot);
}

MapResult<std::vector<std::byte>> MapAccess::lookup(std::size_t map, Bytes key) {
  const abi::MapKind kind = maps_[map].kind;
  if (is_array(kind)) return lookup_array(map, key);
  if (is_hash(kind)) return lookup_hash(map, key);
  return refusal(EOPNOTSUPP, "a map without keys");
}

MapResult<std::vector<std::byte>> MapAccess::lookup_array(std::size_t map, Bytes key) {
  const abi::MapSpec& spec = maps_[map];
  const auto index = index_of(spec, key);
  if (!index) return std::unexpected(index.error());
  if (*index >= spec.max_entries) return refusal(ENOENT, "an index behind the last element");
  auto turn = CopyTurn::take(*this);
  if (!turn) return std::unexpected(turn.error());

  const maps::Parts parts =
      moved(maps::array_parts(spec, instance_.shards, *index), offset_of(map));
  std::vector<std::byte> value;
  for (std::uint32_t part = 0; part < parts.count;) {
    const maps::Parts some = some_of(parts, part, spec.value_size);
    DeviceCopies copies = turn->copies();
    const Bytes copied = copies.read(some, spec.value_size);
    if (auto done = copies.carry_out(wait_); !done) return std::unexpected(done.error());
    value.insert(value.end(), copied.begin(), copied.end());
    part += some.count;
  }
  return value;
}

// The slot that holds the key, as far as copies tell.
MapResult<std::optional<std::uint64_t>> MapAccess::find_slot(CopyTurn& turn, std::size_t map,
                                                             Bytes key) {
  const abi::MapSpec& spec = maps_[map];
  const std::uint64_t slots = abi::hash_slots(spec.max_entries);
  const std::uint64_t stride = maps::slot_stride(spec);
  const std::uint64_t home = maps::home_slot(spec, key);
  std::uint64_t reach = 0;
  for (std::uint64_t distance = 0; distance <= reach;) {
    const std::uint64_t first = (home + distance) % slots;
    const std::uint64_t count = std::min(
        {kSlotsAtATime, slots - first, std::max<std::uint64_t>(abi::kLaneBytes / 2 / stride, 1)});
    DeviceCopies copies = turn.copies();
    const Bytes copied =
        copies.read({.offset = offset_of(map) + maps::slot_offset(spec, first)}, count * stride);
    if (auto done = copies.carry_out(wait_); !done) return std::unexpected(done.error());
    if (distance == 0) reach = maps::reach_of(spec, copied);
    for (std::uint64_t i = 0; i < count; ++i)
      if (maps::version_of(spec, copied.subspan(i * stride, stride), key)) return first + i;
    distance += count;
  }
  return std::nullopt;
}

// Its value, in parts. Nothing: the slot does not hold the key any more, or did not all the time.
MapResult<std::optional<std::vector<std::byte>>> MapAccess::read_slot(CopyTurn& turn,
                                                                      std::size_t map,
                                                                      std::uint64_t slot,
                                                                      Bytes key) {
  const abi::MapSpec& spec = maps_[map];
  const maps::Parts head = {.offset = offset_of(map) + maps::slot_offset(spec, slot)};
  const maps::Parts parts = moved(maps::hash_parts(spec, instance_.shards, slot), offset_of(map));
  const std::uint64_t head_bytes = maps::slot_stride(spec);
  std::optional<std::uint64_t> version;
  std::vector<std::byte> value;
  for (std::uint32_t part = 0; part < parts.count;) {
    const maps::Parts some = some_of(parts, part, spec.value_size);
    DeviceCopies copies = turn.copies();
    const Bytes before = copies.read(head, head_bytes);
    const Bytes copied = copies.read(some, spec.value_size);
    const Bytes after = copies.read(head, head_bytes);
    if (auto done = copies.carry_out(wait_); !done) return std::unexpected(done.error());
    const auto seen = maps::version_of(spec, before, key);
    if (part == 0) version = seen;
    if (!seen || seen != version || maps::version_of(spec, after, key) != version)
      return std::nullopt;
    value.insert(value.end(), copied.begin(), copied.end());
    part += some.count;
  }
  return value;
}

MapResult<std::vector<std::byte>> MapAccess::lookup_hash(std::size_t map, Bytes key) {
  if (key.size() != maps_[map].key_size) return refusal(EINVAL, "a key of another size");
  auto turn = CopyTurn::take(*this);
  if (!turn) return std::unexpected(turn.error());
  for (int attempt = 0; attempt < kLookupAttempts; ++attempt) {
    const auto slot = find_slot(*turn, map, key);
    if (!slot) return std::unexpected(slot.error());
    if (!*slot) return refusal(ENOENT, "no such key");
    auto value = read_slot(*turn, map, **slot, key);
    if (!value) return std::unexpected(value.error());
    if (*value) return **std::move(value);
  }
  return refusal(EAGAIN, "the key is deleted and added again all the time");
}

MapResult<void> MapAccess::update(std::size_t map, Bytes key, Bytes value, UpdateFlag flag) {
  const abi::MapSpec& spec = maps_[map];
  if (!is_array(spec.kind)) return refusal(EOPNOTSUPP, "no array");
  const auto index = index_of(spec, key);
  if (!index) return std::unexpected(index.error());
  if (value.size() != spec.value_size) return refusal(EINVAL, "a value of another size");
  if (*index >= spec.max_entries) return refusal(E2BIG, "an index behind the last element");
  if (flag == UpdateFlag::kNoExist) return refusal(EEXIST, "elements of arrays always exist");
  auto turn = CopyTurn::take(*this);
  if (!turn) return std::unexpected(turn.error());

  const maps::Parts parts =
      moved(maps::array_parts(spec, instance_.shards, *index), offset_of(map));
  DeviceCopies copies = turn->copies();
  copies.zero(
      {.offset = parts.offset + parts.stride, .stride = parts.stride, .count = parts.count - 1},
      spec.value_size);
  copies.write(parts.offset, value);
  return copies.carry_out(wait_);
}

MapResult<void> MapAccess::clear(std::size_t map) {
  const abi::MapSpec& spec = maps_[map];
  if (!is_array(spec.kind)) return refusal(EOPNOTSUPP, "no array");
  auto turn = CopyTurn::take(*this);
  if (!turn) return std::unexpected(turn.error());
  DeviceCopies copies = turn->copies();
  copies.zero({.offset = offset_of(map)}, abi::map_bytes(spec, instance_.shards));
  if (!initial_[map].empty()) copies.write(offset_of(map), initial_[map]);
  return copies.carry_out(wait_);
}

}  // namespace egpu::session
