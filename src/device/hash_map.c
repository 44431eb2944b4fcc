// HASH, PERCPU_HASH and LRU_HASH: open addressing in one table of slots, at most half of them in
// use.
//
// Every slot is also the home of the keys that hash to it. A key lies in its home or behind it, in
// the first slot that was free when it came, and stays there: a value's address is good as long as
// the map. `home` of a slot says how far behind it its keys go (reach), so a look-up reads that
// many slots and is done, deleted slots are free at once, and no tombstone is ever needed.
//
// Look-ups take no lock. `meta` says in one word whether the slot is in use, by which key (all of a
// key of 4 bytes, 32 bits of hash of others) and which time (version). Longer keys are compared in
// the slot and count where meta is still the same afterwards: a slot that somebody else got
// meanwhile has another version.
//
// Who adds or deletes a key holds the lock in its home: no key comes twice. Slots behind are shared
// with keys of other homes, so each is claimed by a compare-and-swap of its meta; the value and the
// key are written, the reach is raised, and then the slot is shown. Lanes of one warp may want one
// lock: it is taken and given back within one round of the loop, which nobody leaves in between,
// and rounds are bounded. Who gets no lock in that time gives -EBUSY, which is counted.
//
// Memory order: a claim and a showing of meta are acquire and release, and so are lock and unlock.

#include "map.h"
#include "portable.h"

enum {
  kFree = 0,
  kClaimed = 1,
  kShown = kSlotShown,
  kStates = kSlotStates,  // mask of the above in meta; 30 bits of version follow, 32 of the key
  kOneVersion = 4,
  kEvictionScan = 128,  // slots that an LRU looks at before it takes any
};
#define VERSIONS 0xfffffffcu
#define LOCKED 0x80000000u  // in `home`; the rest is the reach

struct Table {
  u64 map;
  u32 key_size;
  u32 value_size;
  u32 max_entries;
  u32 shards;  // of the values
  u32 uses;
};

// What is taken out for others to come in is deleted.
#define TABLE(sharded, evicts)                                      \
  (struct Table) {                                                  \
    map, key_size, value_size, max_entries, (sharded) ? shards : 1, \
        uses | ((evicts) ? kMayDelete : 0)                          \
  }

static EGPU_INLINE int may_delete(struct Table table) { return (table.uses & kMayDelete) != 0; }

static EGPU_INLINE u64 slot_at(struct Table table, u32 index) {
  return table.map + kHashHeaderBytes + index * hash_slot_bytes(table.key_size);
}

static EGPU_INLINE u64 value_in(struct Table table, u32 shard, u32 index) {
  return table.map + hash_table_bytes(table.key_size, table.max_entries) +
         shard * hash_shard_bytes(table.value_size, table.max_entries) +
         index * value_stride(table.value_size);
}

// Of this SM, where each has its own.
static EGPU_INLINE u64 value_at(struct Table table, u32 index) {
  return value_in(table, egpu_own_shard(table.shards), index);
}

// The key is in meta, all of it.
static EGPU_INLINE int is_short(struct Table table) { return table.key_size <= kHashMetaKeyBytes; }

// 32 bits that stand for the key: the key itself where it has no more.
static EGPU_INLINE u32 tag_of(struct Table table, u64 key) {
  if (is_short(table)) return (u32)egpu_read_word(key, table.key_size);
  u64 hash = table.key_size;
  for (u32 at = 0; at < table.key_size; at += 8)
    hash = egpu_mix(hash ^ egpu_read_word(key + at, table.key_size - at));
  return (u32)hash;
}

static EGPU_INLINE u32 home_of(struct Table table, u32 tag) {
  u32 hash = is_short(table) ? egpu_mix_32(tag) : tag;
  return (u32)(hash * hash_slots(table.max_entries) >> 32);
}

static EGPU_INLINE u32 behind(struct Table table, u32 index, u32 distance) {
  u32 slots = hash_slots(table.max_entries);
  return index < slots - distance ? index + distance : index - (slots - distance);
}

static EGPU_INLINE int is_shown(u64 meta) { return (meta & kStates) == kShown; }

// How a look-up reads slots. An SM's cache may hold slots as they once were, and answers several
// times as fast.
enum Reading { kFresh, kCached };

static EGPU_INLINE int same_key(struct Table table, u64 slot, u64 key, enum Reading reading) {
  u64 difference = 0;
  int told = 1;
  for (u32 at = 0; at < table.key_size; at += 8) {
    u64 address = slot + kHashLongKeyOffset + at;
    u64 word = egpu_read_word(key + at, table.key_size - at);
    difference |=
        (reading == kCached ? egpu_load_cached_64(address) : egpu_load_acquire_64(address)) ^ word;
    // The zero may be older than the slot's meta: it says nothing.
    told &= reading == kFresh || word != 0;
  }
  return difference == 0 && told;
}

