// QUEUE and STACK: a ring of max_entries values under one lock. `end` counts the values that were
// ever pushed and are not taken back by a stack's pop, `first` says which of them is the oldest
// that is still there; number n lies in place n % max_entries. A queue gives the oldest, a stack
// the newest.
//
// Who wants the lock tries for some milliseconds and then gives up with -EBUSY, which is counted.
// It is taken and given back within one round of a loop, as in hash_map.c.

#include "map.h"

struct Queue {
  u64 map;
  u32 value_size;
  u32 max_entries;
};

static inline u64 place_of(struct Queue queue, u64 number) {
  return queue.map + kQueueHeaderBytes +
         number % queue.max_entries * value_stride(queue.value_size);
}

static inline int push_locked(struct Queue queue, u64 value, u64 flags) {
  u64 first = egpu_load_relaxed_64(queue.map + kQueueFirstOffset);
  u64 end = egpu_load_relaxed_64(queue.map + kQueueEndOffset);
  if (end - first == queue.max_entries) {
    if (flags != kExist) return kTooBig;
    egpu_store_relaxed_64(queue.map + kQueueFirstOffset, first + 1);
  }
  egpu_store_value(place_of(queue, end), value, queue.value_size);
  egpu_store_relaxed_64(queue.map + kQueueEndOffset, end + 1);
  return 0;
}

static inline int take_locked(struct Queue queue, u64 value, int newest, int removes) {
  u64 first = egpu_load_relaxed_64(queue.map + kQueueFirstOffset);
  u64 end = egpu_load_relaxed_64(queue.map + kQueueEndOffset);
  if (end == first) return kNoEntry;
  egpu_read_value(value, place_of(queue, newest ? end - 1 : first), queue.value_size);
  if (removes && newest) egpu_store_relaxed_64(queue.map + kQueueEndOffset, end - 1);
  if (removes && !newest) egpu_store_relaxed_64(queue.map + kQueueFirstOffset, first + 1);
  return 0;
}

enum Action { kPush, kPop, kPeek };

// `value`: read by a push, otherwise written, with zeros where there is nothing to give.
static inline u64 operate(struct Queue queue, enum Action action, u64 value, u64 flags,
                          int newest) {
  if (action != kPush) egpu_clear_program_memory(value, queue.value_size);
  if (queue.map == 0 || flags & ~(u64)kExist) return egpu_error(kBadArgument);
  u64 lock = queue.map + kQueueLockOffset;
  int error = kBusy;
  u32 attempt = 0;
  u32 done = 0;
  do {
    if (egpu_load_relaxed_32(lock) == 0 && egpu_fetch_or_32(lock, 1) == 0) {
      error = action == kPush ? push_locked(queue, value, flags)
                              : take_locked(queue, value, newest, action == kPop);
      egpu_store_release_32(lock, 0);
      done = 1;
    } else {
      egpu_back_off(attempt);
    }
    done = egpu_end_of_round(done);
  } while (!done && ++attempt < kAttempts);
  if (error == kTooBig) egpu_reduce_add_64(queue.map + kQueueOverflowOffset, 1);
  if (error == kBusy) egpu_reduce_add_64(queue.map + kQueueBusyOffset, 1);
  return egpu_error(error);
}

#define DEFINE_TYPE(type, newest)                                                  \
  EGPU_RUNTIME u64 egpu_##type##_push(u64 map, u64 value, u64 flags, EGPU_SHAPE) { \
    struct Queue queue = {map, value_size, max_entries};                           \
    return operate(queue, kPush, value, flags, newest);                            \
  }                                                                                \
  EGPU_RUNTIME u64 egpu_##type##_pop(u64 map, u64 value, EGPU_SHAPE) {             \
    struct Queue queue = {map, value_size, max_entries};                           \
    return operate(queue, kPop, value, 0, newest);                                 \
  }                                                                                \
  EGPU_RUNTIME u64 egpu_##type##_peek(u64 map, u64 value, EGPU_SHAPE) {            \
    struct Queue queue = {map, value_size, max_entries};                           \
    return operate(queue, kPeek, value, 0, newest);                                \
  }

DEFINE_TYPE(queue, 0)
DEFINE_TYPE(stack, 1)
