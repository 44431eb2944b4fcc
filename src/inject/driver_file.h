// The file that the loaded driver came from.
#pragma once

#include <cstdint>

namespace egpu::inject {

struct DriverFile {
  const char* path = nullptr;    // null: not found; lives as long as the driver is loaded
  std::uintptr_t load_bias = 0;  // address in memory minus virtual address in the file
};

// `function`: any function of the driver.
DriverFile find_driver_file(const void* function);

}  // namespace egpu::inject
