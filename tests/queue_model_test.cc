// Queues and stacks in the executor, under schedules that look for races.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <random>
#include <set>

#include "random_cases.h"
#include "scripted_map.h"

namespace egpu {
namespace {

using enum OperationKind;
using bpf::MapType;
using testing::ElementsAre;
using testing::Pair;

class QueueModel : public testing::TestWithParam<MapType> {
 protected:
  void SetUp() override {
    auto loaded =
        ScriptedMap::load({.program = "operations_queue", .type = GetParam(), .max_entries = 4});
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    map = *std::move(loaded);
  }

  // Of one thread.
  std::vector<OperationOutcome> run(const std::vector<Operation>& script) {
    auto outcomes = map->run({}, script);
    EXPECT_TRUE(outcomes) << to_string(outcomes.error());
    return outcomes ? *std::move(outcomes) : std::vector<OperationOutcome>(3);
  }

  std::unique_ptr<ScriptedMap> map;
};

TEST_P(QueueModel, GivesTheOldestOrTheNewest) {
  const bool is_queue = GetParam() == MapType::kQueue;
  auto got = run({{.kind = kPop}, {.kind = kPush, .value = 1}, {.kind = kPush, .value = 2}});
  EXPECT_EQ(got[0].result, -ENOENT);
  EXPECT_EQ(got[0].value, 0U);
  got = run({{.kind = kPeek}, {.kind = kPop}, {.kind = kPush, .value = 3}});
  EXPECT_EQ(got[0].value, is_queue ? 1U : 2U);
  EXPECT_EQ(got[1].value, is_queue ? 1U : 2U);
  EXPECT_THAT(map->entries(), ElementsAre(Pair(0, is_queue ? 2U : 1U), Pair(1, 3U)));
}

TEST_P(QueueModel, AFullOneRefusesOrDropsTheOldest) {
  run({{.kind = kPush, .value = 1}, {.kind = kPush, .value = 2}, {.kind = kPush, .value = 3}});
  const auto got = run(
      {{.kind = kPush, .value = 4}, {.kind = kPush, .value = 5}, {.kind = kPushOver, .value = 6}});
  EXPECT_EQ(got[0].result, 0);
  EXPECT_EQ(got[1].result, -E2BIG);
  EXPECT_EQ(got[2].result, 0);
  EXPECT_EQ(map->refusals().full, 1U);
  EXPECT_THAT(map->entries(), ElementsAre(Pair(0, 2U), Pair(1, 3U), Pair(2, 4U), Pair(3, 6U)));
}

// Every value that was pushed is popped or left, once; a queue keeps the order of pushes that came
// one after the other.
TEST_P(QueueModel, LosesAndDoublesNothing) {
  const RandomCases cases(1500);
  std::uint64_t seed = cases.first_seed();
  std::uint64_t popped = 0;
  for (std::uint64_t done = 0; !cases.enough(done); ++done, ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::vector<Operation> script(18);
    std::uint64_t value = 0;
    for (Operation& operation : script)
      operation = {.kind = random() % 2 == 0 ? kPush : kPop, .value = ++value};
    map->clear();
    const auto outcomes = map->run({.warps = 3, .seed = seed}, script);
    ASSERT_TRUE(outcomes) << "seed " << seed << ": " << to_string(outcomes.error());
    std::map<std::uint64_t, OperationOutcome> pushes;
    std::map<std::uint64_t, OperationOutcome> pops;
    std::uint64_t full = 0;
    for (std::size_t i = 0; i < script.size(); ++i) {
      const OperationOutcome& outcome = (*outcomes)[i];
      full += outcome.result == -E2BIG ? 1 : 0;
      if (outcome.result != 0) continue;
      if (script[i].kind == kPush)
        pushes[script[i].value] = outcome;
      else
        ASSERT_TRUE(pops.emplace(outcome.value, outcome).second) << "seed " << seed;
    }
    ASSERT_EQ(map->refusals().full, full) << "seed " << seed;
    std::set<std::uint64_t> gone;
    for (const auto& [taken, outcome] : pops) gone.insert(taken);
    for (const auto& [number, left] : map->entries())
      ASSERT_TRUE(gone.insert(left).second) << "seed " << seed;
    std::set<std::uint64_t> came;
    for (const auto& [pushed, outcome] : pushes) came.insert(pushed);
    ASSERT_EQ(gone, came) << "seed " << seed;
    popped += pops.size();
    if (GetParam() != MapType::kQueue) continue;
    for (const auto& [a, pop_a] : pops)
      for (const auto& [b, pop_b] : pops)
        ASSERT_TRUE(pushes[a].end >= pushes[b].begin || pop_a.begin < pop_b.end) << "seed " << seed;
  }
  fmt::print("{} interleavings\n", seed - cases.first_seed());
  EXPECT_GT(popped, 0U);
}

INSTANTIATE_TEST_SUITE_P(Maps, QueueModel, testing::Values(MapType::kQueue, MapType::kStack),
                         [](const auto& one) {
                           return one.param == MapType::kQueue ? "Queue" : "Stack";
                         });

}  // namespace
}  // namespace egpu
