#include "emu/runtime/copy_parameters.h"

#include "emu/runtime/call.h"

namespace egpu::emu::runtime {
namespace {

// What the driver shall take a side for. Without a kind it finds out itself.
cuda::MemoryType source_type(CopyKind kind) {
  if (kind == kCopyDefault) return cuda::kMemoryUnified;
  return kind == kHostToHost || kind == kHostToDevice ? cuda::kMemoryHost : cuda::kMemoryDevice;
}
cuda::MemoryType destination_type(CopyKind kind) {
  if (kind == kCopyDefault) return cuda::kMemoryUnified;
  return kind == kHostToHost || kind == kDeviceToHost ? cuda::kMemoryHost : cuda::kMemoryDevice;
}

cuda::CopyEnd3d driver_end(const Position& position, const PitchedPointer& memory,
                           cuda::MemoryType type) {
  cuda::CopyEnd3d end{};
  end.x = position.x;
  end.y = position.y;
  end.z = position.z;
  end.type = type;
  if (type == cuda::kMemoryHost)
    end.host = memory.pointer;
  else
    end.device = address(memory.pointer);
  end.pitch = memory.pitch;
  end.height = memory.height;
  return end;
}

PitchedPointer runtime_end(const cuda::CopyEnd3d& end) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver keeps addresses as numbers
  void* device = reinterpret_cast<void*>(end.device);
  return {.pointer = end.type == cuda::kMemoryHost ? end.host : device,
          .pitch = end.pitch,
          .width = end.pitch,
          .height = end.height};
}

bool on_host(const cuda::CopyEnd3d& end) { return end.type == cuda::kMemoryHost; }

CopyKind kind_of(const cuda::Copy3d& copy) {
  if (copy.source.type == cuda::kMemoryUnified || copy.destination.type == cuda::kMemoryUnified)
    return kCopyDefault;
  if (on_host(copy.source)) return on_host(copy.destination) ? kHostToHost : kHostToDevice;
  return on_host(copy.destination) ? kDeviceToHost : kDeviceToDevice;
}

}  // namespace

Error check_kind(CopyKind kind) {
  return kind >= kHostToHost && kind <= kCopyDefault ? kSuccess : kInvalidMemcpyDirection;
}

Error driver_copy(const Copy3d& copy, cuda::Copy3d& result) {
  EGPU_CHECK(check_kind(copy.kind));
  if (copy.source_array != nullptr || copy.destination_array != nullptr) {
    say("CUDA arrays are not supported");
    return kNotSupported;
  }
  result = {.source = driver_end(copy.source_position, copy.source, source_type(copy.kind)),
            .destination = driver_end(copy.destination_position, copy.destination,
                                      destination_type(copy.kind)),
            .width = copy.extent.width,
            .height = copy.extent.height,
            .depth = copy.extent.depth};
  return kSuccess;
}

Error driver_copy(const PeerCopy3d& copy, cuda::Copy3d& result) {
  return driver_copy(Copy3d{.source_array = copy.source_array,
                            .source_position = copy.source_position,
                            .source = copy.source,
                            .destination_array = copy.destination_array,
                            .destination_position = copy.destination_position,
                            .destination = copy.destination,
                            .extent = copy.extent,
                            .kind = kCopyDefault},
                     result);
}

Copy3d runtime_copy(const cuda::Copy3d& copy) {
  return {.source_array = nullptr,
          .source_position = {copy.source.x, copy.source.y, copy.source.z},
          .source = runtime_end(copy.source),
          .destination_array = nullptr,
          .destination_position = {copy.destination.x, copy.destination.y, copy.destination.z},
          .destination = runtime_end(copy.destination),
          .extent = {copy.width, copy.height, copy.depth},
          .kind = kind_of(copy)};
}

Copy3d linear_copy(void* destination, const void* source, std::size_t bytes, CopyKind kind) {
  const auto row = [&](const void* pointer) {
    return PitchedPointer{
        .pointer = const_cast<void*>(pointer), .pitch = bytes, .width = bytes, .height = 1};
  };
  return {.source_array = nullptr,
          .source_position = {},
          .source = row(source),
          .destination_array = nullptr,
          .destination_position = {},
          .destination = row(destination),
          .extent = {bytes, 1, 1},
          .kind = kind};
}

}  // namespace egpu::emu::runtime
