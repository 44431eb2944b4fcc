#include "inject/instance_setup.h"

#include <cstring>

#include "inject/drain_rings.h"
#include "inject/report.h"
#include "inject/scopes.h"
#include "inject/stream_wait.h"

namespace egpu::inject {
namespace {

constexpr std::uint64_t kLargestInstance = std::uint64_t{1} << 34;
constexpr int kCopyWaitMs = 5000;

// A primary context lives by its own rules (release, reset): find out whether this is one.
bool is_primary(cuda::Context context, cuda::Device device) {
  const cuda::DriverTable& driver = session.driver;
  unsigned flags = 0;
  int is_active = 0;
  if (driver.primary_get_state(device, &flags, &is_active) != cuda::kSuccess || is_active == 0)
    return false;
  cuda::Context primary = nullptr;
  if (driver.primary_retain(&primary, device) != cuda::kSuccess) return false;
  driver.primary_release(device);
  return primary == context;
}

bool describe_device(Instance& instance, abi::OpenInstance& request) {
  const cuda::DriverTable& driver = session.driver;
  if (driver.ctx_get_device(&instance.device) != cuda::kSuccess) return false;
  const auto attribute = [&](cuda::DeviceAttribute which, int* value) {
    return driver.device_get_attribute(value, which, instance.device) == cuda::kSuccess;
  };
  int processors = 0;
  if (!attribute(cuda::kComputeCapabilityMajor, &request.compute_major) ||
      !attribute(cuda::kComputeCapabilityMinor, &request.compute_minor) ||
      !attribute(cuda::kMultiprocessorCount, &processors) || processors < 1)
    return false;
  request.device = instance.device;
  request.shards = static_cast<std::uint32_t>(processors);
  driver.driver_get_version(&request.driver_version);
  cuda::Uuid uuid{};
  driver.device_get_uuid(&uuid, instance.device);
  std::memcpy(request.uuid, uuid.bytes, sizeof request.uuid);
  driver.device_get_name(request.name, sizeof request.name - 1, instance.device);
  instance.shards = request.shards;
  instance.primary = is_primary(instance.context, instance.device);
  return request.shards <= abi::kMaxShards;
}

// False where the service's sizes cannot be meant.
bool measure(Instance& instance) {
  const abi::HelloReply& settings = session.settings;
  const std::uint32_t shards = instance.shards;
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < settings.map_count; ++i) {
    const std::uint64_t map = abi::map_bytes(settings.maps[i], shards);
    if (map == 0 || map > kLargestInstance - bytes) return false;
    bytes += map;
  }
  instance.bytes = bytes;
  instance.slot_bytes = abi::map_offset(settings.maps, settings.map_count, shards);
  return bytes != 0;
}

// Null, or why there is none.
const char* open_area(Instance& instance, abi::OpenInstance& request) {
  if (!measure(instance)) return "they would take no bytes, or more than 16 GiB";
  abi::OpenInstanceReply reply;
  UniqueFd fd;
  if (!session.connection.ask(request, -1, reply, fd))
    return session.connection.alive() ? "the service did not answer in time"
                                      : "the connection to the service has ended";
  if (reply.ok == 0) return "the service refuses";
  const abi::HelloReply& settings = session.settings;
  if (reply.area_bytes != abi::whole_area_bytes(settings.maps, settings.map_count, instance.shards))
    return "the service shares memory of another size";
  instance.id = reply.instance;
  instance.area = map_received(fd, reply.area_bytes, Access::kSharedWrite);
  return instance.area ? nullptr : "the memory that the service shares cannot be mapped";
}

// What the maps start as: zeros, but for those of which the area has more.
cuda::Status fill(const Instance& instance) {
  const cuda::DriverTable& driver = session.driver;
  const abi::HelloReply& settings = session.settings;
  const char* slot = static_cast<const char*>(instance.area.data()) + abi::kSnapshotHeaderBytes;
  cuda::Status status = driver.memset_async(instance.memory, 0, instance.bytes, instance.stream);
  for (std::uint32_t i = 0; i < settings.map_count && status == cuda::kSuccess; ++i) {
    if (settings.maps[i].initial == 0) continue;
    const std::uint64_t offset = abi::map_offset(settings.maps, i, instance.shards);
    status =
        driver.copy_to_device(instance.memory + offset, slot + offset,
                              abi::map_bytes(settings.maps[i], instance.shards), instance.stream);
  }
  return status;
}

cuda::Status allocate(Instance& instance) {
  const cuda::DriverTable& driver = session.driver;
  cuda::Status status = driver.stream_create(&instance.stream, cuda::kStreamNonBlocking);
  if (status != cuda::kSuccess) return status;
  status = driver.mem_alloc(&instance.memory, instance.bytes);
  if (status == cuda::kSuccess) {
    status = fill(instance);
    if (status == cuda::kSuccess) status = wait_for_stream(instance.stream, kCopyWaitMs);
    if (status != cuda::kSuccess) driver.mem_free(instance.memory);
  }
  if (status != cuda::kSuccess) driver.stream_destroy(instance.stream);
  return status;
}

}  // namespace

