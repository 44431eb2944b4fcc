// One observed process: answers its injected library until it leaves.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "abi/protocol.h"
#include "base/bytes.h"
#include "maps/snapshot_area.h"
#include "session/map_access.h"
#include "session/module_compiler.h"
#include "session/packet_socket.h"
#include "session/session.h"

namespace egpu::session {

// Shared by all connections of a session.
struct ServiceContext {
  ModuleCompiler& compiler;
  const KernelList& kernels;
  std::chrono::milliseconds snapshot_interval;
  std::vector<abi::MapSpec> maps;
  bool requests = false;  // maps are asked for while kernels run
  MapAccess::Initial initial = {};
};

class Connection {
 public:
  Connection(Peer peer, ServiceContext& service) : service_(service), peer_(std::move(peer)) {}

  // Serves until the peer is gone, breaks the protocol, or stop() is called.
  void serve();
  // Thread-safe: makes serve() return.
  void stop();

  // Passes on what came in ring buffers since the last time; false: nothing did. Not by two threads
  // at a time.
  bool drain_rings(RecordSink* sink);

  // Adds the instances of this process that can be asked to `live`. Thread-safe.
  void add_live(std::uint32_t process, std::vector<LiveInstance>& live);

  // Adds what is known of this process to `report`. Thread-safe.
  void add_to(SessionReport& report, maps::Slots slots);

 private:
  struct Instance {
    abi::OpenInstance device_untrusted;
    std::shared_ptr<maps::SnapshotArea> area;  // until the process is gone
    std::shared_ptr<MapAccess> access;         // as long; null: nobody asks
    std::shared_ptr<maps::RingStream> rings;  // null: no ring buffers, or all was read and it ended
    std::vector<maps::RingTotals> totals = {};
    maps::Snapshot last = {};  // what the area held then
  };

  Result<void> serve_packets();
  Result<void> dispatch(Bytes packet_untrusted, UniqueFd fd);
  Result<void> on_hello(const abi::Hello& hello_untrusted, const UniqueFd& driver_file);
  Result<void> on_open_instance(const abi::OpenInstance& request_untrusted);
  Result<void> on_load_module(const abi::LoadModule& request_untrusted, const UniqueFd& image_file);
  Result<void> on_open_requests(const abi::OpenRequests& request_untrusted);
  void add_note(std::string text, bool probed = false);
  void release();

  ServiceContext& service_;
  const std::shared_ptr<RequestLanes> lanes_ = std::make_shared<RequestLanes>();

  std::mutex mutex_;  // guards everything below; only serve()'s thread changes peer_
  Peer peer_;
  ProcessView process_{};
  std::vector<Instance> instances_;
  std::vector<LoadNote> notes_;
};

}  // namespace egpu::session
