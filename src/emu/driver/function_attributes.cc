// What can be asked of functions and kernels, and set.
#include "emu/driver/contexts.h"
#include "emu/driver/device_limits.h"
#include "emu/driver/functions.h"
#include "emu/driver/modules.h"
#include "emu/driver/occupancy.h"

namespace egpu::emu::driver {
namespace {

int required_cluster(const Function& function, unsigned axis) {
  const unsigned in_code = function.info.cluster[axis];
  return in_code != 0 ? static_cast<int>(in_code)
                      : function.settings->required_cluster[axis].load();
}

Status get(const Function& function, cuda::FunctionAttribute attribute, int* value) {
  if (value == nullptr) return cuda::kInvalidValue;
  const KernelInfo& info = function.info;
  const FunctionSettings& settings = *function.settings;
  switch (attribute) {
    case cuda::kFunctionMaxThreadsPerBlock:
      *value = static_cast<int>(max_block_threads(function));
      return cuda::kSuccess;
    case cuda::kFunctionSharedSizeBytes:
      *value = static_cast<int>(info.static_shared_bytes);
      return cuda::kSuccess;
    case cuda::kFunctionConstSizeBytes:
      *value = static_cast<int>(function.module.code->constant_bytes);
      return cuda::kSuccess;
    case cuda::kFunctionLocalSizeBytes:
      *value = static_cast<int>(info.local_bytes);
      return cuda::kSuccess;
    case cuda::kFunctionNumRegs:
      *value = static_cast<int>(info.registers);
      return cuda::kSuccess;
    case cuda::kFunctionPtxVersion:
      *value = static_cast<int>(function.module.code->architecture);
      return cuda::kSuccess;
    case cuda::kFunctionBinaryVersion:
      *value = kComputeMajor * 10 + kComputeMinor;
      return cuda::kSuccess;
    case cuda::kFunctionCacheModeCa:
      *value = 0;
      return cuda::kSuccess;
    case cuda::kFunctionMaxDynamicSharedSizeBytes:
      *value = static_cast<int>(max_dynamic_shared(function));
      return cuda::kSuccess;
    case cuda::kFunctionPreferredSharedMemoryCarveout:
      *value = settings.shared_carveout;
      return cuda::kSuccess;
    case cuda::kFunctionClusterSizeMustBeSet:
      *value = 0;
      return cuda::kSuccess;
    case cuda::kFunctionRequiredClusterWidth:
    case cuda::kFunctionRequiredClusterHeight:
    case cuda::kFunctionRequiredClusterDepth:
      *value = required_cluster(
          function, static_cast<unsigned>(attribute) - cuda::kFunctionRequiredClusterWidth);
      return cuda::kSuccess;
    case cuda::kFunctionNonPortableClusterSizeAllowed:
      *value = settings.non_portable_cluster;
      return cuda::kSuccess;
    case cuda::kFunctionClusterSchedulingPolicyPreference:
      *value = settings.cluster_scheduling;
      return cuda::kSuccess;
    default:
      return cuda::kInvalidValue;
  }
}

// `info`: null for a kernel in no context, whose static shared memory is checked when it is
// launched.
Status set(FunctionSettings& settings, const KernelInfo* info, cuda::FunctionAttribute attribute,
           int value) {
  switch (attribute) {
    case cuda::kFunctionMaxDynamicSharedSizeBytes: {
      const int fixed = info != nullptr ? static_cast<int>(info->static_shared_bytes) : 0;
      if (value < 0 || value > static_cast<int>(kSharedPerBlockOptin) - fixed)
        return cuda::kInvalidValue;
      settings.max_dynamic_shared = value;
      return cuda::kSuccess;
    }
    case cuda::kFunctionPreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cuda::kInvalidValue;
      settings.shared_carveout = value;
      return cuda::kSuccess;
    case cuda::kFunctionRequiredClusterWidth:
    case cuda::kFunctionRequiredClusterHeight:
    case cuda::kFunctionRequiredClusterDepth: {
      const unsigned axis = static_cast<unsigned>(attribute) - cuda::kFunctionRequiredClusterWidth;
      if (value < 0 || (info != nullptr && info->cluster[axis] != 0)) return cuda::kInvalidValue;
      settings.required_cluster[axis] = value;
      return cuda::kSuccess;
    }
    case cuda::kFunctionNonPortableClusterSizeAllowed:
      if (value != 0 && value != 1) return cuda::kInvalidValue;
      settings.non_portable_cluster = value;
      return cuda::kSuccess;
    case cuda::kFunctionClusterSchedulingPolicyPreference:
      if (value < 0 || value > 2) return cuda::kInvalidValue;
      settings.cluster_scheduling = value;
      return cuda::kSuccess;
    default:
      return cuda::kInvalidValue;
  }
}

Status parameter_info(const KernelInfo& info, std::size_t index, std::size_t* offset,
                      std::size_t* size) {
  if (offset == nullptr) return cuda::kInvalidValue;
  if (index >= info.parameters.size()) return cuda::kInvalidValue;
  *offset = info.parameters[index].offset;
  if (size != nullptr) *size = info.parameters[index].size;
  return cuda::kSuccess;
}

Status kernel_settings(cuda::Kernel handle, cuda::Device ordinal,
                       std::shared_ptr<FunctionSettings>& settings) {
  KernelPointer kernel;
  EGPU_STATUS(find_kernel(handle, kernel));
  const Device* device = find_device(ordinal);
  if (device == nullptr) return cuda::kInvalidDevice;
  settings = kernel->settings.at(device);
  return cuda::kSuccess;
}

}  // namespace

Status func_get_attribute(int* value, cuda::FunctionAttribute attribute, cuda::Function handle) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  return get(*function, attribute, value);
}

