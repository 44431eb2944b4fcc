#include "cuda/driver_table.h"

#include <dlfcn.h>

namespace egpu::cuda {
namespace {

// dlsym gives an object pointer; POSIX makes its conversion to a function pointer defined.
template <class Member>
bool resolve(void* driver, const char* name, Member& member) {
  member = reinterpret_cast<Member>(::dlsym(driver, name));
  return member != nullptr;
}

}  // namespace

const char* load_driver_table(DriverTable& table) {
  constexpr const char* kDriver = "libcuda.so.1";
  void* driver = ::dlopen(kDriver, RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return kDriver;
  const char* missing = nullptr;
#define EGPU_RESOLVE(member, name, ...) \
  if (!resolve(driver, name, table.member) && missing == nullptr) missing = name;
  EGPU_CALLED_FUNCTIONS(EGPU_RESOLVE)
#undef EGPU_RESOLVE
#define EGPU_RESOLVE(member, name, ...) resolve(driver, name, table.member);
  EGPU_OPTIONAL_FUNCTIONS(EGPU_RESOLVE)
  EGPU_HOOKED_FUNCTIONS(EGPU_RESOLVE)
#undef EGPU_RESOLVE
  // Drops only the reference that RTLD_NOLOAD took: the program keeps the driver loaded.
  ::dlclose(driver);
  return missing;
}

}  // namespace egpu::cuda
