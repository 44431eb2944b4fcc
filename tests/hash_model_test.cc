// Hashes in the executor, under schedules that look for races, against a model.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <random>
#include <set>

#include "map_model.h"
#include "random_cases.h"
#include "scripted_map.h"

namespace egpu {
namespace {

using enum OperationKind;
using bpf::MapType;

// Values that nobody could make of two halves.
std::uint64_t value_of(std::uint32_t number) {
  return static_cast<std::uint64_t>(~number) << 32 | number;
}

bool is_whole(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32) == ~static_cast<std::uint32_t>(value);
}

std::unique_ptr<ScriptedMap> load(const ScriptedMapShape& shape) {
  auto map = ScriptedMap::load(shape);
  EXPECT_TRUE(map) << to_string(map.error());
  return map ? *std::move(map) : nullptr;
}

class Script {
 public:
  Script(std::uint64_t seed, std::uint32_t keys) : random_(seed), keys_(keys) {}

  std::vector<Operation> make(std::uint32_t lanes, const std::vector<OperationKind>& kinds) {
    std::vector<Operation> script(std::size_t{lanes} * ScriptedMap::kOperations);
    for (Operation& operation : script)
      operation = {.kind = kinds[below(kinds.size())],
                   .key = below(keys_),
                   .value = value_of(++last_value_)};
    return script;
  }
  std::uint32_t below(std::size_t end) { return static_cast<std::uint32_t>(random_() % end); }

