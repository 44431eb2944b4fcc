#include "scripted_service.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "abi/hooked_functions.h"
#include "abi/probe_table.h"
#include "abi/ring_stream.h"
#include "base/file.h"
#include "hook/planner.h"

namespace egpu::testing {
namespace {

constexpr int kPollMs = 20;
constexpr std::chrono::seconds kFinishBound{20};

UniqueFd memfd_of(std::string_view content, bool seal) {
  UniqueFd fd(::memfd_create("scripted", MFD_CLOEXEC | (seal ? MFD_ALLOW_SEALING : 0)));
  if (::write(fd.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()))
    std::abort();
  if (seal) ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  return fd;
}

std::string_view bytes_of(const std::vector<hook::FunctionPlan>& plans) {
  return {reinterpret_cast<const char*>(plans.data()), plans.size() * sizeof(hook::FunctionPlan)};
}

// A twin for vec_add; scale has none.
std::string with_twin(std::string image, std::uint32_t maps) {
  image += ".visible .const .align 8 .b8 " + std::string(abi::kProbeTableSymbol) + "[" +
           std::to_string(abi::probe_table_bytes(maps)) +
           "];\n.visible .entry __egpu_vec_add() { ret; }\n";
  image.push_back('\0');
  return image;
}

std::vector<hook::FunctionPlan> plans_for(const std::string& driver_file,
                                          const std::string& unhooked) {
  const auto file = read_file(driver_file);
  if (!file) std::abort();
  auto plans =
      hook::plan_hooks(*file, {std::begin(abi::kHookedFunctions), std::end(abi::kHookedFunctions)});
  if (!plans) std::abort();
  for (hook::FunctionPlan& plan : *plans) {
    if (plan.symbol != unhooked) continue;
    plan = {};
    std::strcpy(plan.reason, "the test says so");
  }
  return *plans;
}

}  // namespace

std::uint64_t Area::value(std::size_t index) const {
  const std::uint64_t published = header->published.load(std::memory_order_acquire);
  if (published == 0) return 0;
  std::uint64_t value = 0;
  std::memcpy(&value,
              reinterpret_cast<const char*>(header) + abi::kSnapshotHeaderBytes +
                  (published - 1) % 2 * slot_bytes + index * sizeof value,
              sizeof value);
  return value;
}

ScriptedService::ScriptedService(std::string path, const std::string& driver_file, Script script)
    : path_(std::move(path)),
      script_(std::move(script)),
      plans_(plans_for(driver_file, script_.unhooked)) {
  random_ = script_.seed;
  listener_ = UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
  ::unlink(path_.c_str());
  if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_.get(), 4) != 0)
    std::abort();
  thread_ = std::thread([this] { serve(); });
}

ScriptedService::~ScriptedService() {
  die();
  thread_.join();
  for (const auto& area : areas_) ::munmap(area->header, area->bytes);
  ::unlink(path_.c_str());
}

void ScriptedService::die() {
  done_ = true;
  const std::lock_guard lock(mutex_);
  if (connection_) ::shutdown(connection_.get(), SHUT_RDWR);
}

