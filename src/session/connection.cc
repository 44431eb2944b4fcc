#include "session/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string_view>

#include "abi/hooked_functions.h"
#include "base/clock.h"
#include "base/file.h"
#include "hook/planner.h"
#include "session/driver_file.h"

namespace egpu::session {
namespace {

constexpr std::size_t kMostInstances = 256;
constexpr std::size_t kMostNotes = 1000;

// A fixed-size field a peer filled: up to its NUL, unprintable bytes replaced.
template <std::size_t N>
std::string text_of(const char (&field_untrusted)[N]) {
  std::string text(field_untrusted, ::strnlen(field_untrusted, N));
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::string uuid_text(const std::uint8_t (&uuid)[16]) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

template <class T>
Bytes bytes_of(const T& message) {
  return std::as_bytes(std::span(&message, 1));
}

template <class T>
Result<T> message_of(Bytes packet_untrusted) {
  const auto message = read_at<T>(packet_untrusted, 0);
  if (!message || packet_untrusted.size() != sizeof(T)) {
    return input_error("message of a wrong size");
  }
  return *message;
}

}  // namespace

void Connection::serve() {
  {
    const std::lock_guard lock(mutex_);
    process_.pid = peer_.pid;
  }
  try {
    if (auto served = serve_packets(); !served)
      add_note("connection ended: " + to_string(served.error()));
  } catch (const std::exception& failure) {  // out of memory, in us or in a library
    add_note(std::string("connection ended by our own failure: ") + failure.what());
  }
  release();
}

// Keeps what the report needs and gives back the descriptors: a session may see thousands of
// processes come and go.
void Connection::release() {
  const std::lock_guard lock(mutex_);
  process_.end_time_ns = monotonic_ns();
  peer_.socket.reset();
  for (RequestLane& lane : *lanes_) lane.close();
  for (Instance& instance : instances_) {
    if (!instance.area) continue;
    auto copied = instance.area->read();
    if (copied)
      instance.last = *std::move(copied);
    else
      notes_.push_back({.process = LoadNote::kNoProcess, .text = to_string(copied.error())});
    instance.area.reset();
    instance.access.reset();
  }
}

Result<void> Connection::serve_packets() {
  alignas(8) std::byte buffer[abi::kMaxPacketBytes];
  while (true) {
    EGPU_ASSIGN(auto packet, receive_packet(peer_.socket.get(), buffer));
    if (!packet) return {};
    EGPU_TRY(dispatch(Bytes(buffer).first(packet->size), std::move(packet->fd)));
  }
}

void Connection::stop() {
  const std::lock_guard lock(mutex_);
  if (peer_.socket) ::shutdown(peer_.socket.get(), SHUT_RDWR);
}

Result<void> Connection::dispatch(Bytes packet_untrusted, UniqueFd fd) {
  const auto header = read_at<abi::Header>(packet_untrusted, 0);
  if (!header || header->magic != abi::kMagic) return input_error("packet is no message of ours");
  if (header->version != abi::kVersion)
    return input_error(fmt::format("injected library speaks protocol {}, this service {}",
                                   header->version, abi::kVersion))
        .hint("use libegpu_inject.so of the same build as egpu");
  switch (header->type) {
    case abi::MessageType::kHello: {
      EGPU_ASSIGN(const auto hello, message_of<abi::Hello>(packet_untrusted));
      return on_hello(hello, fd);
    }
    case abi::MessageType::kOpenInstance: {
      EGPU_ASSIGN(const auto request, message_of<abi::OpenInstance>(packet_untrusted));
      return on_open_instance(request);
    }
    case abi::MessageType::kLoadModule: {
      EGPU_ASSIGN(const auto request, message_of<abi::LoadModule>(packet_untrusted));
      return on_load_module(request, fd);
    }
    case abi::MessageType::kReport: {
      EGPU_ASSIGN(const auto report, message_of<abi::Report>(packet_untrusted));
      add_note(text_of(report.text));
      return {};
    }
    case abi::MessageType::kOpenRequests: {
      EGPU_ASSIGN(const auto request, message_of<abi::OpenRequests>(packet_untrusted));
      return on_open_requests(request);
    }
    case abi::MessageType::kGoodbye: {
      const std::lock_guard lock(mutex_);
      process_.orderly = true;
      return {};
    }
  }
  return input_error("message of an unknown type");
}

Result<void> Connection::on_hello(const abi::Hello& hello_untrusted, const UniqueFd& driver_file) {
  {
    const std::lock_guard lock(mutex_);
    process_.command = text_of(hello_untrusted.command);
  }
  abi::HelloReply reply;
  reply.header.sequence = hello_untrusted.header.sequence;

  std::vector<std::string_view> names(std::begin(abi::kHookedFunctions),
                                      std::end(abi::kHookedFunctions));
  auto file = DriverFile::open(driver_file.get());
  if (!file) return Error(file.error());
  auto plans = hook::plan_hooks(file->bytes(), names);
  if (!plans) {
    add_note("not instrumented: " + to_string(plans.error()));
    return send_packet(peer_.socket.get(), bytes_of(reply));
  }
  reply.ok = 1;
  reply.map_count = static_cast<std::uint32_t>(service_.maps.size());
  reply.requests = service_.requests ? 1 : 0;
  reply.snapshot_interval_ms = static_cast<std::uint32_t>(service_.snapshot_interval.count());
  std::ranges::copy(service_.maps, reply.maps);
  EGPU_ASSIGN(const UniqueFd plan_file,
              make_memfd("egpu-hook-plan", std::as_bytes(std::span(*plans))));
  return send_packet(peer_.socket.get(), bytes_of(reply), plan_file.get());
}

Result<void> Connection::on_open_instance(const abi::OpenInstance& request_untrusted) {
  const std::uint32_t shards = request_untrusted.shards;
  if (shards == 0 || shards > abi::kMaxShards)
    return input_error(fmt::format("a device with {} SMs", shards));
  EGPU_ASSIGN(auto created, maps::SnapshotArea::create(service_.maps, shards));
  const auto area = std::make_shared<maps::SnapshotArea>(std::move(created));

  abi::OpenInstanceReply reply;
  for (std::size_t i = 0; i < service_.maps.size(); ++i)
    if (service_.maps[i].initial != 0)
      EGPU_TRY(area->set_initial(abi::map_offset(service_.maps.data(), i, shards),
                                 service_.compiler.object().maps[i].initial));
  reply.header.sequence = request_untrusted.header.sequence;
  reply.ok = 1;
  reply.area_bytes = area->area_bytes();
  const int fd = area->fd();
  std::shared_ptr<maps::RingStream> rings;
  if (abi::has_rings(service_.maps.data(), service_.maps.size())) {
    EGPU_ASSIGN(rings, maps::RingStream::map(fd, service_.maps, shards));
  }
  {
    const std::lock_guard lock(mutex_);
    if (instances_.size() == kMostInstances) return input_error("too many contexts");
    reply.instance = static_cast<std::uint32_t>(instances_.size());
    std::shared_ptr<MapAccess> access;
    if (service_.requests) {
      EGPU_ASSIGN(access, MapAccess::make({reply.instance, shards, area, lanes_}, service_.maps,
                                          service_.initial));
    }
    instances_.push_back({request_untrusted, area, std::move(access), std::move(rings)});
  }
  return send_packet(peer_.socket.get(), bytes_of(reply), fd);
}

Result<void> Connection::on_open_requests(const abi::OpenRequests& request_untrusted) {
  abi::OpenRequestsReply reply;
  reply.header.sequence = request_untrusted.header.sequence;
  const auto lane = static_cast<std::size_t>(request_untrusted.lane);
  if (!service_.requests || lane >= abi::kLanes) return input_error("a lane that is not there");
  EGPU_ASSIGN(const UniqueFd socket, (*lanes_)[lane].open());
  reply.ok = 1;
  return send_packet(peer_.socket.get(), bytes_of(reply), socket.get());
}

Result<void> Connection::on_load_module(const abi::LoadModule& request_untrusted,
                                        const UniqueFd& image_file) {
  if (request_untrusted.image_bytes > abi::kMaxImageBytes)
    return input_error("image of more than 2 GiB");
  EGPU_ASSIGN(const auto image_untrusted, read_fd(image_file.get(), request_untrusted.image_bytes));
  CompiledModule module = service_.compiler.compile(
      image_untrusted, {static_cast<unsigned>(request_untrusted.compute_major),
                        static_cast<unsigned>(request_untrusted.compute_minor)});
  if (!module.note.empty()) add_note(std::move(module.note), module.replacement.has_value());

  abi::LoadModuleReply reply;
  reply.header.sequence = request_untrusted.header.sequence;
  UniqueFd replacement;
  if (module.replacement) {
    EGPU_ASSIGN(replacement, make_memfd("egpu-module", *module.replacement));
    reply.verdict = abi::LoadVerdict::kReplaced;
    reply.image_bytes = module.replacement->size();
  }
  {
    const std::lock_guard lock(mutex_);
    ++process_.modules;
    if (module.replacement) ++process_.replaced;
  }
  return send_packet(peer_.socket.get(), bytes_of(reply), replacement.get());
}

void Connection::add_note(std::string text, bool probed) {
  const std::lock_guard lock(mutex_);
  if (notes_.size() < kMostNotes)
    notes_.push_back({.process = LoadNote::kNoProcess, .text = std::move(text), .probed = probed});
}

bool Connection::drain_rings(RecordSink* sink) {
  std::vector<std::pair<std::int32_t, std::shared_ptr<maps::RingStream>>> streams;
  bool has_ended = false;  // before it is read: nothing comes after that
  {
    const std::lock_guard lock(mutex_);
    has_ended = process_.end_time_ns != 0;
    for (const Instance& instance : instances_)
      if (instance.rings) streams.emplace_back(instance.device_untrusted.device, instance.rings);
  }
  bool found = false;
  for (const auto& [device, stream] : streams) {
    const auto drained = stream->drain([&](const maps::RingRecordView& record) {
      if (sink != nullptr)
        sink->record(
            {.pid = peer_.pid, .device = device, .record = record, .kernels = service_.kernels});
    });
    if (!drained) add_note(to_string(drained.error()));
    found = found || drained.value_or(0) != 0;
  }
  const std::lock_guard lock(mutex_);
  for (Instance& instance : instances_) {
    if (!instance.rings) continue;
    instance.totals = instance.rings->totals();
    if (has_ended) instance.rings.reset();
  }
  return found;
}

void Connection::add_live(std::uint32_t process, std::vector<LiveInstance>& live) {
  const std::lock_guard lock(mutex_);
  if (!std::ranges::all_of(*lanes_, &RequestLane::is_open)) return;
  for (std::uint32_t i = 0; i < instances_.size(); ++i) {
    const auto& instance = instances_[i];
    if (instance.access != nullptr)
      live.push_back({.process = process,
                      .number = i,
                      .pid = process_.pid,
                      .device = instance.device_untrusted.device,
                      .shards = instance.device_untrusted.shards,
                      .maps = instance.access});
  }
}

void Connection::add_to(SessionReport& report, maps::Slots slots) {
  const std::lock_guard lock(mutex_);
  const auto process = static_cast<std::uint32_t>(report.processes.size());
  report.processes.push_back(process_);
  for (const LoadNote& note : notes_)
    report.notes.push_back({.process = process, .text = note.text, .probed = note.probed});
  for (const auto& instance : instances_) {
    const auto& device = instance.device_untrusted;
    maps::Snapshot snapshot;
    if (!instance.area) {
      snapshot = slots == maps::Slots::kCopied ? instance.last : instance.last.without_slot();
    } else {
      auto copied = instance.area->read(slots);
      if (!copied) report.notes.push_back({.process = process, .text = to_string(copied.error())});
      snapshot = copied ? *std::move(copied) : maps::Snapshot{};
    }
    report.instances.push_back({
        .process = process,
        .device = device.device,
        .device_name = text_of(device.name),
        .device_uuid = uuid_text(device.uuid),
        .shards = device.shards,
        .published = snapshot.published,
        .snapshot_time_ns = snapshot.time_ns,
        .final = snapshot.final,
        .slot = std::move(snapshot.slot),
        .instrumented_launches = snapshot.instrumented_launches,
        .fallback_launches = snapshot.fallback_launches,
        .rings = instance.totals,
    });
  }
}

}  // namespace egpu::session
