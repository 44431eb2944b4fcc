// A driver API program for the tests: carries out the steps given as arguments, in order, and fails
// with the name of the first step that the driver refuses. It knows nothing of egpu.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fake_cuda.h"

namespace fake_cuda {
namespace {

constexpr char kImage[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry vec_add() { ret; }\n"
    ".visible .entry scale() { ret; }\n";

struct App {
  cuda::Context context = nullptr;
  cuda::Library library = nullptr;
  cuda::Module module = nullptr;
  cuda::Kernel kernel = nullptr;
  cuda::Function function = nullptr;  // what launches use
  cuda::Stream stream = nullptr;
};

using Step = std::function<cuda::Status(App&, const std::string& argument)>;

cuda::Status launch(App& app, cuda::Stream stream) {
  return cuLaunchKernel(app.function, 4, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr);
}

cuda::Status launch_extended(App& app) {
  const cuda::LaunchConfig config{.grid_x = 4,
                                  .grid_y = 1,
                                  .grid_z = 1,
                                  .block_x = 32,
                                  .block_y = 1,
                                  .block_z = 1,
                                  .shared_bytes = 0,
                                  .stream = nullptr,
                                  .attributes = nullptr,
                                  .attribute_count = 0};
  const cuda::Status status = cuLaunchKernelEx(&config, app.function, nullptr, nullptr);
  return status != cuda::kSuccess ? status
                                  : cuLaunchKernelEx_ptsz(&config, app.function, nullptr, nullptr);
}

cuda::Status launch_cooperative(App& app) {
  const cuda::Status status =
      cuLaunchCooperativeKernel(app.function, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr);
  return status != cuda::kSuccess
             ? status
             : cuLaunchCooperativeKernel_ptsz(app.function, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr);
}

cuda::Status repeat(const std::string& times, const std::function<cuda::Status()>& action) {
  for (int i = std::stoi(times); i > 0; --i)
    if (const cuda::Status status = action(); status != cuda::kSuccess) return status;
  return cuda::kSuccess;
}

// Launches from several threads at a time, each with the context current.
cuda::Status launch_in_threads(App& app, const std::string& times) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<cuda::Status> result{cuda::kSuccess};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      cuCtxSetCurrent(app.context);
      const cuda::Status status = repeat(times, [&] { return launch(app, nullptr); });
      if (status != cuda::kSuccess) result = status;
    });
  for (std::thread& thread : threads) thread.join();
  return result;
}

