// Handles of the driver to what the library knows about them. Look-ups are wait-free and take a few
// nanoseconds: each launch does one. Changes are made by one thread at a time.
//
// Open addressing. A slot's key never becomes empty again, so a probe sequence stays whole for
// readers; an erased slot (value null) is given to a new key, key first, then value. A reader that
// saw the old key and the new value notices at its second look at the key. A table that fills up is
// replaced; readers may still be in the old one, which therefore stays (all old ones together are
// smaller than the current one).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace egpu::inject {

template <class Value>
class HandleTable {
 public:
  [[nodiscard]] Value* find(const void* key) const {
    const Table* table = table_.load(std::memory_order_acquire);
    if (table == nullptr || key == nullptr) return nullptr;
    for (std::size_t i = hash(key) & table->mask;; i = (i + 1) & table->mask) {
      const Slot& slot = table->slot(i);
      const void* found = slot.key.load(std::memory_order_acquire);
      if (found == nullptr) return nullptr;
      if (found != key) continue;
      Value* value = slot.value.load(std::memory_order_acquire);
      if (slot.key.load(std::memory_order_relaxed) == key) return value;
    }
  }

  // Replaces the value of a known key. False: out of memory.
  bool insert(const void* key, Value* value) {
    if (!make_room()) return false;
    put(*table_.load(std::memory_order_relaxed), key, value);
    return true;
  }

  void erase(const void* key) {
    Table* table = table_.load(std::memory_order_relaxed);
    if (table == nullptr || key == nullptr) return;
    Slot& slot = table->slot(position(*table, key));
    if (slot.key.load(std::memory_order_relaxed) == key)
      slot.value.store(nullptr, std::memory_order_release);
  }

 private:
  static constexpr std::size_t kFirstCapacity = 256;
  struct Slot {
    std::atomic<const void*> key;
    std::atomic<Value*> value;
  };
  struct Table {
    std::size_t mask;
    std::size_t used;  // slots that ever had a key
    // They follow in memory.
    Slot& slot(std::size_t i) { return reinterpret_cast<Slot*>(this + 1)[i]; }
    const Slot& slot(std::size_t i) const { return reinterpret_cast<const Slot*>(this + 1)[i]; }
  };

  // Handles are addresses: their low bits are equal, their middle bits differ (Fibonacci hashing).
  static std::size_t hash(const void* key) {
    return (reinterpret_cast<std::uintptr_t>(key) * 0x9E3779B97F4A7C15ull) >> 32;
  }

  // The key's slot, or the empty one that ends its probe sequence.
  static std::size_t position(const Table& table, const void* key) {
    std::size_t i = hash(key) & table.mask;
    while (true) {
      const void* found = table.slot(i).key.load(std::memory_order_relaxed);
      if (found == nullptr || found == key) return i;
      i = (i + 1) & table.mask;
    }
  }

  static void put(Table& table, const void* key, Value* value) {
    std::size_t i = position(table, key);
    if (table.slot(i).key.load(std::memory_order_relaxed) == nullptr) {
      const std::size_t end = i;
      // An erased slot earlier in the sequence serves as well and keeps the table from filling up.
      for (i = hash(key) & table.mask; i != end; i = (i + 1) & table.mask)
        if (table.slot(i).value.load(std::memory_order_relaxed) == nullptr) break;
      if (i == end) ++table.used;
    }
    table.slot(i).key.store(key, std::memory_order_release);
    table.slot(i).value.store(value, std::memory_order_release);
  }

  bool make_room() {
    Table* old = table_.load(std::memory_order_relaxed);
    if (old != nullptr && old->used <= old->mask / 2) return true;
    const std::size_t capacity = old == nullptr ? kFirstCapacity : 2 * (old->mask + 1);
    auto* table = static_cast<Table*>(std::calloc(1, sizeof(Table) + capacity * sizeof(Slot)));
    if (table == nullptr) return false;
    table->mask = capacity - 1;
    for (std::size_t i = 0; old != nullptr && i <= old->mask; ++i) {
      Value* value = old->slot(i).value.load(std::memory_order_relaxed);
      if (value != nullptr) put(*table, old->slot(i).key.load(std::memory_order_relaxed), value);
    }
    table_.store(table, std::memory_order_release);
    return true;
  }

  std::atomic<Table*> table_{nullptr};
};

}  // namespace egpu::inject
