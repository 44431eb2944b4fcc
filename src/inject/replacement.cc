#include "inject/replacement.h"

#include <atomic>

#include "cuda/image_size.h"
#include "inject/report.h"
#include "inject/session.h"

namespace egpu::inject {
namespace {

// The device the image will run on: that of the current context, else the first one.
cuda::Device target_device() {
  cuda::Device device = 0;
  cuda::Context context = nullptr;
  if (session.driver.ctx_get_current(&context) == cuda::kSuccess && context != nullptr)
    session.driver.ctx_get_device(&device);
  else
    session.driver.device_get(&device, 0);
  return device;
}

// Said once: a service that hangs must not cost a wait for each module.
void report_no_answer() {
  static constinit std::atomic<bool> said{false};
  if (!said.exchange(true))
    report("the service did not answer in time: modules loaded meanwhile are not probed");
}

Mapping ask_service(const UniqueFd& image, std::size_t size) {
  const cuda::DriverTable& driver = session.driver;
  if (!image || size == 0) return {};
  abi::LoadModule request;
  request.image_bytes = size;
  const cuda::Device device = target_device();
  if (driver.device_get_attribute(&request.compute_major, cuda::kComputeCapabilityMajor, device) !=
          cuda::kSuccess ||
      driver.device_get_attribute(&request.compute_minor, cuda::kComputeCapabilityMinor, device) !=
          cuda::kSuccess)
    return {};
  driver.driver_get_version(&request.driver_version);
  abi::LoadModuleReply reply;
  UniqueFd replacement;
  if (!session.connection.ask(request, image.get(), reply, replacement)) {
    report_no_answer();
    return {};
  }
  if (reply.verdict != abi::LoadVerdict::kReplaced) return {};
  return map_received(replacement, reply.image_bytes, Access::kPrivateRead);
}

}  // namespace

Mapping replacement_of_image(const void* image) {
  if (!session.connection.alive()) return {};
  const cuda::Image measured = cuda::measure_image(image);
  if (measured.size == 0) return {};
  return ask_service(make_memfd(measured.data, measured.size), measured.size);
}

Mapping replacement_of_file(const char* path) {
  if (!session.connection.alive() || path == nullptr) return {};
  std::size_t size = 0;
  const UniqueFd copy = copy_file_to_memfd(path, &size);
  return ask_service(copy, size);
}

}  // namespace egpu::inject
