#include "inject/driver_file.h"

#include <link.h>

namespace egpu::inject {
namespace {

struct Search {
  std::uintptr_t address;
  DriverFile found;
};

int visit(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const std::uintptr_t start = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || search.address < start ||
        search.address - start >= segment.p_memsz)
      continue;
    search.found = {.path = object->dlpi_name, .load_bias = object->dlpi_addr};
    return 1;
  }
  return 0;
}

}  // namespace

DriverFile find_driver_file(const void* function) {
  Search search{.address = reinterpret_cast<std::uintptr_t>(function), .found = {}};
  ::dl_iterate_phdr(visit, &search);
  return search.found;
}

}  // namespace egpu::inject
