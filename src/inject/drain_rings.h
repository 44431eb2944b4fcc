// Copies the records of ring buffers out of the device and into the stream to the service
// (abi/ring_stream.h).
#pragma once

#include "abi/ring_drain.h"
#include "abi/ring_stream.h"
#include "cuda/driver_types.h"
#include "inject/drain_pace.h"
#include "inject/shared_memory.h"

namespace egpu::inject {

struct Instance;

// What an instance remembers about its rings between drains. Never freed, as the instance.
struct RingReading {
  struct Ring {
    std::uint32_t map;
    std::uint32_t shard;
    cuda::DevicePointer header;
    cuda::DevicePointer data;
    abi::RingDrain drain;
  };
  struct Opening {
    cuda::DevicePointer cursor;
    std::uint64_t value;
  };

  Ring* rings;
  std::uint32_t count;
  // Memory that the device copies from and to, for the three below.
  Mapping shared;
  abi::RingHeader* before;  // copies of all headers, one after the other
  abi::RingHeader* after;
  Opening* openings;  // kRingSegments for each ring
  std::uint32_t opening_count;
  std::uint32_t next;     // the ring that is read first in the next round
  std::uint64_t written;  // to the stream, published or not
  bool copying;           // ranges are on their way to the stream
  bool blocked;           // the stream had no room in the last round
  bool damaged;
  bool pinned;
};

// Sets Instance::rings where there are ring buffers. False: no memory. In the instance's context.
bool prepare_rings(Instance& instance);

// After the last copy, while the instance's context lives: its memory may go then.
void release_rings(Instance& instance);

// One round: whatever is whole now. `state`: gets what it met, beside what others did. On failure
// nothing is lost: what was on its way is published when it has arrived.
cuda::Status drain_rings(Instance& instance, DrainState& state);

// Rounds until nothing is left, where nothing writes any more. Bounded, should the service not
// read: what is missing then is reported.
cuda::Status drain_rings_to_end(Instance& instance);

}  // namespace egpu::inject
