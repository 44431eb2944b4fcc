#include "emu/driver/operations.h"

#include <cstring>

#include "emu/driver/contexts.h"
#include "emu/driver/device_limits.h"
#include "emu/driver/modules.h"

namespace egpu::emu::driver {
namespace {

// Addresses of all kinds are addresses of this process.
std::byte* as_pointer(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

Status status_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIllegalAddress:
      return cuda::kIllegalAddress;
    case FaultKind::kMisalignedAddress:
      return cuda::kMisalignedAddress;
    case FaultKind::kInvalidAddressSpace:
      return cuda::kInvalidAddressSpace;
    case FaultKind::kIllegalInstruction:
      return cuda::kIllegalInstruction;
    case FaultKind::kInvalidPc:
      return cuda::kInvalidPc;
    case FaultKind::kStackOverflow:
      return cuda::kHardwareStackError;
    case FaultKind::kTrap:
      return cuda::kLaunchFailed;
    case FaultKind::kAssert:
      return cuda::kAssert;
    case FaultKind::kTimeout:
    case FaultKind::kDeadlock:
      return cuda::kLaunchTimeout;
  }
  return cuda::kUnknown;
}

std::uint64_t pitch_of(const cuda::CopyEnd3d& end, const cuda::Copy3d& copy) {
  return end.pitch != 0 ? end.pitch : copy.width;
}
std::uint64_t slice_of(const cuda::CopyEnd3d& end, const cuda::Copy3d& copy) {
  return pitch_of(end, copy) * (end.height != 0 ? end.height : copy.height);
}
std::uint64_t first_of(const cuda::CopyEnd3d& end, const cuda::Copy3d& copy) {
  return base_of(end) + end.z * slice_of(end, copy) + end.y * pitch_of(end, copy) + end.x;
}

void make(const Copy& copy) {
  const cuda::Copy3d& what = copy.what;
  std::byte* to = as_pointer(first_of(what.destination, what));
  if (copy.staged != nullptr) {
    std::memcpy(to, copy.staged->data(), copy.staged->size());
    return;
  }
  const std::byte* from = as_pointer(first_of(what.source, what));
  for (std::size_t z = 0; z < what.depth; ++z)
    for (std::size_t y = 0; y < what.height; ++y)
      std::memmove(to + z * slice_of(what.destination, what) + y * pitch_of(what.destination, what),
                   from + z * slice_of(what.source, what) + y * pitch_of(what.source, what),
                   what.width);
}

template <class Element>
void fill_rows(const cuda::MemsetNodeParameters& what) {
  for (std::size_t y = 0; y < what.height; ++y) {
    auto* row = reinterpret_cast<Element*>(as_pointer(what.destination + y * what.pitch));
    std::fill(row, row + what.width, static_cast<Element>(what.value));
  }
}

void make(const Fill& fill) {
  if (fill.what.element_size == 1) return fill_rows<std::uint8_t>(fill.what);
  if (fill.what.element_size == 2) return fill_rows<std::uint16_t>(fill.what);
  fill_rows<std::uint32_t>(fill.what);
}

void make(const KernelLaunch& launch, Context& context) {
  emu::LaunchConfig config = launch.config;
  config.parameters = launch.parameters;
  const DeviceShape shape{.multiprocessors = kMultiprocessors,
                          .architecture = kComputeMajor * 10 + kComputeMinor};
  const auto fault = emu::launch(*launch.function->code, context.device.memory, shape, config,
                                 context.stop_token());
  if (!fault || context.sticky != cuda::kSuccess) return;
  say(to_string(*fault));
  context.fail(status_of(fault->kind));
}

// Application code: it may not call the driver, and what it throws is its own affair.
template <class Call>
void call_application(Call&& call) {
  in_callback = true;
  call();
  in_callback = false;
}

}  // namespace

void perform(const Operation& operation, Context& context) {
  if (const auto* call = std::get_if<CallbackCall>(&operation))
    return call_application([&] { call->callback(call->stream, context.sticky, call->data); });
  if (const auto* memory = std::get_if<FreeMemory>(&operation)) return release(memory->allocation);
  if (context.sticky != cuda::kSuccess) return;
  if (const auto* launch = std::get_if<KernelLaunch>(&operation)) return make(*launch, context);
  if (const auto* copy = std::get_if<Copy>(&operation)) return make(*copy);
  if (const auto* fill = std::get_if<Fill>(&operation)) return make(*fill);
  if (const auto* call = std::get_if<HostCall>(&operation))
    call_application([&] { call->function(call->data); });
}

cuda::Copy3d linear_copy(DevicePointer to, DevicePointer from, std::size_t bytes) {
  cuda::Copy3d copy{};
  copy.source.type = copy.destination.type = cuda::kMemoryUnified;
  copy.source.device = from;
  copy.destination.device = to;
  copy.width = bytes;
  copy.height = copy.depth = 1;
  return copy;
}

std::uint64_t base_of(const cuda::CopyEnd3d& end) {
  return end.type == cuda::kMemoryHost ? reinterpret_cast<std::uint64_t>(end.host) : end.device;
}

Extent extent_of(const cuda::CopyEnd3d& end, const cuda::Copy3d& copy) {
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return {};
  return {.first = first_of(end, copy),
          .bytes = (copy.depth - 1) * slice_of(end, copy) +
                   (copy.height - 1) * pitch_of(end, copy) + copy.width};
}

Extent extent_of(const cuda::MemsetNodeParameters& fill) {
  if (fill.width == 0 || fill.height == 0) return {};
  return {.first = fill.destination,
          .bytes = (fill.height - 1) * fill.pitch + fill.width * fill.element_size};
}

}  // namespace egpu::emu::driver
