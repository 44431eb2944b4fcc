#include "emu/runtime/registry.h"

#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emu/runtime/call.h"

namespace egpu::emu::runtime {

struct Function {
  FatBinary* binary;
  std::string name;
  cuda::Kernel kernel = nullptr;  // once it was asked for
};

struct Variable {
  FatBinary* binary;
  std::string name;
  std::size_t bytes;
};

struct ManagedVariable {
  void** host;
  std::string name;
};

class FatBinary {
 public:
  explicit FatBinary(const void* image) : wrapper(image) {}

  const void* const wrapper;
  std::vector<ManagedVariable> managed;
  cuda::Library library = nullptr;
  Error error = kSuccess;  // of the attempt to load it
};

namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, Function> functions;  // by address of the host function
  std::unordered_map<const void*, Variable> variables;  // by address of the host variable
  std::unordered_set<const void*> kernels;              // handles that were given out
};

// Never destroyed: programs unregister from their own last destructors.
Registry& registry() {
  static auto& state = *new Registry;
  return state;
}

Error tell_managed_variables(const FatBinary& binary) {
  for (const ManagedVariable& variable : binary.managed) {
    std::size_t bytes = 0;
    EGPU_CHECK(cuLibraryGetManaged(address_out(variable.host), &bytes, binary.library,
                                   variable.name.c_str()));
  }
  return kSuccess;
}

// With the registry's mutex held.
Error load_locked(FatBinary& binary) {
  if (binary.library != nullptr || binary.error != kSuccess) return binary.error;
  binary.error =
      cuLibraryLoadData(&binary.library, binary.wrapper, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (binary.error == kSuccess) binary.error = tell_managed_variables(binary);
  return binary.error;
}

}  // namespace

FatBinary* add_fat_binary(const void* wrapper) { return new FatBinary(wrapper); }

void remove_fat_binary(FatBinary* binary) {
  Registry& state = registry();
  const std::lock_guard lock(state.mutex);
  std::erase_if(state.functions, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(state.variables, [&](const auto& entry) { return entry.second.binary == binary; });
  if (binary->library != nullptr) cuLibraryUnload(binary->library);
  delete binary;
}

void add_function(FatBinary* binary, const void* host, std::string name) {
  Registry& state = registry();
  const std::lock_guard lock(state.mutex);
  state.functions.insert_or_assign(host, Function{.binary = binary, .name = std::move(name)});
}

void add_variable(FatBinary* binary, const void* host, std::string name, std::size_t bytes) {
  Registry& state = registry();
  const std::lock_guard lock(state.mutex);
  state.variables.insert_or_assign(
      host, Variable{.binary = binary, .name = std::move(name), .bytes = bytes});
}

void add_managed_variable(FatBinary* binary, void** host, std::string name) {
  const std::lock_guard lock(registry().mutex);
  binary->managed.push_back({.host = host, .name = std::move(name)});
}

Error load(FatBinary* binary) {
  const std::lock_guard lock(registry().mutex);
  return load_locked(*binary);
}

Error find_kernel(const void* function, cuda::Kernel& kernel) {
  Registry& state = registry();
  const std::lock_guard lock(state.mutex);
  const auto found = state.functions.find(function);
  if (found == state.functions.end()) {
    if (!state.kernels.contains(function)) return kInvalidDeviceFunction;
    kernel = static_cast<cuda::Kernel>(const_cast<void*>(function));
    return kSuccess;
  }
  Function& known = found->second;
  if (known.kernel == nullptr) {
    EGPU_CHECK(load_locked(*known.binary));
    const Error error =
        cuLibraryGetKernel(&known.kernel, known.binary->library, known.name.c_str());
    if (error != kSuccess) return error == cuda::kNotFound ? kInvalidDeviceFunction : error;
    state.kernels.insert(known.kernel);
  }
  kernel = known.kernel;
  return kSuccess;
}

Error find_function(const void* function, cuda::Function& result) {
  cuda::Kernel kernel = nullptr;
  EGPU_CHECK(find_kernel(function, kernel));
  return cuKernelGetFunction(&result, kernel);
}

void* host_function(cuda::Function function) {
  Registry& state = registry();
  const std::lock_guard lock(state.mutex);
  for (const auto& [host, known] : state.functions) {
    cuda::Function candidate = nullptr;
    if (known.kernel != nullptr && cuKernelGetFunction(&candidate, known.kernel) == kSuccess &&
        candidate == function)
      return const_cast<void*>(host);
  }
  return function;
}

Error find_symbol(const void* host, Symbol& symbol) {
  Registry& state = registry();
  const std::lock_guard lock(state.mutex);
  const auto found = state.variables.find(host);
  if (found == state.variables.end()) return kInvalidSymbol;
  const Variable& variable = found->second;
  EGPU_CHECK(load_locked(*variable.binary));
  const Error error = cuLibraryGetGlobal(address_out(&symbol.address), &symbol.bytes,
                                         variable.binary->library, variable.name.c_str());
  return error == cuda::kNotFound ? kInvalidSymbol : error;
}

Error find_part(const void* host, std::size_t bytes, std::size_t offset, void*& result) {
  Symbol symbol;
  EGPU_CHECK(find_symbol(host, symbol));
  if (offset > symbol.bytes || bytes > symbol.bytes - offset) return kInvalidValue;
  result = static_cast<char*>(symbol.address) + offset;
  return kSuccess;
}

void add_kernel_handle(cuda::Kernel kernel) {
  Registry& state = registry();
  const std::lock_guard lock(state.mutex);
  state.kernels.insert(kernel);
}

}  // namespace egpu::emu::runtime
