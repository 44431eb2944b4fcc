#include "session/session.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <atomic>
#include <list>
#include <thread>

#include "abi/protocol.h"
#include "maps/values.h"
#include "session/connection.h"
#include "session/kernel_registry.h"
#include "session/module_compiler.h"
#include "session/packet_socket.h"
#include "session/private_directory.h"

namespace egpu::session {
namespace {

constexpr std::chrono::milliseconds kAcceptPause{20};
constexpr std::chrono::milliseconds kDrainPause{5};

MapAccess::Initial initial_of(const bpf::Object& object) {
  MapAccess::Initial initial;
  for (const bpf::MapDefinition& map : object.maps) initial.push_back(map.initial);
  return initial;
}

class Service final : public Session {
 public:
  Service(SessionOptions options, ProbeSet probes, CompilerOptions compiler,
          PrivateDirectory directory, UniqueFd listener, std::vector<std::string> notes)
      : options_(std::move(options)),
        compiler_(std::move(probes), kernels_, std::move(compiler)),
        context_{compiler_,
                 kernels_,
                 options_.snapshot_interval,
                 maps::map_specs(compiler_.object()),
                 options_.requests,
                 initial_of(compiler_.object())},
        directory_(std::move(directory)),
        listener_(std::move(listener)),
        notes_(std::move(notes)),
        acceptor_([this] { accept_all(); }),
        drainer_([this](const std::stop_token& stop) { drain_until(stop); }) {}

  ~Service() override { finish(); }

  [[nodiscard]] const bpf::Object& object() const override { return compiler_.object(); }

  [[nodiscard]] std::vector<std::string> environment(
      std::string_view chained_injection) const override {
    std::vector<std::string> settings = {
        fmt::format("{}={}", abi::kInjectionVariable, options_.inject_library.string()),
        fmt::format("{}={}", abi::kSocketVariable, socket_path().string()),
        fmt::format("{}={}", abi::kMaxWaitVariable, options_.max_wait.count()),
    };
    if (!chained_injection.empty())
      settings.push_back(fmt::format("{}={}", abi::kChainedInjectionVariable, chained_injection));
    return settings;
  }

  [[nodiscard]] SessionReport report() override { return report_with(maps::Slots::kCopied); }
  [[nodiscard]] SessionReport overview() override { return report_with(maps::Slots::kLeftOut); }

  bool drain(RecordSink& sink) override {
    const std::lock_guard lock(draining_);
    return drain_once(&sink);
  }

  [[nodiscard]] std::vector<LiveInstance> live() override {
    const std::lock_guard lock(mutex_);
    std::vector<LiveInstance> live;
    std::uint32_t process = 0;
    for (auto& served : connections_) served.connection.add_live(process++, live);
    return live;
  }

  void finish() override {
    stopping_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    if (acceptor_.joinable()) acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (auto& served : connections_) served.connection.stop();
      for (auto& served : connections_)
        if (served.thread.joinable()) served.thread.join();
    }
    drainer_.request_stop();
    if (drainer_.joinable()) drainer_.join();
  }

  [[nodiscard]] static std::filesystem::path socket_in(const PrivateDirectory& directory) {
    return directory.path() / "socket";
  }

 private:
  struct Served {
    Served(Peer peer, ServiceContext& service) : connection(std::move(peer), service) {}
    Connection connection;
    std::jthread thread;
  };

  [[nodiscard]] std::filesystem::path socket_path() const { return socket_in(directory_); }

  SessionReport report_with(maps::Slots slots) {
    SessionReport report;
    report.kernels = kernels_.all();
    const std::lock_guard lock(mutex_);
    for (auto& served : connections_) served.connection.add_to(report, slots);
    for (const auto& text : notes_)
      report.notes.push_back({.process = LoadNote::kNoProcess, .text = text});
    return report;
  }

  void accept_all() {
    while (!stopping_) {
      auto peer = accept_peer(listener_.get());
      // Stopping, or no descriptors left: those who wait are served when others end.
      if (!peer) std::this_thread::sleep_for(kAcceptPause);
      const std::lock_guard lock(mutex_);
      if (!peer) {
        if (!stopping_) note(to_string(peer.error()));
        continue;
      }
      if (peer->uid != ::geteuid()) {
        note(fmt::format("process {} runs as another user ({}): not instrumented", peer->pid,
                         peer->uid));
        continue;
      }
      Served& served = connections_.emplace_back(*std::move(peer), context_);
      served.thread = std::jthread([&served] { served.connection.serve(); });
    }
  }

  // Passes records on as they come, and in the end what is left.
  void drain_until(const std::stop_token& stop) {
    if (options_.polls || !abi::has_rings(context_.maps.data(), context_.maps.size())) return;
    bool stopped = false;
    while (!stopped) {
      stopped = stop.stop_requested();
      const bool found = drain_once(options_.records);
      if (options_.records != nullptr) options_.records->flush();
      if (!found && !stopped) std::this_thread::sleep_for(kDrainPause);
    }
  }

  bool drain_once(RecordSink* sink) {
    bool found = false;
    for (Connection* connection : connections()) found = connection->drain_rings(sink) || found;
    return found;
  }

  // They stay where they are.
  std::vector<Connection*> connections() {
    const std::lock_guard lock(mutex_);
    std::vector<Connection*> all;
    for (Served& served : connections_) all.push_back(&served.connection);
    return all;
  }

  // The same is said once in a row.
  void note(std::string text) {
    if (notes_.empty() || notes_.back() != text) notes_.push_back(std::move(text));
  }

  SessionOptions options_;
  KernelRegistry kernels_;
  ModuleCompiler compiler_;
  ServiceContext context_;
  PrivateDirectory directory_;
  UniqueFd listener_;

  std::atomic<bool> stopping_{false};
  std::mutex draining_;             // one drains at a time
  std::mutex mutex_;                // guards the two below
  std::list<Served> connections_;   // a list: threads hold references
  std::vector<std::string> notes_;  // about no process that is served

  std::jthread acceptor_;  // the last two: they start when all else exists
  std::jthread drainer_;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::start(SessionOptions options) {
  EGPU_ASSIGN(ProbeSet probes, build_probe_set(std::move(options.object)));

  CompilerOptions compiler;
  compiler.emulated = options.emulated;
  if (!options.emulated) {
    EGPU_ASSIGN(compiler.assembler, Assembler::find(options.assembler));
  }
  std::vector<std::string> notes;
  if (!options.cache_directory.empty()) {
    auto cache = ModuleCache::open(options.cache_directory);
    if (cache)
      compiler.cache = *std::move(cache);
    else
      notes.push_back("modules are not cached: " + to_string(cache.error()));
  }

  EGPU_ASSIGN(PrivateDirectory directory, PrivateDirectory::create());
  EGPU_ASSIGN(UniqueFd listener, listen_on(Service::socket_in(directory)));
  return std::make_unique<Service>(std::move(options), std::move(probes), std::move(compiler),
                                   std::move(directory), std::move(listener), std::move(notes));
}

}  // namespace egpu::session
