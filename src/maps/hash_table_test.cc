// Hashes that the map runtime itself filled, on the host, as the service reads them.
#include "maps/hash_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "abi/snapshot.h"
#include "base/file.h"
#include "device/map_functions.h"
#include "maps/places.h"
#include "maps/values.h"

namespace egpu::maps {
namespace {

using testing::ElementsAre;
using testing::Pair;

const bpf::Object& object() {
  static const bpf::Object loaded = [] {
    const std::string path = EGPU_BINARY_DIR "/tests/programs/hash_count.bpf.o";
    return *bpf::load_object(*read_file(path), path);
  }();
  return loaded;
}

// Slot of a snapshot in which tests update maps.
class Slot {
 public:
  explicit Slot(std::uint32_t shards)
      : shards_(shards),
        specs_(map_specs(object())),
        bytes_(abi::map_offset(specs_.data(), specs_.size(), shards)) {}

  // As a thread of SM `shards` - 1: the last is the host's own.
  template <class Key, class Value>
  std::int64_t update(const char* function, const char* map, const Key& key, const Value& value) {
    using Update =
        std::int64_t(std::uint64_t, const void*, const void*, std::uint64_t, std::uint32_t,
                     std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t);
    const auto functions = device::map_functions();
    const auto found = std::ranges::find_if(functions, [&](const device::MapFunction& candidate) {
      return std::string_view(candidate.name) == function;
    });
    const std::size_t index = index_of(map);
    const abi::MapSpec& spec = specs_[index];
    EXPECT_EQ(sizeof key, spec.key_size);
    EXPECT_EQ(sizeof value, spec.value_size);
    const auto memory = reinterpret_cast<std::uint64_t>(bytes_.data()) +
                        abi::map_offset(specs_.data(), index, shards_);
    // NOLINTNEXTLINE(bugprone-casting-through-void): the table holds functions as data
    const auto run = reinterpret_cast<Update*>(const_cast<void*>(found->address));
    return run(memory, &key, &value, 0, spec.key_size, spec.value_size, spec.max_entries, shards_,
               1);
  }

  static std::size_t index_of(std::string_view map) {
    const auto found = std::ranges::find(object().maps, map, &bpf::MapDefinition::name);
    return static_cast<std::size_t>(found - object().maps.begin());
  }
  [[nodiscard]] Copy copy() const { return {.slot = bytes_, .shards = shards_}; }

