// The service's end of the protocol, following a script: tests say how it answers.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "abi/protocol.h"
#include "abi/snapshot.h"
#include "base/fd.h"
#include "hook/plan.h"

namespace egpu::testing {

struct Script {
  enum class Behaviour {
    kAnswer,   // as the real service would
    kSilent,   // never
    kGarbage,  // random bytes, sometimes behind a correct header
    kHangUp,   // closes the connection
  };
  Behaviour hello = Behaviour::kAnswer;
  Behaviour load = Behaviour::kAnswer;
  Behaviour instance = Behaviour::kAnswer;
  unsigned seed = 1;             // of the garbage
  bool refuse = false;           // HelloReply.ok = 0
  bool replace = true;           // LoadVerdict::kReplaced
  bool seal = true;              // memfds cannot shrink
  std::uint64_t area_bytes = 0;  // announced instead of the right number
  std::string unhooked = {};     // a function that has a reason in the plan
  std::uint32_t map_count = 1;
  std::uint64_t initial = 0;  // of word 0 of the first map; 0: none is announced
};

// One snapshot area, as the service keeps it.
struct Area {
  UniqueFd fd;
  abi::SnapshotHeader* header = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t slot_bytes = 0;  // from one slot to the other
  std::uint32_t shards = 0;
  // Word 0 of the first map in the last published snapshot.
  [[nodiscard]] std::uint64_t first_value() const { return value(0); }
  // Word `index` of the maps there.
  [[nodiscard]] std::uint64_t value(std::size_t index) const;
};

class ScriptedService {
 public:
  // Listens on `path` from now on. One process may connect.
  ScriptedService(std::string path, const std::string& driver_file, Script script);
  ~ScriptedService();
  ScriptedService(const ScriptedService&) = delete;
  ScriptedService& operator=(const ScriptedService&) = delete;

  // Ends the connection as a killed service would.
  void die();
  // Waits until the observed process ended its connection, a bounded time.
  void finish();

  std::vector<std::string> reports();
  std::vector<std::string> images();  // of LoadModule requests
  bool said_goodbye();
  std::size_t areas();
  // Sum over all instances.
  std::uint64_t threads_counted();
  std::uint64_t instrumented();
  std::uint64_t fallbacks();
  bool all_final();
  // In every instance.
  std::vector<std::uint64_t> values(std::size_t index);

 private:
  void serve();
  bool handle(const char* packet, std::size_t size, UniqueFd fd);
  bool answer_hello(const abi::Header& request);
  bool answer_instance(const abi::OpenInstance& request);
  bool answer_load(const abi::LoadModule& request, const UniqueFd& fd);
  bool behave(Script::Behaviour behaviour, const abi::Header& request, std::size_t reply_size,
              const std::function<bool()>& answer);
  template <class Reply>
  bool send(const abi::Header& request, Reply reply, int fd);

  std::string path_;
  Script script_;
  std::vector<hook::FunctionPlan> plans_;
  UniqueFd listener_;
  UniqueFd connection_;
  std::mutex mutex_;
  std::vector<std::string> reports_;
  std::vector<std::string> images_;
  std::vector<std::unique_ptr<Area>> areas_;
  bool goodbye_ = false;
  std::atomic<bool> done_{false};
  unsigned random_ = 1;
  std::thread thread_;
};

}  // namespace egpu::testing
