// Functions by name: cuGetProcAddress.
#include <string>
#include <string_view>

#include "emu/driver/api.h"
#include "emu/driver/identity.h"
#include "emu/driver/state.h"

namespace egpu::emu::driver {
namespace {

struct Entry {
  std::string_view name;
  int since;
  void* function;
  void* per_thread;  // null: the function has no such form
};

// The form that a program compiled against a CUDA version gets is the newest that is not newer.
const Entry kEntries[] = {
#define EGPU_ENTRY(name, suffix, since, body, parameters) \
  {#name, since, reinterpret_cast<void*>(&api::name##suffix), nullptr},
#define EGPU_ENTRY_P(name, suffix, since, body, per_thread, parameters) \
  {#name, since, reinterpret_cast<void*>(&api::name##suffix),           \
   reinterpret_cast<void*>(&api::name##suffix##per_thread)},
    EGPU_EMULATED_FUNCTIONS(EGPU_ENTRY, EGPU_ENTRY_P)
#undef EGPU_ENTRY
#undef EGPU_ENTRY_P
    // From CUDA 12 on, the name means this.
    {"cuGraphInstantiate", 12000, reinterpret_cast<void*>(&api::cuGraphInstantiateWithFlags),
     nullptr},
};

struct Found {
  const Entry* entry = nullptr;
  bool known = false;  // in some version
};

Found find(std::string_view name, int version) {
  Found found;
  for (const Entry& entry : kEntries) {
    if (entry.name != name) continue;
    found.known = true;
    if (entry.since > version) continue;
    if (found.entry == nullptr || entry.since >= found.entry->since) found.entry = &entry;
  }
  return found;
}

}  // namespace

Status get_proc_address(const char* name, void** function, int version, std::uint64_t flags) {
  int result = 0;
  return get_proc_address_v2(name, function, version, flags, &result);
}

// Works before cuInit, as the driver's does.
Status get_proc_address_v2(const char* name, void** function, int version, std::uint64_t flags,
                           int* result) {
  constexpr std::uint64_t kBoth =
      cuda::kProcAddressLegacyStream | cuda::kProcAddressPerThreadStream;
  if (name == nullptr || function == nullptr || (flags & ~kBoth) != 0 || flags == kBoth)
    return cuda::kInvalidValue;
  *function = nullptr;
  const Found found = find(name, version);
  if (found.entry != nullptr) {
    const bool per_thread = (flags & cuda::kProcAddressPerThreadStream) != 0;
    *function = per_thread && found.entry->per_thread != nullptr ? found.entry->per_thread
                                                                 : found.entry->function;
    if (result != nullptr) *result = cuda::kProcAddressSuccess;
    return cuda::kSuccess;
  }
  if (result != nullptr)
    *result = found.known ? cuda::kProcAddressVersionNotSufficient : cuda::kProcAddressNotFound;
  return cuda::kNotFound;
}

// The driver's private tables, which a CUDA runtime that is linked statically asks for: there are
// none here, and no header says what is in them.
Status get_export_table(const void** table, const cuda::Uuid* id) {
  if (table == nullptr || id == nullptr) return cuda::kInvalidValue;
  *table = nullptr;
  say("the driver's private table " + uuid_text(id->bytes) +
      " is not there: link the program with the shared CUDA runtime (nvcc -cudart shared)");
  return cuda::kNotFound;
}

}  // namespace egpu::emu::driver