void ScriptedService::finish() {
  const auto end = std::chrono::steady_clock::now() + kFinishBound;
  while (!done_ && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void ScriptedService::serve() {
  pollfd waiting{.fd = listener_.get(), .events = POLLIN, .revents = 0};
  while (!done_ && ::poll(&waiting, 1, kPollMs) == 0) {
  }
  if (done_) return;
  {
    const std::lock_guard lock(mutex_);
    connection_ = UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  while (!done_) {
    char packet[4096];
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    iovec part{.iov_base = packet, .iov_len = sizeof packet};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(connection_.get(), &message, MSG_CMSG_CLOEXEC);
    if (size <= 0) break;
    int fd = -1;
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message))
      std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    if (!handle(packet, static_cast<std::size_t>(size), UniqueFd(fd))) break;
  }
  const std::lock_guard lock(mutex_);
  connection_.reset();
  done_ = true;
}

// False: the connection ends.
bool ScriptedService::handle(const char* packet, std::size_t size, UniqueFd fd) {
  abi::Header header;
  std::memcpy(&header, packet, std::min(size, sizeof header));
  const std::lock_guard lock(mutex_);
  switch (header.type) {
    case abi::MessageType::kHello:
      return behave(script_.hello, header, sizeof(abi::HelloReply),
                    [&] { return answer_hello(header); });
    case abi::MessageType::kOpenInstance: {
      abi::OpenInstance request;
      std::memcpy(&request, packet, sizeof request);
      return behave(script_.instance, header, sizeof(abi::OpenInstanceReply),
                    [&] { return answer_instance(request); });
    }
    case abi::MessageType::kLoadModule: {
      abi::LoadModule request;
      std::memcpy(&request, packet, sizeof request);
      return behave(script_.load, header, sizeof(abi::LoadModuleReply),
                    [&] { return answer_load(request, fd); });
    }
    case abi::MessageType::kReport: {
      abi::Report report;
      std::memcpy(&report, packet, sizeof report);
      reports_.emplace_back(report.text);
      return true;
    }
    case abi::MessageType::kOpenRequests:
      return false;  // its answer to the hello says that it has none
    case abi::MessageType::kGoodbye:
      goodbye_ = true;
      return true;
  }
  return false;
}

bool ScriptedService::behave(Script::Behaviour behaviour, const abi::Header& request,
                             std::size_t reply_size, const std::function<bool()>& answer) {
  switch (behaviour) {
    case Script::Behaviour::kAnswer:
      return answer();
    case Script::Behaviour::kSilent:
      return true;
    case Script::Behaviour::kHangUp:
      return false;
    case Script::Behaviour::kGarbage:
      break;
  }
  // Sizes around the right one; half of the packets start with a correct header, so that what
  // follows is looked at.
  const auto random = [&] { return static_cast<unsigned>(::rand_r(&random_)); };
  std::vector<char> packet(random() % 2 == 0 ? reply_size : random() % 5000 + 1);
  for (char& byte : packet) byte = static_cast<char>(random());
  if (random() % 2 == 0)
    std::memcpy(packet.data(), &request, std::min(packet.size(), sizeof request));
  ::send(connection_.get(), packet.data(), packet.size(), MSG_NOSIGNAL);
  return true;
}

template <class Reply>
bool ScriptedService::send(const abi::Header& request, Reply reply, int fd) {
  reply.header.sequence = request.sequence;
  iovec part{.iov_base = &reply, .iov_len = sizeof reply};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return ::sendmsg(connection_.get(), &message, MSG_NOSIGNAL) == sizeof reply;
}

bool ScriptedService::answer_hello(const abi::Header& request) {
  abi::HelloReply reply;
  reply.ok = script_.refuse ? 0 : 1;
  reply.map_count = script_.map_count;
  reply.snapshot_interval_ms = 10;
  for (std::uint32_t i = 0; i < script_.map_count; ++i)
    reply.maps[i] = {.kind = i % 2 != 0 ? abi::MapKind::kPercpuArray : abi::MapKind::kArray,
                     .key_size = 4,
                     .value_size = 8,
                     .max_entries = 3,
                     .initial = 0};
  reply.maps[0].initial = script_.initial != 0 ? 1 : 0;
  return send(request, reply, memfd_of(bytes_of(plans_), script_.seal).get());
}

bool ScriptedService::answer_instance(const abi::OpenInstance& request) {
  const abi::MapSpec maps[2] = {{.kind = abi::MapKind::kArray,
                                 .key_size = 4,
                                 .value_size = 8,
                                 .max_entries = 3,
                                 .initial = 0},
                                {.kind = abi::MapKind::kPercpuArray,
                                 .key_size = 4,
                                 .value_size = 8,
                                 .max_entries = 3,
                                 .initial = 0}};
  auto area = std::make_unique<Area>();
  area->shards = request.shards;
  area->slot_bytes = (abi::area_bytes(abi::map_offset(maps, script_.map_count, request.shards)) -
                      abi::kSnapshotHeaderBytes) /
                     2;
  area->bytes = abi::whole_area_bytes(maps, script_.map_count, request.shards);
  area->fd = memfd_of(std::string(area->bytes, '\0'), script_.seal);
  area->header = static_cast<abi::SnapshotHeader*>(
      ::mmap(nullptr, area->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, area->fd.get(), 0));
  abi::OpenInstanceReply reply;
  reply.ok = 1;
  reply.area_bytes = script_.area_bytes != 0 ? script_.area_bytes : area->bytes;
  std::memcpy(reinterpret_cast<char*>(area->header) + abi::kSnapshotHeaderBytes, &script_.initial,
              sizeof script_.initial);
  areas_.push_back(std::move(area));
  return send(request.header, reply, areas_.back()->fd.get());
}

bool ScriptedService::answer_load(const abi::LoadModule& request, const UniqueFd& fd) {
  const auto image = read_fd(fd.get(), request.image_bytes);
  if (!image) return false;
  images_.emplace_back(as_text(*image));
  abi::LoadModuleReply reply;
  if (!script_.replace) return send(request.header, reply, -1);
  const std::string replacement = with_twin(images_.back(), script_.map_count);
  reply.verdict = abi::LoadVerdict::kReplaced;
  reply.image_bytes = replacement.size();
  return send(request.header, reply, memfd_of(replacement, script_.seal).get());
}

std::vector<std::string> ScriptedService::reports() {
  const std::lock_guard lock(mutex_);
  return reports_;
}

std::vector<std::string> ScriptedService::images() {
  const std::lock_guard lock(mutex_);
  return images_;
}

bool ScriptedService::said_goodbye() {
  const std::lock_guard lock(mutex_);
  return goodbye_;
}

std::size_t ScriptedService::areas() {
  const std::lock_guard lock(mutex_);
  return areas_.size();
}

std::uint64_t ScriptedService::threads_counted() {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& area : areas_) sum += area->first_value();
  return sum;
}

std::uint64_t ScriptedService::instrumented() {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& area : areas_) sum += area->header->instrumented_launches;
  return sum;
}

std::uint64_t ScriptedService::fallbacks() {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& area : areas_) sum += area->header->fallback_launches;
  return sum;
}

std::vector<std::uint64_t> ScriptedService::values(std::size_t index) {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> result;
  result.reserve(areas_.size());
  for (const auto& area : areas_) result.push_back(area->value(index));
  return result;
}

bool ScriptedService::all_final() {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(areas_, [](const auto& area) { return area->header->final == 1; });
}

}  // namespace egpu::testing
