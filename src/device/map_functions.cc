#include "device/map_functions.h"

// Addresses alone are of interest here: generated code calls them.
#define EGPU_MAP_FUNCTIONS(FUNCTION)     \
  FUNCTION(egpu_array_update)            \
  FUNCTION(egpu_percpu_array_update)     \
  FUNCTION(egpu_perf_event_array_output) \
  FUNCTION(egpu_ringbuf_reserve)         \
  FUNCTION(egpu_ringbuf_submit)          \
  FUNCTION(egpu_ringbuf_discard)         \
  FUNCTION(egpu_ringbuf_output)          \
  FUNCTION(egpu_ringbuf_query)           \
  FUNCTION(egpu_queue_push)              \
  FUNCTION(egpu_queue_pop)               \
  FUNCTION(egpu_queue_peek)              \
  FUNCTION(egpu_stack_push)              \
  FUNCTION(egpu_stack_pop)               \
  FUNCTION(egpu_stack_peek)              \
  FUNCTION(egpu_hash_lookup)             \
  FUNCTION(egpu_hash_update)             \
  FUNCTION(egpu_hash_delete)             \
  FUNCTION(egpu_hash_visit)              \
  FUNCTION(egpu_percpu_hash_lookup)      \
  FUNCTION(egpu_percpu_hash_update)      \
  FUNCTION(egpu_percpu_hash_delete)      \
  FUNCTION(egpu_percpu_hash_visit)       \
  FUNCTION(egpu_lru_hash_lookup)         \
  FUNCTION(egpu_lru_hash_update)         \
  FUNCTION(egpu_lru_hash_delete)         \
  FUNCTION(egpu_lru_hash_visit)

#define DECLARE(name) extern "C" void name();
EGPU_MAP_FUNCTIONS(DECLARE)
#undef DECLARE

namespace egpu::device {

std::span<const MapFunction> map_functions() {
#define ENTRY(name) {#name, reinterpret_cast<const void*>(&(name))},
  static const MapFunction functions[] = {EGPU_MAP_FUNCTIONS(ENTRY)};
#undef ENTRY
  return functions;
}

}  // namespace egpu::device