 private:
  std::uint32_t shards_;
  std::vector<abi::MapSpec> specs_;
  std::vector<std::byte> bytes_;
};

struct Place {
  std::uint32_t kernel;
  std::uint32_t lane;
};

template <class Key, class Value>
std::vector<std::pair<Key, Value>> numbers(const Entries& entries) {
  std::vector<std::pair<Key, Value>> result;
  result.reserve(entries.entries.size());
  for (const Entry& entry : entries.entries)
    result.emplace_back(read_at<Key>(entry.key, 0).value_or(Key{}),
                        read_at<Value>(entry.value, 0).value_or(Value{}));
  return result;
}

TEST(HashTable, EntriesComeInTheOrderOfTheKeysFields) {
  Slot slot(2);
  for (std::uint32_t i = 1000; i-- > 0;) {
    const Place place{.kernel = i % 3, .lane = i * 256};
    ASSERT_EQ(slot.update("egpu_hash_update", "counts", place, std::uint64_t{i}), 0) << i;
  }
  const Copy copy = slot.copy();
  const auto entries = read_entries(object(), Slot::index_of("counts"), {&copy, 1});
  ASSERT_TRUE(entries) << to_string(entries.error());
  ASSERT_EQ(entries->entries.size(), 1000U);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keys;
  for (const Entry& entry : entries->entries) {
    const Place place = read_at<Place>(entry.key, 0).value_or(Place{});
    keys.emplace_back(place.kernel, place.lane);
    EXPECT_EQ(read_at<std::uint64_t>(entry.value, 0), place.lane / 256);
  }
  EXPECT_TRUE(std::ranges::is_sorted(keys));
}

TEST(HashTable, SaysHowOftenItWasFull) {
  Slot slot(1);
  for (std::uint32_t i = 0; i < 1007; ++i) {
    const Place place{.kernel = i, .lane = 0};
    EXPECT_EQ(slot.update("egpu_hash_update", "counts", place, std::uint64_t{1}),
              i < 1000 ? 0 : -E2BIG);
  }
  const Copy copy = slot.copy();
  const auto entries = read_entries(object(), Slot::index_of("counts"), {&copy, 1});
  ASSERT_TRUE(entries && entries->refusals);
  EXPECT_EQ(entries->refusals->full, 7U);
  EXPECT_EQ(entries->refusals->busy, 0U);
  EXPECT_EQ(entries->zero_entries, 0U);
}

TEST(HashTable, ShardsAreAddedByKeyOverAllCopies) {
  Slot first(3);
  Slot second(1);
  EXPECT_EQ(first.update("egpu_percpu_hash_update", "shards", 7U, 10U), 0);
  EXPECT_EQ(first.update("egpu_percpu_hash_update", "shards", 5U, 1U), 0);
  EXPECT_EQ(second.update("egpu_percpu_hash_update", "shards", 5U, 100U), 0);
  const Copy copies[] = {first.copy(), second.copy()};
  const auto entries = read_entries(object(), Slot::index_of("shards"), copies);
  ASSERT_TRUE(entries) << to_string(entries.error());
  EXPECT_THAT((numbers<std::uint32_t, std::uint32_t>(*entries)),
              ElementsAre(Pair(5U, 101U), Pair(7U, 10U)));
}

// As reads of single keys look for it (places.h), in copies of slots.
std::optional<std::uint64_t> slot_of(const abi::MapSpec& spec, Bytes memory, Bytes key) {
  const auto copy = [&](std::uint64_t slot) {
    return memory.subspan(slot_offset(spec, slot), slot_stride(spec));
  };
  const std::uint64_t home = home_slot(spec, key);
  for (std::uint64_t distance = 0; distance <= reach_of(spec, copy(home)); ++distance) {
    const std::uint64_t slot = (home + distance) % abi::hash_slots(spec.max_entries);
    if (version_of(spec, copy(slot), key)) return slot;
  }
  return std::nullopt;
}

TEST(HashTable, EveryKeyIsFoundFromItsHome) {
  Slot slot(2);
  const std::size_t counts = Slot::index_of("counts");
  const abi::MapSpec spec = map_specs(object())[counts];
  for (std::uint32_t i = 0; i < 1000; ++i)
    slot.update("egpu_hash_update", "counts", Place{.kernel = i, .lane = 3}, std::uint64_t{i});
  const Bytes memory =
      slot.copy().slot.subspan(abi::map_offset(map_specs(object()).data(), counts, 2));
  for (std::uint32_t i = 0; i < 1100; ++i) {
    const Place key{.kernel = i, .lane = 3};
    const auto found = slot_of(spec, memory, std::as_bytes(std::span(&key, 1)));
    ASSERT_EQ(found.has_value(), i < 1000) << i;
    if (!found) continue;
    EXPECT_EQ(read_at<std::uint64_t>(memory, hash_parts(spec, 2, *found).offset), i);
  }
}

// The observed process writes what it likes.
TEST(HashTable, ReadsAnythingWithinItsMemory) {
  const abi::MapSpec spec = map_specs(object())[Slot::index_of("counts")];
  std::vector<std::byte> bytes(abi::hash_table_bytes(spec.key_size, spec.max_entries),
                               std::byte{0xfe});
  const HashContents contents = read_hash_table(bytes, spec);
  EXPECT_EQ(contents.elements.size(), 2000U);
  EXPECT_EQ(contents.elements.back().key.size(), spec.key_size);
}

}  // namespace
}  // namespace egpu::maps
