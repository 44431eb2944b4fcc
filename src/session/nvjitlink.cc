#include "session/nvjitlink.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "session/assembler_log.h"
#include "session/assembler_options.h"

namespace egpu::session {
namespace {

// The part of nvJitLink's public C API used here. Source: nvJitLink.h of CUDA 13.0 and its
// documentation; the functions are exported under plain names and as __NAME_MAJOR_MINOR.
using Handle = void*;
constexpr int kSuccess = 0;   // NVJITLINK_SUCCESS
constexpr int kInputPtx = 2;  // NVJITLINK_INPUT_PTX

struct Functions {
  int (*create)(Handle*, std::uint32_t option_count, const char* const* options);
  int (*destroy)(Handle*);
  int (*add_data)(Handle, int type, const void* data, std::size_t size, const char* name);
  int (*complete)(Handle);
  int (*cubin_size)(Handle, std::size_t*);
  int (*cubin)(Handle, void*);
  int (*error_log_size)(Handle, std::size_t*);
  int (*error_log)(Handle, char*);
  int (*version)(unsigned* major, unsigned* minor);
};

constexpr int kNewestMajor = 13;
constexpr int kOldestMajor = 12;
constexpr int kMaxMinor = 9;

void* find_symbol(void* library, const std::string& name) {
  if (void* plain = ::dlsym(library, name.c_str())) return plain;
  for (int major = kNewestMajor; major >= kOldestMajor; --major)
    for (int minor = 0; minor <= kMaxMinor; ++minor)
      if (void* symbol = ::dlsym(library, fmt::format("__{}_{}_{}", name, major, minor).c_str()))
        return symbol;
  return nullptr;
}

template <class F>
bool bind(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(find_symbol(library, name));
  return function != nullptr;
}

bool bind_all(void* library, Functions& functions) {
  return bind(library, "nvJitLinkCreate", functions.create) &&
         bind(library, "nvJitLinkDestroy", functions.destroy) &&
         bind(library, "nvJitLinkAddData", functions.add_data) &&
         bind(library, "nvJitLinkComplete", functions.complete) &&
         bind(library, "nvJitLinkGetLinkedCubinSize", functions.cubin_size) &&
         bind(library, "nvJitLinkGetLinkedCubin", functions.cubin) &&
         bind(library, "nvJitLinkGetErrorLogSize", functions.error_log_size) &&
         bind(library, "nvJitLinkGetErrorLog", functions.error_log) &&
         bind(library, "nvJitLinkVersion", functions.version);
}

// One link; ends with the object.
class Link {
 public:
  explicit Link(const Functions& functions) : functions_(functions) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    if (handle_ != nullptr) functions_.destroy(&handle_);
  }

  bool create(const std::string& target) {
    const std::string option = "-arch=" + target;
    const char* const options[] = {option.c_str()};
    return functions_.create(&handle_, 1, options) == kSuccess;
  }
  bool assemble(const std::string& ptx) {
    return functions_.add_data(handle_, kInputPtx, ptx.c_str(), ptx.size() + 1, "module.ptx") ==
               kSuccess &&
           functions_.complete(handle_) == kSuccess;
  }
  std::vector<std::byte> cubin() {
    std::size_t size = 0;
    if (functions_.cubin_size(handle_, &size) != kSuccess) return {};
    std::vector<std::byte> content(size);
    if (functions_.cubin(handle_, content.data()) != kSuccess) return {};
    return content;
  }
  std::string error_log() {
    std::size_t size = 0;
    if (handle_ == nullptr || functions_.error_log_size(handle_, &size) != kSuccess) return {};
    std::string log(size, '\0');
    if (functions_.error_log(handle_, log.data()) != kSuccess) return {};
    return log.substr(0, log.find('\0'));
  }

 private:
  const Functions& functions_;
  Handle handle_ = nullptr;
};

class NvJitLink final : public AssemblerBackend {
 public:
  NvJitLink(const Functions& functions, std::string identity)
      : functions_(functions), identity_(std::move(identity)) {}

  [[nodiscard]] std::string identity() const override { return identity_; }

  [[nodiscard]] Result<std::vector<std::byte>> assemble(
      std::string_view ptx, const std::string& target,
      const std::vector<std::string>& options) const override {
    EGPU_TRY(refuse_options(identity_, options));
    Link link(functions_);
    if (!link.create(target))
      return input_error(fmt::format("{} does not know {}", identity_, target));
    if (!link.assemble(std::string(ptx))) return assembler_error(identity_, link.error_log(), ptx);
    auto cubin = link.cubin();
    if (cubin.empty()) return input_error(identity_ + " gives no machine code");
    return cubin;
  }

 private:
  Functions functions_;
  std::string identity_;
};

}  // namespace

std::vector<std::filesystem::path> nvjitlink_candidates(const AssemblerSearch& search) {
  std::vector<std::filesystem::path> candidates;
  for (int major = kNewestMajor; major >= kOldestMajor; --major) {
    const std::string name = fmt::format("libnvJitLink.so.{}", major);
    candidates.emplace_back(name);
    for (const auto& home : {search.cuda_home, search.toolkit})
      if (home.is_absolute()) candidates.push_back(home / "lib64" / name);
  }
  return candidates;
}

Result<std::shared_ptr<const AssemblerBackend>> open_nvjitlink(
    const std::filesystem::path& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return input_error("cannot be loaded").at(library.string());
  Functions functions{};
  unsigned major = 0;
  unsigned minor = 0;
  if (!bind_all(handle, functions) || functions.version(&major, &minor) != kSuccess)
    return input_error("lacks functions of nvJitLink 12.3 or later").at(library.string());
  return std::make_shared<const NvJitLink>(functions, fmt::format("nvJitLink {}.{}", major, minor));
}

}  // namespace egpu::session