 private:
  std::mt19937 random_;
  std::uint32_t keys_;
  std::uint32_t last_value_ = 0;
};

struct Counts {
  std::uint64_t full = 0;
  std::uint64_t busy = 0;
};

Counts errors_in(const std::vector<OperationOutcome>& outcomes) {
  Counts counts;
  for (const OperationOutcome& outcome : outcomes) {
    counts.full += outcome.result == -E2BIG ? 1 : 0;
    counts.busy += outcome.result == -EBUSY ? 1 : 0;
  }
  return counts;
}

struct Case {
  std::string program;
  MapType type;
  std::uint32_t shards;
  std::uint64_t interleavings;
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest's
void PrintTo(const Case& one, std::ostream* out) { *out << one.program; }

class HashModel : public testing::TestWithParam<Case> {};

// Any operations on few keys of a map that has room for one less.
TEST_P(HashModel, EveryHistoryHasAnOrder) {
  constexpr std::uint32_t kKeys = 4;
  constexpr ModelOptions kOptions{.max_entries = kKeys - 1};
  constexpr std::uint32_t kWarps = 3;
  const auto map = load({.program = GetParam().program,
                         .type = GetParam().type,
                         .max_entries = kOptions.max_entries,
                         .shards = GetParam().shards});
  ASSERT_NE(map, nullptr);
  const bool deletes = GetParam().program.find("keep") == std::string::npos;
  std::vector<OperationKind> kinds = {kLookUp, kUpdate, kUpdateNew, kUpdateOld};
  if (deletes) kinds.insert(kinds.end(), {kDelete, kDelete});
  const RandomCases cases(GetParam().interleavings);
  std::map<std::int64_t, std::uint64_t> results;
  std::uint64_t seed = cases.first_seed();
  for (std::uint64_t done = 0; !cases.enough(done); ++done, ++seed) {
    Script random(seed, kKeys);
    const auto script = random.make(kWarps * ScriptedMap::kActiveLanes, kinds);
    map->clear();
    const auto outcomes = map->run({.warps = kWarps, .seed = seed}, script);
    ASSERT_TRUE(outcomes) << "seed " << seed << ": " << to_string(outcomes.error());
    std::vector<DoneOperation> history;
    for (std::size_t i = 0; i < script.size(); ++i) {
      history.push_back({script[i], (*outcomes)[i]});
      ++results[(*outcomes)[i].result];
      const bool found = script[i].kind == kLookUp && (*outcomes)[i].result == 0;
      ASSERT_TRUE(!found || is_whole((*outcomes)[i].value)) << "seed " << seed;
    }
    const auto entries = map->entries();
    ASSERT_EQ(find_contradiction(kOptions, history, entries), "") << "seed " << seed;
    ASSERT_EQ(map->count(), entries.size()) << "seed " << seed;
    const Counts errors = errors_in(*outcomes);
    ASSERT_EQ(map->refusals().full, errors.full) << "seed " << seed;
    ASSERT_EQ(map->refusals().busy, errors.busy) << "seed " << seed;
  }
  fmt::print("{} interleavings\n", seed - cases.first_seed());
  for (const std::int64_t result : {0, -ENOENT, -EEXIST, -E2BIG})
    EXPECT_GT(results[result], 0U) << result << " never came";
}

INSTANTIATE_TEST_SUITE_P(Maps, HashModel,
                         testing::Values(Case{"operations_4", MapType::kHash, 1, 6000},
                                         Case{"operations_4_keep", MapType::kHash, 1, 4000},
                                         Case{"operations_12", MapType::kHash, 1, 6000},
                                         Case{"operations_12_keep", MapType::kHash, 1, 2000},
                                         Case{"operations_12", MapType::kPercpuHash, 1, 2000}),
                         [](const auto& one) {
                           return one.param.program +
                                  (one.param.type == MapType::kPercpuHash ? "_percpu" : "");
                         });

// Counting on several SMs and host threads: nothing is lost, whoever adds the key.
TEST(Hash, SumsAreExact) {
  for (const auto& [program, type, shards] :
       {std::tuple{"operations_4_keep", MapType::kHash, 1U},
        std::tuple{"operations_12_keep", MapType::kHash, 1U},
        std::tuple{"operations_12_keep", MapType::kPercpuHash, 8U}}) {
    const auto map = load({.program = program, .type = type, .max_entries = 8, .shards = shards});
    ASSERT_NE(map, nullptr);
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      constexpr ScriptedMap::Launch kLaunch{.blocks = 8, .warps = 4, .workers = 2};
      Script random(seed, 8);
      auto script = random.make(kLaunch.blocks * kLaunch.warps * ScriptedMap::kActiveLanes, {kAdd});
      std::map<std::uint32_t, std::uint64_t> expected;
      for (Operation& operation : script) operation.value = 1 + operation.value % 1000;
      map->clear();
      ScriptedMap::Launch launch = kLaunch;
      launch.seed = seed;  // the first in the usual order
      const auto outcomes = map->run(launch, script);
      ASSERT_TRUE(outcomes) << to_string(outcomes.error());
      for (std::size_t i = 0; i < script.size(); ++i)
        if ((*outcomes)[i].result == 0) expected[script[i].key] += script[i].value;
      const auto entries = map->entries();
      EXPECT_THAT(entries, testing::UnorderedElementsAreArray(expected)) << program << " " << seed;
    }
  }
}

// Each key that stays is seen once, whatever comes and goes beside it.
TEST(Hash, IterationSeesStableKeysOnce) {
  constexpr std::uint32_t kStable = 4;
  constexpr std::uint32_t kMoving = 4;
  constexpr std::uint64_t kStableBits = (1U << kStable) - 1;
  for (const MapType type : {MapType::kHash, MapType::kPercpuHash}) {
    const auto map = load({.program = "operations_12", .type = type, .max_entries = 7});
    ASSERT_NE(map, nullptr);
    std::uint64_t moved = 0;
    const RandomCases cases(500);
    std::uint64_t seed = cases.first_seed();
    for (std::uint64_t done = 0; !cases.enough(done); ++done, ++seed) {
      map->clear();
      std::vector<Operation> first(6);
      for (std::uint32_t key = 0; key < kStable; ++key)
        first[key] = {.kind = kUpdate, .key = key, .value = key};
      ASSERT_TRUE(map->run({}, first));
      Script random(seed, kMoving);
      auto script = random.make(8, {kUpdate, kDelete, kVisit});
      for (Operation& operation : script) operation.key += kStable;
      const auto outcomes = map->run({.warps = 4, .seed = seed}, script);
      ASSERT_TRUE(outcomes) << to_string(outcomes.error());
      for (std::size_t i = 0; i < script.size(); ++i) {
        if (script[i].kind != kVisit) continue;
        const std::uint64_t seen = (*outcomes)[i].value;
        ASSERT_EQ(seen & kStableBits, kStableBits) << "seed " << seed;
        ASSERT_EQ(seen >> 32 & kStableBits, 0U) << "seed " << seed;
        moved += (seen & ~kStableBits) != 0 ? 1 : 0;
      }
    }
    fmt::print("{} interleavings\n", seed - cases.first_seed());
    EXPECT_GT(moved, 0U);
  }
}

// Slots are used again as often as one likes, at any length of chains.
TEST(Hash, DeletedPlacesAreUsedAgain) {
  const auto map = load({.program = "operations_12", .type = MapType::kHash, .max_entries = 3});
  ASSERT_NE(map, nullptr);
  for (std::uint32_t round = 0; round < 300; ++round) {
    std::vector<Operation> script(6);
    for (std::uint32_t i = 0; i < 3; ++i)
      script[i] = {.kind = kUpdateNew, .key = 8 + 3 * round + i, .value = value_of(i)};
    const auto added = map->run({}, script);
    ASSERT_TRUE(added);
    for (std::uint32_t i = 0; i < 3; ++i) ASSERT_EQ((*added)[i].result, 0) << round;
    ASSERT_EQ(map->entries().size(), 3U);
    for (Operation& operation : script)
      if (operation.kind == kUpdateNew) operation.kind = kDelete;
    const auto removed = map->run({}, script);
    ASSERT_TRUE(removed);
    for (std::uint32_t i = 0; i < 3; ++i) ASSERT_EQ((*removed)[i].result, 0) << round;
    ASSERT_EQ(map->count(), 0U);
  }
}

// A full LRU_HASH takes every new key, and never holds more than it may.
TEST(LruHash, TakesEveryKeyAndStaysWithinItsSize) {
  constexpr std::uint32_t kEntries = 6;
  const auto map =
      load({.program = "operations_12", .type = MapType::kLruHash, .max_entries = kEntries});
  ASSERT_NE(map, nullptr);
  std::uint64_t busy = 0;
  std::uint64_t updates = 0;
  const RandomCases cases(500);
  std::uint64_t seed = cases.first_seed();
  for (std::uint64_t done = 0; !cases.enough(done); ++done, ++seed) {
    map->clear();
    Script random(seed, 20);
    const auto script = random.make(8, {kUpdate, kUpdate, kLookUp, kDelete});
    const auto outcomes = map->run({.warps = 4, .seed = seed}, script);
    ASSERT_TRUE(outcomes) << to_string(outcomes.error());
    std::map<std::uint32_t, std::set<std::uint64_t>> written;
    for (std::size_t i = 0; i < script.size(); ++i) {
      ASSERT_NE((*outcomes)[i].result, -E2BIG) << "seed " << seed;
      busy += (*outcomes)[i].result == -EBUSY ? 1 : 0;
      if (script[i].kind != kUpdate) continue;
      ++updates;
      written[script[i].key].insert(script[i].value);
    }
    const auto entries = map->entries();
    ASSERT_LE(entries.size(), kEntries) << "seed " << seed;
    ASSERT_EQ(map->count(), entries.size()) << "seed " << seed;
    std::set<std::uint32_t> keys;
    for (const auto& [key, value] : entries) {
      EXPECT_TRUE(keys.insert(key).second) << "seed " << seed << ": twice " << key;
      EXPECT_TRUE(written[key].contains(value)) << "seed " << seed;
    }
  }
  fmt::print("{} interleavings\n", seed - cases.first_seed());
  EXPECT_LT(busy, updates / 20);
}

}  // namespace
}  // namespace egpu