static EGPU_INLINE int holds_cached(struct Table table, u64 slot, u64 key, u32 tag) {
  u64 meta = egpu_load_cached_64(slot);
  // Both at once: neither waits for the other.
  int same = is_short(table) || same_key(table, slot, key, kCached);
  return same & is_shown(meta) & (meta >> 32 == tag);
}

static EGPU_INLINE int holds(struct Table table, u64 slot, u64 key, u32 tag, enum Reading reading) {
  if (reading == kCached) return holds_cached(table, slot, key, tag);
  u64 meta = egpu_load_acquire_64(slot);
  if (!is_shown(meta) || meta >> 32 != tag) return 0;
  if (is_short(table)) return 1;
  return same_key(table, slot, key, kFresh) &&
         (!may_delete(table) || egpu_load_relaxed_64(slot) == meta);
}

#define NOWHERE 0xffffffffu

// The index of the slot that holds the key, or NOWHERE.
static EGPU_INLINE u32 search(struct Table table, u64 key, u32 tag, enum Reading reading) {
  u32 home = home_of(table, tag);
  u64 slot = slot_at(table, home);
  if (holds(table, slot, key, tag, reading)) return home;
  u64 word = slot + kHashHomeOffset;
  u32 reach =
      (reading == kCached ? egpu_load_cached_32(word) : egpu_load_relaxed_32(word)) & ~LOCKED;
  for (u32 distance = 1; distance <= reach; ++distance) {
    u32 index = behind(table, home, distance);
    if (holds(table, slot_at(table, index), key, tag, reading)) return index;
  }
  return NOWHERE;
}

static EGPU_INLINE u32 find(struct Table table, u64 key, u32 tag) {
  return search(table, key, tag, kFresh);
}

// The same for programs that never delete keys of this map, nor load its values. A slot that once
// held the key then does so for good, however old the news; that there is none has to be fresh.
// What a program does to the value comes behind the branch that found the slot, so after the value
// was made, though nothing here is acquired: the GPU writes to no memory before it knows that it
// shall. A load might be answered by a cache that is older than the value.
static EGPU_INLINE u32 find_for_good(struct Table table, u64 key, u32 tag) {
  if (table.uses == 0) {
    u32 index = search(table, key, tag, kCached);
    if (index != NOWHERE) return index;
  }
  return find(table, key, tag);
}

// A home whose lock this thread holds, and its reach.
struct Home {
  u32 index;
  u32 reach;
};

static EGPU_INLINE int try_lock(struct Table table, struct Home* home) {
  u64 word = slot_at(table, home->index) + kHashHomeOffset;
  if (egpu_load_relaxed_32(word) & LOCKED) return 0;
  home->reach = egpu_fetch_or_32(word, LOCKED);
  return !(home->reach & LOCKED);
}

static EGPU_INLINE void unlock(struct Table table, struct Home home) {
  egpu_store_release_32(slot_at(table, home.index) + kHashHomeOffset, home.reach);
}

// Makes the slot free, whose key is one of this home, and draws the reach in.
static EGPU_INLINE void set_free(struct Table table, struct Home* home, u32 index) {
  u64 slot = slot_at(table, index);
  egpu_store_release_64(slot, egpu_load_relaxed_64(slot) & VERSIONS);
  for (; home->reach > 0; --home->reach) {
    u64 meta = egpu_load_relaxed_64(slot_at(table, behind(table, home->index, home->reach)));
    if (is_shown(meta) && home_of(table, (u32)(meta >> 32)) == home->index) break;
  }
}

// One of max_entries elements, for the caller to make.
static EGPU_INLINE int reserve(struct Table table) {
  u64 count = table.map + kHashCountOffset;
  if (egpu_load_relaxed_32(count) >= table.max_entries) return 0;
  if (egpu_fetch_add_32(count, 1) < table.max_entries) return 1;
  egpu_reduce_add_32(count, -1);
  return 0;
}

