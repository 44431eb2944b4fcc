#include "inject/initialize.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "abi/hooked_functions.h"
#include "hook/plan.h"
#include "inject/chained_injection.h"
#include "inject/driver_file.h"
#include "inject/install_hooks.h"
#include "inject/lifetime.h"
#include "inject/report.h"
#include "inject/session.h"

namespace egpu::inject {
namespace {

constexpr std::uint32_t kShortestIntervalMs = 10;
constexpr std::uint32_t kLongestIntervalMs = 3'600'000;

ProcessName read_process_name() {
  ProcessName name{.id = static_cast<std::uint32_t>(::getpid())};
  const UniqueFd file(::open("/proc/self/comm", O_RDONLY | O_CLOEXEC));
  const ssize_t length = file ? ::read(file.get(), name.command, sizeof name.command) : 0;
  name.command[length > 0 ? length - 1 : 0] = '\0';  // it ends with a newline
  return name;
}

// The plans that the service made from the driver's file; empty where there are none to use.
Mapping say_hello(const DriverFile& driver_file) {
  const UniqueFd file(::open(driver_file.path, O_RDONLY | O_CLOEXEC));
  if (!file) {
    report("the driver's file %s cannot be opened", driver_file.path);
    return {};
  }
  abi::Hello hello;
  hello.pid = static_cast<std::int32_t>(session.process.id);
  static_assert(sizeof hello.command >= sizeof session.process.command);
  std::memcpy(hello.command, session.process.command, sizeof session.process.command);
  UniqueFd plans;
  if (!session.connection.ask(hello, file.get(), session.settings, plans)) return {};
  abi::HelloReply& settings = session.settings;
  if (settings.ok == 0 || settings.map_count > abi::kMaxMaps) return {};
  settings.snapshot_interval_ms =
      std::clamp(settings.snapshot_interval_ms, kShortestIntervalMs, kLongestIntervalMs);
  return map_received(plans, sizeof(hook::FunctionPlan) * abi::kHookedFunctionCount,
                      Access::kPrivateRead);
}

}  // namespace

bool initialize() {
  // `egpu run` inside `egpu run`: the previous injection library, which is chained, is this one.
  static constinit std::atomic<bool> started{false};
  if (started.exchange(true)) return false;

  session.configuration = read_configuration();
  session.process = read_process_name();
  const Configuration& configuration = session.configuration;
  const bool connected =
      configuration.socket_path != nullptr &&
      session.connection.open(configuration.socket_path, configuration.max_wait_ms);

  // Before our hooks are placed: another library's must not find ours in the functions it patches.
  run_chained_injection(configuration.chained_injection);
  if (!connected) return false;

  if (const char* missing = cuda::load_driver_table(session.driver); missing != nullptr) {
    report("nothing is instrumented: the driver has no %s", missing);
    return false;
  }
  const DriverFile driver_file =
      find_driver_file(reinterpret_cast<const void*>(session.driver.driver_get_version));
  if (driver_file.path == nullptr) {
    report("nothing is instrumented: the driver's file is not known");
    return false;
  }
  const Mapping plans = say_hello(driver_file);
  if (!plans) return false;

  // Handlers first: with hooks in place and no handler, a forked child would use its parent's
  // connection.
  if (!register_lifetime_handlers()) {
    report("nothing is instrumented: exit and fork handlers cannot be registered");
    return false;
  }
  if (!install_hooks(static_cast<const hook::FunctionPlan*>(plans.data()), driver_file.load_bias))
    return false;
  session.active = true;
  return true;
}

}  // namespace egpu::inject
