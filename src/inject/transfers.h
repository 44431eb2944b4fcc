// Copies between the maps of an instance and a lane's memory, as the service asks
// (abi/map_request.h).
#pragma once

#include "abi/map_request.h"
#include "inject/instances.h"

namespace egpu::inject {

// A lane's memory in the instance's area.
char* lane_memory(const Instance& instance, abi::Lane lane);

// Whether every piece lies inside of the maps and of the lane's memory.
bool can_transfer(const Instance& instance, const abi::MapRequest& request);

// Puts the transfers into the instance's stream, in their order; its context is current.
cuda::Status start_transfers(const Instance& instance, const abi::MapRequest& request);

}  // namespace egpu::inject
