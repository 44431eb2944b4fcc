#include "inject/handle_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace egpu::inject {
namespace {

const void* key(std::uintptr_t number) {
  return reinterpret_cast<const void*>(number * 64);  // NOLINT(performance-no-int-to-ptr)
}

TEST(HandleTable, AgreesWithAMap) {
  HandleTable<int> table;
  std::map<const void*, int*> expected;
  std::vector<int> values(1000);
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const void* handle = key(random() % 2000 + 1);
    if (random() % 3 == 0) {
      table.erase(handle);
      expected.erase(handle);
    } else {
      int* value = &values[random() % values.size()];
      ASSERT_TRUE(table.insert(handle, value));
      expected[handle] = value;
    }
    const void* other = key(random() % 2000 + 1);
    const auto found = expected.find(other);
    ASSERT_EQ(table.find(other), found != expected.end() ? found->second : nullptr);
  }
}

TEST(HandleTable, KnowsNothingWhenEmpty) {
  const HandleTable<int> table;
  EXPECT_EQ(table.find(key(1)), nullptr);
  EXPECT_EQ(table.find(nullptr), nullptr);
}

// Each key has one value it may have: a reader that mixes up two keys sees another's.
TEST(HandleTable, ReadersNeverSeeAnotherKeysValue) {
  constexpr std::uintptr_t kKeys = 512;
  HandleTable<std::uintptr_t> table;
  std::vector<std::uintptr_t> values(kKeys + 1);
  for (std::uintptr_t i = 1; i <= kKeys; ++i) values[i] = i;
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  readers.reserve(2);
  for (unsigned seed = 0; seed < 2; ++seed)
    readers.emplace_back([&, seed] {
      std::mt19937 random(seed);
      while (!stop.load(std::memory_order_relaxed)) {
        const std::uintptr_t number = random() % kKeys + 1;
        const std::uintptr_t* value = table.find(key(number));
        if (value != nullptr && *value != number) ++wrong;
      }
    });
  std::mt19937 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const std::uintptr_t number = random() % kKeys + 1;
    if (random() % 2 == 0)
      table.insert(key(number), &values[number]);
    else
      table.erase(key(number));
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace egpu::inject