bool set_up(Instance& instance) {
  const RelaxedCapture relaxed;
  const CurrentContext current(instance.context);
  abi::OpenInstance request;
  if (!current.entered() || !describe_device(instance, request)) {
    report("a context cannot be examined: original kernels run in it");
    return false;
  }
  if (const char* const reason = open_area(instance, request)) {
    report("no maps for a context on device %d: %s: original kernels run in it", instance.device,
           reason);
    return false;
  }
  const cuda::Status status = allocate(instance);
  if (status != cuda::kSuccess) {
    report("device %d: cannot allocate %llu bytes for maps (driver error %d): original kernels run",
           instance.device, static_cast<unsigned long long>(instance.bytes), status);
  } else if (prepare_rings(instance)) {
    return true;
  } else {
    report("device %d: no memory to read ring buffers with: original kernels run", instance.device);
    session.driver.mem_free(instance.memory);
    session.driver.stream_destroy(instance.stream);
  }
  instance.area.reset();
  return false;
}

bool fill_probe_table(const LoadedModule& module, const Instance& instance) {
  const cuda::DriverTable& driver = session.driver;
  const RelaxedCapture relaxed;
  const CurrentContext current(instance.context);
  const abi::HelloReply& settings = session.settings;
  struct {
    abi::ProbeTableHeader header;
    std::uint64_t addresses[abi::kMaxMaps];
  } table{.header = {.shards = instance.shards, .process_id = session.process.id, .command = {}},
          .addresses = {}};
  std::memcpy(table.header.command, session.process.command, sizeof table.header.command);
  for (std::uint32_t i = 0; i < settings.map_count; ++i)
    table.addresses[i] =
        instance.memory + abi::device_offset(settings.maps, settings.map_count, i, instance.shards);

  cuda::DevicePointer symbol = 0;
  std::size_t bytes = 0;
  cuda::Status status = current.status();
  if (status == cuda::kSuccess)
    status = module.identity.library != nullptr
                 ? driver.library_get_global(&symbol, &bytes, module.identity.library,
                                             abi::kProbeTableSymbol)
                 : driver.module_get_global(&symbol, &bytes, module.identity.module,
                                            abi::kProbeTableSymbol);
  if (status == cuda::kSuccess && bytes != abi::probe_table_bytes(settings.map_count))
    status = cuda::kInvalidImage;
  if (status == cuda::kSuccess)
    status = driver.copy_to_device(symbol, &table, bytes, instance.stream);
  if (status == cuda::kSuccess) status = wait_for_stream(instance.stream, kCopyWaitMs);
  if (status == cuda::kSuccess) return true;
  report("a module's probe table cannot be filled (driver error %d): its original kernels run",
         status);
  return false;
}

}  // namespace egpu::inject
