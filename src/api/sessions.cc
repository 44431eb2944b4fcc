#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "abi/protocol.h"
#include "api/failure.h"
#include "api/handles.h"
#include "base/clock.h"
#include "base/file.h"
#include "bpf/variables.h"
#include "cli/emulator.h"
#include "cli/installation.h"
#include "cli/machine.h"
#include "cli/main.h"
#include "cli/run_command.h"
#include "cli/run_report.h"
#include "session/module_cache.h"

namespace egpu::api {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kMaxLoadWait{10'000};

// Whose library this is.
cli::Installation own_installation() {
  Dl_info found{};
  if (::dladdr(reinterpret_cast<const void*>(&egpu_version), &found) == 0) return {};
  std::error_code ignored;  // then nothing that belongs to it is found either, and that is said
  return {.executable = fs::canonical(found.dli_fname, ignored)};
}

Result<void> apply(const egpu_options& options, bpf::Object& object) {
  for (const auto& [name, value] : options.variables)
    EGPU_TRY(bpf::set_variable(object, name, value));
  return {};
}

session::SessionOptions session_options(const cli::Installation& installation,
                                        const cli::Machine& machine, const egpu_options& options) {
  session::SessionOptions result;
  result.inject_library = installation.inject_library();
  if (auto cache = session::cache_directory(machine.environment))
    result.cache_directory = *std::move(cache);
  result.assembler = session::search_from(machine.environment);
  result.emulated = options.emulate;
  result.snapshot_interval = options.interval;
  result.max_wait = kMaxLoadWait;
  result.requests = true;
  result.polls = true;
  return result;
}

Result<std::unique_ptr<egpu_session>> start(const cli::Installation& installation,
                                            const cli::Machine& machine,
                                            const egpu_options& options, bpf::Object object) {
  EGPU_TRY(apply(options, object));
  if (options.emulate) EGPU_TRY(cli::check_emulator(installation));
  session::SessionOptions settings = session_options(installation, machine, options);
  settings.object = std::move(object);
  auto handle = std::make_unique<egpu_session>();
  EGPU_ASSIGN(handle->session, session::Session::start(std::move(settings)));
  handle->settings = handle->session->environment(machine.variable(abi::kInjectionVariable));
  if (options.emulate)
    std::ranges::move(cli::emulator_environment(installation, machine),
                      std::back_inserter(handle->settings));
  handle->wait = options.wait;
  for (std::size_t i = 0; i < handle->session->object().maps.size(); ++i)
    handle->maps.push_back({handle.get(), i});
  return handle;
}

// `load` gives the object.
template <class Load>
int open(const egpu_options* options, egpu_session** session, Load load) {
  return guarded([&] {
    if (session == nullptr) return failed(EINVAL, "no place for the session");
    const egpu_options chosen = options == nullptr ? egpu_options() : *options;
    const cli::Machine machine = cli::this_machine();
    if (!chosen.emulate && !cli::can_use_gpu(machine))
      return failed(ENODEV, "no NVIDIA GPU found on this machine");
    const cli::Installation installation = own_installation();
    auto object = load(installation);
    if (!object) return failed(object.error());
    auto started = start(installation, machine, chosen, *std::move(object));
    if (!started) return failed(started.error());
    *session = started->release();
    return 0;
  });
}

Result<bpf::Object> load_file(const cli::Installation& installation, const char* object) {
  EGPU_ASSIGN(const fs::path path, cli::find_object(installation, object));
  EGPU_ASSIGN(const std::vector<std::byte> bytes, read_file(path));
  return bpf::load_object(bytes, path.string());
}

template <std::size_t N>
void copy_text(const std::string& text, char (&field)[N]) {
  std::strncpy(field, text.c_str(), N - 1);
  field[N - 1] = '\0';
}

// Numbers of instances within their processes, as InstanceViews come.
std::vector<egpu_instance> instances_of(session::Session& session) {
  const session::SessionReport report = session.overview();
  const std::vector<session::LiveInstance> live = session.live();
  std::vector<egpu_instance> instances;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < report.instances.size(); ++i) {
    const session::InstanceView& view = report.instances[i];
    number = i > 0 && report.instances[i - 1].process == view.process ? number + 1 : 0;
    const bool is_live = std::ranges::any_of(live, [&](const session::LiveInstance& one) {
      return one.process == view.process && one.number == number;
    });
    egpu_instance& instance = instances.emplace_back();
    instance = {};
    instance.id = instance_id(view.process, number);
    instance.pid = report.processes[view.process].pid;
    instance.device = view.device;
    instance.shards = view.shards;
    instance.live = is_live ? 1 : 0;
    copy_text(view.device_name, instance.name);
    copy_text(view.device_uuid, instance.uuid);
  }
  return instances;
}

}  // namespace
}  // namespace egpu::api

