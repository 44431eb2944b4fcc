// The map functions of the runtime (map.h) as functions of this program, for generated code that
// runs on the host.
#pragma once

#include <span>

namespace egpu::device {

struct MapFunction {
  const char* name;
  const void* address;
};

std::span<const MapFunction> map_functions();

}  // namespace egpu::device
