#include "inject/chained_injection.h"

#include <dlfcn.h>

#include "inject/report.h"

namespace egpu::inject {

void run_chained_injection(const char* path) {
  if (path == nullptr) return;
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    report("the previous injection library %s does not load: %s", path, ::dlerror());
    return;
  }
  using Initialize = int (*)();
  const auto initialize = reinterpret_cast<Initialize>(::dlsym(library, "InitializeInjection"));
  if (initialize == nullptr) {
    report("the previous injection library %s has no InitializeInjection", path);
    return;
  }
  initialize();
}

}  // namespace egpu::inject
