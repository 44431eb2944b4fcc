// A session: the service behind one `egpu run`. It owns the checked programs, listens for observed
// processes, answers their injected libraries, and keeps what their maps held.
//
// Observed processes are foreign: whatever they send is checked, and a process that breaks the
// protocol loses its connection (and so its instrumentation), nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "maps/ring_stream.h"
#include "session/assembler.h"
#include "session/map_access.h"

namespace egpu::session {

struct KernelInfo {
  std::uint32_t id;
  std::string name;       // mangled, as in the module
  std::string demangled;  // equal to `name` where it is no C++ name
};

// The kernels that a session has met, which only become more. Thread-safe.
class KernelList {
 public:
  virtual ~KernelList() = default;
  [[nodiscard]] virtual std::size_t count() const = 0;
  [[nodiscard]] virtual std::vector<KernelInfo> all() const = 0;  // index = id
};

// A record of a ring buffer, as it comes.
struct RecordView {
  std::int32_t pid = 0;
  std::int32_t device = 0;  // ordinal in that process
  maps::RingRecordView record;
  const KernelList& kernels;  // those that the record may name are there
};

// Called on one thread at a time.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void record(const RecordView& record) = 0;
  // No more for a while: what was kept back should be seen.
  virtual void flush() = 0;
};

struct SessionOptions {
  bpf::Object object;
  std::filesystem::path inject_library;               // libegpu_inject.so, absolute
  std::filesystem::path cache_directory;              // empty or unusable: none
  AssemblerSearch assembler;                          // search_from(the environment)
  bool emulated = false;                              // the driver runs PTX and nothing else
  std::chrono::milliseconds snapshot_interval{1000};  // at least 10 ms
  std::chrono::milliseconds max_wait{10'000};         // bound on what a module load may be delayed
  bool requests = false;                              // live() shall give something
  RecordSink* records = nullptr;  // outlives the session; null: records are counted alone
  bool polls = false;             // records wait for drain(); else they are passed on as they come
};

// One context of one process: its own maps.
struct InstanceView {
  std::uint32_t process;  // index in SessionReport::processes
  std::int32_t device;    // ordinal in that process
  std::string device_name;
  std::string device_uuid;  // "GPU-...", as nvidia-smi prints it
  std::uint32_t shards;
  std::uint64_t published;         // snapshots taken
  std::uint64_t snapshot_time_ns;  // CLOCK_MONOTONIC of the last one
  bool final;                      // taken after the program's last launch
  std::vector<std::byte> slot;     // the last one (abi/snapshot.h); empty if none was taken
  std::uint64_t instrumented_launches;
  std::uint64_t fallback_launches;
  std::vector<maps::RingTotals> rings = {};  // by index of the map; empty where there are none
};

// An instance that can be asked for its maps, until its process or context ends.
struct LiveInstance {
  std::uint32_t process = 0;  // index in SessionReport::processes
  std::uint32_t number = 0;   // of those of the process, in the order in which they came
  std::int32_t pid = 0;
  std::int32_t device = 0;  // ordinal in that process
  std::uint32_t shards = 0;
  std::shared_ptr<MapAccess> maps;
};

struct ProcessView {
  std::int32_t pid;
  std::string command;
  bool orderly = false;           // it said goodbye: nothing is missing
  std::uint64_t end_time_ns = 0;  // CLOCK_MONOTONIC when its connection ended
  std::uint32_t modules = 0;      // loads seen
  std::uint32_t replaced = 0;     // loads answered with an instrumented module
};

// What happened with a module load, for people.
struct LoadNote {
  static constexpr std::uint32_t kNoProcess = ~0u;  // about no process that was served
  std::uint32_t process;                            // index in SessionReport::processes
  std::string text;
  bool probed = false;  // the module got its probes; else something is not observed
};

struct SessionReport {
  std::vector<KernelInfo> kernels;  // index = id
  std::vector<ProcessView> processes;
  std::vector<InstanceView> instances;
  std::vector<LoadNote> notes;
};

class Session {
 public:
  // Checks and compiles every program, then listens. Errors are those of the checker and of the
  // system.
  static Result<std::unique_ptr<Session>> start(SessionOptions options);
  virtual ~Session() = default;

  [[nodiscard]] virtual const bpf::Object& object() const = 0;

  // "NAME=value" settings an observed process needs. `chained_injection`: the value
  // CUDA_INJECTION64_PATH has now.
  [[nodiscard]] virtual std::vector<std::string> environment(
      std::string_view chained_injection) const = 0;

  // What is known now; callable at any time from any thread.
  [[nodiscard]] virtual SessionReport report() = 0;

  // The same without slots, which may be large.
  [[nodiscard]] virtual SessionReport overview() = 0;

  // With SessionOptions::polls: gives `sink` what came since the last time, also after finish().
  // False: nothing did.
  virtual bool drain(RecordSink& sink) = 0;

  // Callable at any time from any thread; nothing without SessionOptions::requests.
  [[nodiscard]] virtual std::vector<LiveInstance> live() = 0;

  // Stops serving. Processes still connected go on uninstrumented. Call before the last report().
  virtual void finish() = 0;
};

}  // namespace egpu::session
