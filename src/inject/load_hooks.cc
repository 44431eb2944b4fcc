// Loads and unloads: the service may give another image to load.
#include <algorithm>
#include <utility>

#include "inject/hooks.h"
#include "inject/replacement.h"
#include "inject/report.h"
#include "inject/scopes.h"

namespace egpu::inject::hooks {
namespace {

// The driver writes results into the values of JIT options (log sizes, wall time) that it reads as
// inputs: put them back before a second load with the same options.
class SavedOptions {
 public:
  SavedOptions(void** values, unsigned count) : values_(values), count_(count) {
    if (fits()) std::copy_n(values, count, saved_);
  }
  [[nodiscard]] bool fits() const { return count_ == 0 || (values_ != nullptr && count_ <= kMost); }
  void restore() const { std::copy_n(saved_, count_, values_); }

 private:
  static constexpr unsigned kMost = 64;
  void** values_;
  unsigned count_;
  void* saved_[kMost];
};

// Whether the driver's compiler is told how many registers a kernel may use. The service's
// assembler is not: what it makes, the application's own kernels too, might not fit the launches to
// come.
bool limits_registers(const cuda::JitOption* options, unsigned count) {
  if (options == nullptr || std::none_of(options, options + count, [](cuda::JitOption option) {
        return option == cuda::kJitMaxRegisters || option == cuda::kJitThreadsPerBlock;
      }))
    return false;
  report("a module is loaded with a limit on registers: it is not probed");
  return true;
}

// Tries the replacement, then the original. `load_replacement(image)` and `load_original()` call
// the driver; `remember(image)` and `forget()` are told what the resulting handle stands for.
template <class LoadReplacement, class LoadOriginal, class Remember, class Forget>
cuda::Status load_either(Mapping replacement, LoadReplacement load_replacement,
                         LoadOriginal load_original, Remember remember, Forget forget) {
  if (replacement) {
    const cuda::Status status = load_replacement(replacement.data());
    if (status == cuda::kSuccess) {
      remember(std::move(replacement));
      return status;
    }
    report("an instrumented module does not load (driver error %d): the original is loaded",
           status);
    replacement.reset();
  }
  const cuda::Status status = load_original();
  // A handle used before for something whose end was not seen.
  if (status == cuda::kSuccess) Modules::release(forget());
  return status;
}

template <class LoadReplacement, class LoadOriginal>
cuda::Status load_library(cuda::Library* library, Mapping replacement,
                          LoadReplacement load_replacement, LoadOriginal load_original) {
  return load_either(
      std::move(replacement), load_replacement, load_original,
      [&](Mapping image) {
        Modules::release(session.modules.detach(*library));
        session.modules.add_library(*library, std::move(image));
      },
      [&] { return session.modules.detach(*library); });
}

template <class LoadReplacement, class LoadOriginal>
cuda::Status load_module(cuda::Module* module, Mapping replacement,
                         LoadReplacement load_replacement, LoadOriginal load_original) {
  return load_either(
      std::move(replacement), load_replacement, load_original,
      [&](Mapping image) {
        Modules::release(session.modules.detach(*module));
        session.modules.add_module(*module, current_context(), std::move(image));
      },
      [&] { return session.modules.detach(*module); });
}

}  // namespace

cuda::Status library_load_data(cuda::Library* library, const void* code,
                               cuda::JitOption* jit_options, void** jit_values, unsigned jit_count,
                               cuda::LibraryOption* options, void** values, unsigned count) {
  const auto load = [&](const void* image) {
    return session.driver.library_load_data(library, image, jit_options, jit_values, jit_count,
                                            options, values, count);
  };
  const SavedOptions saved(jit_values, jit_count);
  if (hands_off() || !saved.fits()) return load(code);
  const NestingGuard guard;
  if (limits_registers(jit_options, jit_count)) return load(code);
  return load_library(library, replacement_of_image(code), load, [&] {
    saved.restore();
    return load(code);
  });
}

cuda::Status library_load_file(cuda::Library* library, const char* path,
                               cuda::JitOption* jit_options, void** jit_values, unsigned jit_count,
                               cuda::LibraryOption* options, void** values, unsigned count) {
  const auto load_original = [&] {
    return session.driver.library_load_file(library, path, jit_options, jit_values, jit_count,
                                            options, values, count);
  };
  const SavedOptions saved(jit_values, jit_count);
  if (hands_off() || !saved.fits()) return load_original();
  const NestingGuard guard;
  if (limits_registers(jit_options, jit_count)) return load_original();
  return load_library(
      library, replacement_of_file(path),
      [&](const void* image) {
        return session.driver.library_load_data(library, image, jit_options, jit_values, jit_count,
                                                options, values, count);
      },
      [&] {
        saved.restore();
        return load_original();
      });
}

cuda::Status module_load(cuda::Module* module, const char* path) {
  if (hands_off()) return session.driver.module_load(module, path);
  const NestingGuard guard;
  return load_module(
      module, replacement_of_file(path),
      [&](const void* image) { return session.driver.module_load_data(module, image); },
      [&] { return session.driver.module_load(module, path); });
}

cuda::Status module_load_data(cuda::Module* module, const void* image) {
  if (hands_off()) return session.driver.module_load_data(module, image);
  const NestingGuard guard;
  const auto load = [&](const void* chosen) {
    return session.driver.module_load_data(module, chosen);
  };
  return load_module(module, replacement_of_image(image), load, [&] { return load(image); });
}

cuda::Status module_load_data_ex(cuda::Module* module, const void* image, unsigned count,
                                 cuda::JitOption* options, void** values) {
  const auto load = [&](const void* chosen) {
    return session.driver.module_load_data_ex(module, chosen, count, options, values);
  };
  const SavedOptions saved(values, count);
  if (hands_off() || !saved.fits()) return load(image);
  const NestingGuard guard;
  if (limits_registers(options, count)) return load(image);
  return load_module(module, replacement_of_image(image), load, [&] {
    saved.restore();
    return load(image);
  });
}

cuda::Status module_load_fatbin(cuda::Module* module, const void* image) {
  if (hands_off()) return session.driver.module_load_fatbin(module, image);
  const NestingGuard guard;
  return load_module(
      module, replacement_of_image(image),
      // The replacement need not be a fatbin.
      [&](const void* chosen) { return session.driver.module_load_data(module, chosen); },
      [&] { return session.driver.module_load_fatbin(module, image); });
}

cuda::Status library_unload(cuda::Library library) {
  if (hands_off()) return session.driver.library_unload(library);
  const NestingGuard guard;
  LoadedModule* ending = session.modules.detach(library);
  const cuda::Status status = session.driver.library_unload(library);
  Modules::release(ending);
  return status;
}

cuda::Status module_unload(cuda::Module module) {
  if (hands_off()) return session.driver.module_unload(module);
  const NestingGuard guard;
  LoadedModule* ending = session.modules.detach(module);
  const cuda::Status status = session.driver.module_unload(module);
  Modules::release(ending);
  return status;
}

}  // namespace egpu::inject::hooks
