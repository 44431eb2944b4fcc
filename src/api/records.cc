#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "api/failure.h"
#include "api/handles.h"
#include "maps/values.h"

namespace egpu::api {
namespace {

constexpr std::chrono::milliseconds kPause{2};

class Visitor final : public session::RecordSink {
 public:
  Visitor(egpu_session& session, void (*visit)(void*, const egpu_record*), void* context)
      : session_(session), visit_(visit), context_(context) {}

  void record(const session::RecordView& view) override {
    const egpu_record record = {.map = &session_.maps[view.record.map],
                                .pid = view.pid,
                                .device = view.device,
                                .sm = view.record.shard,
                                .data = view.record.bytes_untrusted.data(),
                                .size = view.record.bytes_untrusted.size()};
    visit_(context_, &record);
    ++records_;
  }
  void flush() override {}

  [[nodiscard]] int records() const { return records_; }

 private:
  egpu_session& session_;
  void (*visit_)(void*, const egpu_record*);
  void* context_;
  int records_ = 0;
};

maps::Refusals refusals_of(const bpf::Object& object, std::size_t map,
                           const session::InstanceView& instance) {
  const maps::Copy copy{.slot = instance.slot, .shards = instance.shards};
  const auto entries = maps::read_entries(object, map, {&copy, 1});
  return entries ? entries->refusals.value_or(maps::Refusals{}) : maps::Refusals{};
}

}  // namespace
}  // namespace egpu::api

using egpu::api::failed;
using egpu::api::guarded;

int egpu_session_poll(egpu_session* session, int timeout_ms,
                      void (*visit)(void*, const egpu_record*), void* context) {
  return guarded([&] {
    if (session == nullptr || visit == nullptr) return failed(EINVAL, "no session, or no visitor");
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    egpu::api::Visitor visitor(*session, visit, context);
    while (true) {
      session->session->drain(visitor);
      if (visitor.records() != 0) return visitor.records();
      if (timeout_ms >= 0 && std::chrono::steady_clock::now() >= deadline) return 0;
      std::this_thread::sleep_for(egpu::api::kPause);
    }
  });
}

int egpu_map_get_counts(egpu_map* map, egpu_map_counts* counts) {
  return guarded([&] {
    if (map == nullptr || counts == nullptr) return failed(EINVAL, "no map");
    const auto& object = map->session->session->object();
    const bool is_ring = egpu::bpf::is_ring(object.maps[map->index].type);
    const auto report =
        is_ring ? map->session->session->overview() : map->session->session->report();
    *counts = {};
    for (const egpu::session::InstanceView& instance : report.instances) {
      if (is_ring && map->index < instance.rings.size()) {
        const egpu::maps::RingTotals& totals = instance.rings[map->index];
        counts->records += totals.records;
        counts->discarded += totals.discarded;
        counts->dropped += totals.dropped;
      } else if (!is_ring && instance.published != 0) {
        const auto refusals = egpu::api::refusals_of(object, map->index, instance);
        counts->full += refusals.full;
        counts->busy += refusals.busy;
      }
    }
    return 0;
  });
}