// Takes an element out that was not used for a while, if that can be had soon; the caller may make
// one in its place. A lock is tried, never waited for: the caller holds that of `own`.
static EGPU_INLINE int evict(struct Table table, struct Home* own) {
  for (u32 scanned = 0; scanned < 2 * kEvictionScan; ++scanned) {
    u32 index = egpu_fetch_add_32(table.map + kHashHandOffset, 1) % hash_slots(table.max_entries);
    u64 slot = slot_at(table, index);
    u64 meta = egpu_load_relaxed_64(slot);
    if (!is_shown(meta)) continue;
    if (scanned < kEvictionScan && egpu_load_relaxed_32(slot + kHashUsedOffset) != 0) {
      egpu_store_relaxed_32(slot + kHashUsedOffset, 0);
      continue;
    }
    struct Home home = {home_of(table, (u32)(meta >> 32)), 0};
    if (home.index == own->index) {
      set_free(table, own, index);
      return 1;
    }
    if (!try_lock(table, &home)) continue;
    int same = egpu_load_relaxed_64(slot) == meta;
    if (same) set_free(table, &home, index);
    unlock(table, home);
    if (same) return 1;
  }
  return 0;
}

// The distance from the home of a slot that now is the caller's to fill, or NOWHERE.
static EGPU_INLINE u32 claim(struct Table table, u32 home) {
  u32 slots = hash_slots(table.max_entries);
  u32 limit = slots < kHashMaxReach ? slots : kHashMaxReach;
  for (u32 distance = 0; distance < limit; ++distance) {
    u64 slot = slot_at(table, behind(table, home, distance));
    u64 meta = egpu_load_relaxed_64(slot);
    if ((meta & kStates) != kFree) continue;
    u64 claimed = ((meta + kOneVersion) & VERSIONS) | kClaimed;
    if (egpu_compare_exchange_64(slot, meta, claimed) == meta) return distance;
  }
  return NOWHERE;
}

// On other SMs the value of a new element is zero, whatever the slot held before.
static EGPU_INLINE void store_new_value(struct Table table, u32 index, u64 value) {
  for (u32 shard = 0; shard < table.shards; ++shard)
    if (shard != egpu_own_shard(table.shards))
      egpu_store_zeros(value_in(table, shard, index), value_stride(table.value_size));
  egpu_store_value(value_at(table, index), value, table.value_size);
}

static EGPU_INLINE void fill(struct Table table, u32 index, u64 key, u32 tag, u64 value) {
  u64 slot = slot_at(table, index);
  // Who compares the key sees that the slot was claimed before it sees the new key.
  egpu_fence();
  for (u32 at = 0; at < table.key_size && !is_short(table); at += 8)
    egpu_store_relaxed_64(slot + kHashLongKeyOffset + at,
                          egpu_read_word(key + at, table.key_size - at));
  egpu_store_relaxed_32(slot + kHashUsedOffset, 1);
  store_new_value(table, index, value);
}

// Adds a key that is not there. The caller holds the lock of its home.
static EGPU_INLINE int add(struct Table table, struct Home* home, u64 key, u32 tag, u64 value,
                           int evicts) {
  if (!reserve(table) && !(evicts && evict(table, home))) return evicts ? kBusy : kTooBig;
  u32 distance = claim(table, home->index);
  if (distance == NOWHERE) {
    egpu_reduce_add_32(table.map + kHashCountOffset, -1);
    return kTooBig;
  }
  u32 index = behind(table, home->index, distance);
  u64 slot = slot_at(table, index);
  fill(table, index, key, tag, value);
  if (distance > home->reach) {
    home->reach = distance;
    egpu_store_relaxed_32(slot_at(table, home->index) + kHashHomeOffset, LOCKED | distance);
  }
  u64 version = egpu_load_relaxed_64(slot) & VERSIONS;
  egpu_store_release_64(slot, (u64)tag << 32 | version | kShown);
  return 0;
}

static EGPU_INLINE int check_flags(u64 flags, u32 index) {
  if (index != NOWHERE && flags == kNoExist) return kExists;
  return index == NOWHERE && flags == kExist ? kNoEntry : 0;
}

static EGPU_INLINE int update_locked(struct Table table, struct Home* home, u64 key, u32 tag,
                                     u64 value, u64 flags, int evicts) {
  u32 index = find(table, key, tag);
  int error = check_flags(flags, index);
  if (error != 0) return error;
  if (index == NOWHERE) return add(table, home, key, tag, value, evicts);
  egpu_store_value(value_at(table, index), value, table.value_size);
  return 0;
}

static EGPU_INLINE void count_error(struct Table table, int error) {
  if (error == kTooBig) egpu_reduce_add_64(table.map + kHashOverflowOffset, 1);
  if (error == kBusy) egpu_reduce_add_64(table.map + kHashBusyOffset, 1);
}