Status func_set_attribute(cuda::Function handle, cuda::FunctionAttribute attribute, int value) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  return set(*function->settings, &function->info, attribute, value);
}

// Preferences change no result.
Status func_set_cache_config(cuda::Function handle, int config) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  return config >= 0 && config <= 3 ? cuda::kSuccess : cuda::kInvalidValue;
}

Status func_set_shared_mem_config(cuda::Function handle, int config) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  return config >= 0 && config <= 2 ? cuda::kSuccess : cuda::kInvalidValue;
}

Status func_get_module(cuda::Module* module, cuda::Function handle) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  if (module == nullptr) return cuda::kInvalidValue;
  *module = handle_of(function->module);
  return cuda::kSuccess;
}

Status func_get_name(const char** name, cuda::Function handle) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  if (name == nullptr) return cuda::kInvalidValue;
  *name = function->name.c_str();
  return cuda::kSuccess;
}

Status func_get_param_info(cuda::Function handle, std::size_t index, std::size_t* offset,
                           std::size_t* size) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  return parameter_info(function->info, index, offset, size);
}

Status func_is_loaded(int* state, cuda::Function handle) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  if (state == nullptr) return cuda::kInvalidValue;
  *state = function->code != nullptr ? 1 : 0;
  return cuda::kSuccess;
}

Status func_load(cuda::Function handle) {
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function));
  return load_code(*function);
}

Status kernel_get_param_info(cuda::Kernel handle, std::size_t index, std::size_t* offset,
                             std::size_t* size) {
  return func_get_param_info(reinterpret_cast<cuda::Function>(handle), index, offset, size);
}

// Loads the kernel into the current context where that is of the device, else into its primary one.
Status kernel_get_attribute(int* value, cuda::FunctionAttribute attribute, cuda::Kernel handle,
                            cuda::Device ordinal) {
  KernelPointer kernel;
  EGPU_STATUS(find_kernel(handle, kernel));
  Device* device = find_device(ordinal);
  if (device == nullptr) return cuda::kInvalidDevice;
  Context* context = nullptr;
  if (current_context(context) != cuda::kSuccess || &context->device != device)
    context = device->primary;
  if (!context->alive) return cuda::kInvalidContext;
  FunctionPointer function;
  EGPU_STATUS(function_in(kernel, *context, function));
  return get(*function, attribute, value);
}

Status kernel_set_attribute(cuda::FunctionAttribute attribute, int value, cuda::Kernel handle,
                            cuda::Device ordinal) {
  std::shared_ptr<FunctionSettings> settings;
  EGPU_STATUS(kernel_settings(handle, ordinal, settings));
  return set(*settings, nullptr, attribute, value);
}

Status kernel_set_cache_config(cuda::Kernel handle, int config, cuda::Device ordinal) {
  std::shared_ptr<FunctionSettings> settings;
  EGPU_STATUS(kernel_settings(handle, ordinal, settings));
  return config >= 0 && config <= 3 ? cuda::kSuccess : cuda::kInvalidValue;
}

}  // namespace egpu::emu::driver
