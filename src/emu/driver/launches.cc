#include "emu/driver/launches.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/launch_limits.h"
#include "emu/driver/streams.h"

namespace egpu::emu::driver {
namespace {

std::uint64_t next_grid_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

// {BUFFER_POINTER, pointer, BUFFER_SIZE, pointer to size, END}
Status read_extra(void** extra, const KernelInfo& info, std::vector<std::byte>& bytes) {
  const void* buffer = nullptr;
  const std::size_t* size = nullptr;
  for (; *extra != nullptr; extra += 2) {  // END is null
    const auto marker = reinterpret_cast<std::uintptr_t>(*extra);
    if (marker == cuda::kLaunchParamBufferPointer)
      buffer = extra[1];
    else if (marker == cuda::kLaunchParamBufferSize)
      size = static_cast<const std::size_t*>(extra[1]);
    else
      return cuda::kInvalidValue;
  }
  if (buffer == nullptr || size == nullptr || *size < info.parameter_bytes)
    return cuda::kInvalidValue;
  std::memcpy(bytes.data(), buffer, info.parameter_bytes);
  return cuda::kSuccess;
}

Status read_arguments(const KernelInfo& info, const Arguments& arguments,
                      std::vector<std::byte>& bytes) {
  bytes.resize(info.parameter_bytes);
  if (arguments.parameters != nullptr && arguments.extra != nullptr) return cuda::kInvalidValue;
  if (info.parameters.empty()) return cuda::kSuccess;
  if (arguments.extra != nullptr) return read_extra(arguments.extra, info, bytes);
  if (arguments.parameters == nullptr) return cuda::kInvalidValue;
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    if (arguments.parameters[i] == nullptr) return cuda::kInvalidValue;
    std::memcpy(bytes.data() + info.parameters[i].offset, arguments.parameters[i],
                info.parameters[i].size);
  }
  return cuda::kSuccess;
}

std::uint32_t stack_bytes(Context& context) {
  constexpr std::uint32_t kLeast = 1 << 16;  // frames of calls are larger here than on a GPU
  const std::lock_guard lock(driver().mutex);
  return std::max(kLeast, static_cast<std::uint32_t>(context.limits.at(cuda::kLimitStackSize)));
}

Status launch(cuda::Function handle, const cuda::LaunchConfig& config,
              const LaunchAttributes& attributes, const Arguments& arguments) {
  StreamPointer stream;
  FunctionPointer function;
  EGPU_STATUS(find_stream(config.stream, stream));
  EGPU_STATUS(find_function(handle, function, &stream->context));
  if (&function->module.context != &stream->context) return cuda::kInvalidHandle;
  KernelLaunch operation;
  EGPU_STATUS(prepare_launch(function, config, attributes, arguments, operation));
  EGPU_STATUS(enqueue(stream, std::move(operation)));
  for (const EventPointer& event : attributes.events)
    EGPU_STATUS(event_record(handle_of(event), config.stream));
  return cuda::kSuccess;
}

}  // namespace

Status read_attribute(const cuda::LaunchAttribute& attribute, LaunchAttributes& result) {
  const cuda::LaunchAttributeValue& value = attribute.value;
  switch (attribute.id) {
    case cuda::kLaunchCooperative:
      result.cooperative = value.number != 0;
      return cuda::kSuccess;
    case cuda::kLaunchClusterDimension:
      result.cluster = {value.dimension[0], value.dimension[1], value.dimension[2]};
      return cuda::kSuccess;
    case cuda::kLaunchPriority:
      result.priority = value.number;
      return cuda::kSuccess;
    case cuda::kLaunchProgrammaticEvent:
    case cuda::kLaunchCompletionEvent: {
      // Recorded when the kernel has ended: later than it might be, never too early.
      EventPointer event;
      EGPU_STATUS(find_event(value.event.event, event));
      result.events.push_back(std::move(event));
      return cuda::kSuccess;
    }
    case cuda::kLaunchProgrammaticStreamSerialization:  // a kernel may begin early, and never does
    case cuda::kLaunchIgnore:
    case cuda::kLaunchAccessPolicyWindow:
    case cuda::kLaunchSynchronizationPolicy:
    case cuda::kLaunchClusterSchedulingPolicyPreference:
    case cuda::kLaunchMemSyncDomainMap:
    case cuda::kLaunchMemSyncDomain:
    case cuda::kLaunchPreferredClusterDimension:
    case cuda::kLaunchPreferredSharedMemoryCarveout:
      return cuda::kSuccess;
    default:
      say("a launch attribute is not supported: " + std::to_string(attribute.id));
      return cuda::kNotSupported;
  }
}

