// cuLink: of one input, whose code is handed back as it came. Joining several needs the toolkit's
// linker, which resolves symbols across them: refused.
#include <cstring>

#include "base/file.h"
#include "emu/driver/functions.h"
#include "emu/driver/handles.h"
#include "emu/driver/images.h"

namespace egpu::emu::driver {
namespace {

struct Link {
  std::mutex mutex;
  JitOptions options;
  std::string ptx;  // of the one input
  bool complete = false;
};

Handles<cuda::LinkState, Link>& links() {
  static auto* const instance = new Handles<cuda::LinkState, Link>;
  return *instance;
}

Status find_link(cuda::LinkState handle, std::shared_ptr<Link>& link) {
  EGPU_STATUS(check_driver());
  link = links().find(handle);
  return link != nullptr ? cuda::kSuccess : cuda::kInvalidHandle;
}

Status refuse(const Link& link, const std::string& why) {
  say("code cannot be linked: " + why);
  link.options.log_error(why);
  return cuda::kNotSupported;
}

Status add(Link& link, int type, Bytes input_untrusted) {
  const std::lock_guard lock(link.mutex);
  if (link.complete) return cuda::kInvalidValue;
  if (type != cuda::kJitInputPtx && type != cuda::kJitInputFatbinary)
    return refuse(link,
                  "the emulator links PTX and fatbins, not input of type " + std::to_string(type));
  if (!link.ptx.empty()) return refuse(link, "the emulator links one input, not several");
  // Text often comes with its terminating zeros.
  if (type == cuda::kJitInputPtx)
    while (!input_untrusted.empty() && input_untrusted.back() == std::byte{0})
      input_untrusted = input_untrusted.first(input_untrusted.size() - 1);
  return choose_ptx(input_untrusted, link.options, link.ptx);
}

}  // namespace

Status link_create(unsigned count, cuda::JitOption* options, void** values,
                   cuda::LinkState* handle) {
  EGPU_STATUS(check_driver());
  if (handle == nullptr) return cuda::kInvalidValue;
  const auto link = std::make_shared<Link>();
  EGPU_STATUS(JitOptions::read(count, options, values, link->options));
  link->options.clear_logs();
  *handle = links().add(link);
  return cuda::kSuccess;
}

Status link_add_data(cuda::LinkState handle, int type, void* data, std::size_t size, const char*,
                     unsigned, cuda::JitOption*, void**) {
  std::shared_ptr<Link> link;
  EGPU_STATUS(find_link(handle, link));
  if (data == nullptr || size == 0) return cuda::kInvalidValue;
  return add(*link, type, {static_cast<const std::byte*>(data), size});
}

Status link_add_file(cuda::LinkState handle, int type, const char* path, unsigned, cuda::JitOption*,
                     void**) {
  std::shared_ptr<Link> link;
  EGPU_STATUS(find_link(handle, link));
  if (path == nullptr) return cuda::kInvalidValue;
  const auto content = read_file(path);
  if (!content) return cuda::kFileNotFound;
  return add(*link, type, *content);
}

// What comes out is no cubin but PTX, which all functions that load code take too.
Status link_complete(cuda::LinkState handle, void** image, std::size_t* size) {
  std::shared_ptr<Link> link;
  EGPU_STATUS(find_link(handle, link));
  const std::lock_guard lock(link->mutex);
  if (image == nullptr || link->ptx.empty()) return cuda::kInvalidValue;
  link->complete = true;
  *image = link->ptx.data();
  if (size != nullptr) *size = link->ptx.size() + 1;
  return cuda::kSuccess;
}

Status link_destroy(cuda::LinkState handle) {
  EGPU_STATUS(check_driver());
  return links().remove(handle) != nullptr ? cuda::kSuccess : cuda::kInvalidHandle;
}

}  // namespace egpu::emu::driver