static EGPU_INLINE u64 update(struct Table table, u64 key, u64 value, u64 flags, int evicts) {
  if (flags > kExist || table.map == 0) return egpu_error(kBadArgument);
  u32 tag = tag_of(table, key);
  struct Home home = {home_of(table, tag), 0};
  int error = kBusy;
  u32 attempt = 0;
  u32 done = 0;
  do {
    u32 index = find(table, key, tag);
    int refused = check_flags(flags, index);
    if (refused != 0) {
      error = refused;
      done = 1;
    } else if (index != NOWHERE && !may_delete(table)) {
      // It stays where it is.
      egpu_store_value(value_at(table, index), value, table.value_size);
      error = 0;
      done = 1;
    } else if (try_lock(table, &home)) {
      error = update_locked(table, &home, key, tag, value, flags, evicts);
      unlock(table, home);
      done = 1;
    } else {
      egpu_back_off(attempt);
    }
    done = egpu_end_of_round(done);
  } while (!done && ++attempt < kAttempts);
  count_error(table, error);
  return egpu_error(error);
}

static EGPU_INLINE u64 delete(struct Table table, u64 key) {
  if (table.map == 0) return egpu_error(kNoEntry);
  u32 tag = tag_of(table, key);
  struct Home home = {home_of(table, tag), 0};
  int error = kBusy;
  u32 attempt = 0;
  u32 done = 0;
  do {
    if (find(table, key, tag) == NOWHERE) {
      error = kNoEntry;
      done = 1;
    } else if (try_lock(table, &home)) {
      u32 index = find(table, key, tag);
      error = index == NOWHERE ? kNoEntry : 0;
      if (index != NOWHERE) {
        set_free(table, &home, index);
        egpu_reduce_add_32(table.map + kHashCountOffset, -1);
      }
      unlock(table, home);
      done = 1;
    } else {
      egpu_back_off(attempt);
    }
    done = egpu_end_of_round(done);
  } while (!done && ++attempt < kAttempts);
  count_error(table, error);
  return egpu_error(error);
}

static EGPU_INLINE u64 lookup(struct Table table, u64 key, int evicts) {
  if (table.map == 0) return 0;
  u32 index = find_for_good(table, key, tag_of(table, key));
  if (index == NOWHERE) return 0;
  u64 used = slot_at(table, index) + kHashUsedOffset;
  if (evicts && egpu_load_relaxed_32(used) == 0) egpu_store_relaxed_32(used, 1);
  return value_at(table, index);
}

// For bpf_for_each_map_elem: copies the key in slot `index`, which exists, to `key` (program memory
// of whole words) and gives the value's address; 0 where the slot holds none, or changes right now.
static EGPU_INLINE u64 visit(struct Table table, u32 index, u64 key) {
  u64 slot = slot_at(table, index);
  u64 meta = egpu_load_acquire_64(slot);
  if (!is_shown(meta)) return 0;
  for (u32 at = 0; at < table.key_size; at += 8) {
    u64 word = is_short(table) ? meta >> 32 : egpu_load_acquire_64(slot + kHashLongKeyOffset + at);
    __builtin_memcpy((void*)(key + at), &word, 8);
  }
  if (may_delete(table) && egpu_load_relaxed_64(slot) != meta) return 0;
  return value_at(table, index);
}

#define DEFINE_TYPE(type, sharded, evicts)                                                    \
  EGPU_RUNTIME u64 egpu_##type##_lookup(u64 map, u64 key, EGPU_SHAPE) {                       \
    return lookup(TABLE(sharded, evicts), key, evicts);                                       \
  }                                                                                           \
  EGPU_RUNTIME u64 egpu_##type##_update(u64 map, u64 key, u64 value, u64 flags, EGPU_SHAPE) { \
    return update(TABLE(sharded, evicts), key, value, flags, evicts);                         \
  }                                                                                           \
  EGPU_RUNTIME u64 egpu_##type##_delete(u64 map, u64 key, EGPU_SHAPE) {                       \
    return delete(TABLE(sharded, evicts), key);                                               \
  }                                                                                           \
  EGPU_RUNTIME u64 egpu_##type##_visit(u64 map, u64 index, u64 key, EGPU_SHAPE) {             \
    return visit(TABLE(sharded, evicts), (u32)index, key);                                    \
  }

DEFINE_TYPE(hash, 0, 0)
DEFINE_TYPE(percpu_hash, 1, 0)
DEFINE_TYPE(lru_hash, 0, 1)

// For reads by the host (hash_home.h).
EGPU_RUNTIME u64 egpu_hash_home(u64 key, u32 key_size, u32 max_entries) {
  struct Table table = {.key_size = key_size, .max_entries = max_entries};
  return home_of(table, tag_of(table, key));
}