Status read_attributes(const cuda::LaunchConfig& config, LaunchAttributes& result) {
  const auto* attributes = static_cast<const cuda::LaunchAttribute*>(config.attributes);
  if (config.attribute_count > 0 && attributes == nullptr) return cuda::kInvalidValue;
  for (unsigned i = 0; i < config.attribute_count; ++i)
    EGPU_STATUS(read_attribute(attributes[i], result));
  return cuda::kSuccess;
}

emu::Dim3 cluster_of(const Function& function, const LaunchAttributes& attributes) {
  if (attributes.cluster) return *attributes.cluster;
  const auto& in_code = function.info.cluster;
  if (in_code[0] != 0) return {in_code[0], in_code[1], in_code[2]};
  emu::Dim3 cluster{1, 1, 1};
  for (unsigned i = 0; i < 3; ++i)
    if (const int set = function.settings->required_cluster[i]; set > 0)
      cluster[i] = static_cast<std::uint32_t>(set);
  return cluster;
}

Status prepare_launch(const FunctionPointer& function, const cuda::LaunchConfig& config,
                      const LaunchAttributes& attributes, const Arguments& arguments,
                      KernelLaunch& launch) {
  launch.config.grid = {config.grid_x, config.grid_y, config.grid_z};
  launch.config.block = {config.block_x, config.block_y, config.block_z};
  launch.config.cluster = cluster_of(*function, attributes);
  launch.config.dynamic_shared_bytes = config.shared_bytes;
  launch.config.cooperative = attributes.cooperative;
  launch.config.grid_id = next_grid_id();
  launch.config.stack_bytes = stack_bytes(function->module.context);
  launch.config.budget = driver().settings.budget;
  launch.config.workers = driver().settings.workers;
  launch.priority = attributes.priority.value_or(0);
  EGPU_STATUS(check_limits(*function, launch.config));
  EGPU_STATUS(read_arguments(function->info, arguments, launch.parameters));
  EGPU_STATUS(load_code(*function));
  launch.function = function;
  return cuda::kSuccess;
}

Status launch_kernel(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                     cuda::Stream stream, void** parameters, void** extra) {
  const cuda::LaunchConfig config{.grid_x = grid_x,
                                  .grid_y = grid_y,
                                  .grid_z = grid_z,
                                  .block_x = block_x,
                                  .block_y = block_y,
                                  .block_z = block_z,
                                  .shared_bytes = shared_bytes,
                                  .stream = stream,
                                  .attributes = nullptr,
                                  .attribute_count = 0};
  return launch(function, config, {}, {.parameters = parameters, .extra = extra});
}

Status launch_kernel_ex(const cuda::LaunchConfig* config, cuda::Function function,
                        void** parameters, void** extra) {
  if (config == nullptr) return cuda::kInvalidValue;
  LaunchAttributes attributes;
  EGPU_STATUS(read_attributes(*config, attributes));
  return launch(function, *config, attributes, {.parameters = parameters, .extra = extra});
}

Status launch_cooperative_kernel(cuda::Function function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared_bytes, cuda::Stream stream,
                                 void** parameters) {
  const cuda::LaunchConfig config{.grid_x = grid_x,
                                  .grid_y = grid_y,
                                  .grid_z = grid_z,
                                  .block_x = block_x,
                                  .block_y = block_y,
                                  .block_z = block_z,
                                  .shared_bytes = shared_bytes,
                                  .stream = stream,
                                  .attributes = nullptr,
                                  .attribute_count = 0};
  return launch(function, config, {.cooperative = true}, {.parameters = parameters});
}

}  // namespace egpu::emu::driver