// The child must be able to leave normally: it uses no CUDA, as CUDA demands.
cuda::Status fork_and_exit() {
  const pid_t child = ::fork();
  if (child == 0) std::exit(0);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

void await_file(const std::string& path) {
  ::alarm(300);  // ends this program where nobody is left who would make the file
  while (!std::ifstream(path)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ::alarm(0);
}

cuda::Status capture(App& app) {
  cuda::Status status = cuStreamCreate(&app.stream, 0);
  return status != cuda::kSuccess ? status
                                  : cuStreamBeginCapture_v2(app.stream, cuda::kCaptureGlobal);
}

cuda::Status end_capture(App& app) {
  void* graph = nullptr;
  return cuStreamEndCapture(app.stream, &graph);
}

cuda::Status new_context(App& app) { return cuCtxCreate_v2(&app.context, 0, 0); }

cuda::Status primary_context(App& app) {
  const cuda::Status status = cuDevicePrimaryCtxRetain(&app.context, 0);
  return status != cuda::kSuccess ? status : cuCtxSetCurrent(app.context);
}

cuda::Status function_of_kernel(App& app) { return cuKernelGetFunction(&app.function, app.kernel); }

cuda::Status kernel_of_library(App& app, const std::string& name) {
  const cuda::Status status = cuLibraryGetKernel(&app.kernel, app.library, name.c_str());
  app.function = reinterpret_cast<cuda::Function>(app.kernel);
  return status;
}

std::map<std::string_view, Step> all_steps() {
  return {
      {"init", [](App&, auto&) { return cuInit(0); }},
      {"primary", [](App& app, auto&) { return primary_context(app); }},
      {"context", [](App& app, auto&) { return new_context(app); }},
      {"destroy", [](App& app, auto&) { return cuCtxDestroy_v2(app.context); }},
      {"release", [](App&, auto&) { return cuDevicePrimaryCtxRelease_v2(0); }},
      {"reset", [](App&, auto&) { return cuDevicePrimaryCtxReset_v2(0); }},
      {"library",
       [](App& app, auto&) {
         return cuLibraryLoadData(&app.library, kImage, nullptr, nullptr, 0, nullptr, nullptr, 0);
       }},
      {"library-file",
       [](App& app, auto& path) {
         return cuLibraryLoadFromFile(&app.library, path.c_str(), nullptr, nullptr, 0, nullptr,
                                      nullptr, 0);
       }},
      {"unload-library", [](App& app, auto&) { return cuLibraryUnload(app.library); }},
      {"library-module",
       [](App& app, auto&) { return cuLibraryGetModule(&app.module, app.library); }},
      {"module", [](App& app, auto&) { return cuModuleLoadData(&app.module, kImage); }},
      {"module-ex",
       [](App& app, auto&) {
         return cuModuleLoadDataEx(&app.module, kImage, 0, nullptr, nullptr);
       }},
      {"module-registers",
       [](App& app, auto&) {
         cuda::JitOption option = cuda::kJitMaxRegisters;
         void* value = reinterpret_cast<void*>(std::uintptr_t{32});
         return cuModuleLoadDataEx(&app.module, kImage, 1, &option, &value);
       }},
      {"module-fatbin", [](App& app, auto&) { return cuModuleLoadFatBinary(&app.module, kImage); }},
      {"module-file", [](App& app, auto& path) { return cuModuleLoad(&app.module, path.c_str()); }},
      {"unload-module", [](App& app, auto&) { return cuModuleUnload(app.module); }},
      {"kernel", [](App& app, auto& name) { return kernel_of_library(app, name); }},
      {"kernel-function", [](App& app, auto&) { return function_of_kernel(app); }},
      {"function",
       [](App& app, auto& name) {
         return cuModuleGetFunction(&app.function, app.module, name.c_str());
       }},
      {"shared-bytes",
       [](App& app, auto& value) { return cuFuncSetAttribute(app.function, 8, std::stoi(value)); }},
      {"kernel-shared-bytes",
       [](App& app, auto& value) {
         return cuKernelSetAttribute(8, std::stoi(value), app.kernel, 0);
       }},
      {"launch",
       [](App& app, auto& times) { return repeat(times, [&] { return launch(app, nullptr); }); }},
      {"launch-ptsz",
       [](App& app, auto&) {
         return cuLaunchKernel_ptsz(app.function, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
       }},
      {"launch-stream",
       [](App& app, auto& times) {
         return repeat(times, [&] { return launch(app, app.stream); });
       }},
      {"launch-ex", [](App& app, auto&) { return launch_extended(app); }},
      {"launch-cooperative", [](App& app, auto&) { return launch_cooperative(app); }},
      {"launch-threads", [](App& app, auto& times) { return launch_in_threads(app, times); }},
      {"stream", [](App& app, auto&) { return cuStreamCreate(&app.stream, 0); }},
      {"capture", [](App& app, auto&) { return capture(app); }},
      {"end-capture", [](App& app, auto&) { return end_capture(app); }},
      {"fork", [](App&, auto&) { return fork_and_exit(); }},
      {"await", [](App&, auto& path) { return await_file(path), cuda::kSuccess; }},
      {"touch", [](App&, auto& path) { return std::ofstream(path).good() ? cuda::kSuccess : 1; }},
      {"sleep",
       [](App&, auto& ms) {
         std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(ms)));
         return cuda::kSuccess;
       }},
      {"kill", [](App&, auto&) { return std::raise(SIGKILL); }},
  };
}

}  // namespace
}  // namespace fake_cuda

int main(int count, char** arguments) {
  fake_cuda::App app;
  const auto steps = fake_cuda::all_steps();
  for (int i = 1; i < count; ++i) {
    const std::string step = arguments[i];
    const std::size_t colon = step.find(':');
    const auto found = steps.find(std::string_view(step).substr(0, colon));
    if (found == steps.end()) {
      std::fprintf(stderr, "unknown step %s\n", step.c_str());
      return 2;
    }
    const std::string argument = colon != std::string::npos ? step.substr(colon + 1) : "";
    if (const int status = found->second(app, argument); status != 0) {
      std::fprintf(stderr, "step %d, %s: error %d\n", i, step.c_str(), status);
      return 1;
    }
  }
  return 0;
}