using namespace egpu;  // NOLINT(google-build-using-namespace): what follows is C's
using api::failed;
using api::guarded;

int egpu_main(int argc, char** argv) { return cli::main_of(argc, argv); }

int egpu_session_open(const char* object, const egpu_options* options, egpu_session** session) {
  if (object == nullptr) return failed(EINVAL, "no object");
  return api::open(options, session, [&](const cli::Installation& installation) {
    return api::load_file(installation, object);
  });
}

int egpu_session_open_bytes(const void* bytes, size_t size, const char* name,
                            const egpu_options* options, egpu_session** session) {
  if (bytes == nullptr || name == nullptr) return failed(EINVAL, "no object, or no name for it");
  return api::open(options, session, [&](const cli::Installation&) {
    return bpf::load_object({static_cast<const std::byte*>(bytes), size}, name);
  });
}

void egpu_session_close(egpu_session* session) { delete session; }

const char* egpu_session_setting(egpu_session* session, size_t index) {
  if (session == nullptr || index >= session->settings.size()) return nullptr;
  return session->settings[index].c_str();
}

int egpu_session_finish(egpu_session* session) {
  return guarded([&] {
    if (session == nullptr) return failed(EINVAL, "no session");
    session->session->finish();
    return 0;
  });
}

int egpu_session_statistics(egpu_session* session, egpu_statistics* statistics) {
  return guarded([&] {
    if (session == nullptr || statistics == nullptr) return failed(EINVAL, "no session");
    const session::SessionReport report = session->session->overview();
    *statistics = {};
    statistics->processes = report.processes.size();
    statistics->kernels = report.kernels.size();
    for (const session::ProcessView& process : report.processes) {
      statistics->modules += process.modules;
      statistics->modules_probed += process.replaced;
    }
    for (const session::InstanceView& instance : report.instances) {
      statistics->launches_probed += instance.instrumented_launches;
      statistics->launches_original += instance.fallback_launches;
    }
    return 0;
  });
}

int egpu_session_warnings(egpu_session* session, void (*visit)(void*, const char*), void* context) {
  return guarded([&] {
    if (session == nullptr || visit == nullptr) return failed(EINVAL, "no session, or no visitor");
    cli::RunReport report;
    report.object = &session->session->object();
    report.session = session->session->overview();
    report.end_time_ns = monotonic_ns();
    report.verbose = true;
    const std::vector<std::string> warnings = cli::warnings_of(report);
    for (const std::string& warning : warnings) visit(context, warning.c_str());
    return static_cast<int>(warnings.size());
  });
}

int egpu_session_instances(egpu_session* session, egpu_instance* instances, size_t* count) {
  return guarded([&] {
    if (session == nullptr || count == nullptr || (instances == nullptr && *count != 0))
      return failed(EINVAL, "no session, or no place for instances");
    const std::vector<egpu_instance> all = api::instances_of(*session->session);
    const std::size_t room = std::exchange(*count, all.size());
    std::copy_n(all.begin(), std::min(room, all.size()), instances);
    return all.size() <= room ? 0 : failed(ENOSPC, "more instances than there is room for");
  });
}
