// The service against a scripted peer that speaks the protocol, well and badly.
#include "session/session.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <thread>

#include "abi/hooked_functions.h"
#include "abi/protocol.h"
#include "abi/snapshot.h"
#include "base/file.h"
#include "hook/plan.h"
#include "maps/values.h"
#include "session/packet_socket.h"

namespace egpu::session {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

// The bundled tool, as users run it.
bpf::Object kernelcount() {
  const std::string path = std::string(EGPU_BINARY_DIR) + "/share/egpu/tools/kernelcount.bpf.o";
  const auto bytes = read_file(path);
  EXPECT_TRUE(bytes) << "build the target `all` first";
  auto object = bpf::load_object(*bytes, path);
  EXPECT_TRUE(object) << to_string(object.error());
  return *std::move(object);
}

// The same with variables in .data.
bpf::Object with_data_section(const std::vector<std::byte>& initial) {
  bpf::Object object = kernelcount();
  object.maps.push_back({.name = ".data",
                         .type = bpf::MapType::kArray,
                         .key_size = 4,
                         .value_size = static_cast<std::uint32_t>(initial.size()),
                         .max_entries = 1,
                         .key_type = {},
                         .value_type = {},
                         .initial = initial});
  return object;
}

std::unique_ptr<Session> start_session(bpf::Object object = kernelcount()) {
  auto session = Session::start({.object = std::move(object),
                                 .inject_library = "/nowhere/libegpu_inject.so",
                                 .cache_directory = {},
                                 .assembler = {},
                                 .snapshot_interval = std::chrono::milliseconds(100),
                                 .max_wait = std::chrono::milliseconds(1000)});
  EXPECT_TRUE(session) << to_string(session.error());
  return *std::move(session);
}

std::string setting(const Session& session, std::string_view name) {
  for (const auto& entry : session.environment(""))
    if (entry.starts_with(std::string(name) + "=")) return entry.substr(name.size() + 1);
  return {};
}

// An observed process, as the service sees it.
class FakePeer {
 public:
  explicit FakePeer(const Session& session)
      : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, setting(session, abi::kSocketVariable).c_str(),
                 sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  template <class Message>
  void send(const Message& message, int fd = -1) {
    EXPECT_TRUE(send_packet(socket_.get(), std::as_bytes(std::span(&message, 1)), fd));
  }

  // The answer, or nothing once the service has hung up.
  template <class Reply>
  std::optional<Reply> receive(UniqueFd* fd = nullptr) {
    std::byte buffer[4096];
    auto packet = receive_packet(socket_.get(), buffer);
    if (!packet || !*packet) return std::nullopt;
    EXPECT_EQ((*packet)->size, sizeof(Reply));
    if (fd != nullptr) *fd = std::move((*packet)->fd);
    return read_at<Reply>(Bytes(buffer), 0);
  }

  void say_hello() {
    abi::Hello hello;
    hello.header.sequence = 7;
    std::strcpy(hello.command, "fake");
    const UniqueFd library(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    send(hello, library.get());
    UniqueFd plan;
    const auto reply = receive<abi::HelloReply>(&plan);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->header.sequence, 7u);
  }

  void hang_up() { socket_.reset(); }

 private:
  UniqueFd socket_;
};

// The report once the condition holds of it, or after two seconds.
template <class Condition>
SessionReport report_when(Session& session, Condition condition) {
  SessionReport report = session.report();
  for (int i = 0; i < 200 && !condition(report); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    report = session.report();
  }
  return report;
}
bool all_ended(const SessionReport& report) {
  return !report.processes.empty() &&
         std::ranges::all_of(report.processes,
                             [](const ProcessView& process) { return process.end_time_ns != 0; });
}

TEST(Session, HelloIsAnsweredWithMapsAndPlans) {
  const auto session = start_session();
  FakePeer peer(*session);
  abi::Hello hello;
  hello.header.sequence = 1;
  const UniqueFd library(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  peer.send(hello, library.get());
  UniqueFd plans;
  const auto reply = peer.receive<abi::HelloReply>(&plans);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->ok, 1u);
  EXPECT_EQ(reply->map_count, 1u);
  EXPECT_EQ(reply->maps[0].kind, abi::MapKind::kPercpuArray);
  EXPECT_EQ(reply->maps[0].value_size, 16u);
  EXPECT_EQ(reply->snapshot_interval_ms, 100u);
  // This test program exports no driver function: every plan says why it is none.
  const auto plan_bytes =
      read_fd(plans.get(), sizeof(hook::FunctionPlan) * abi::kHookedFunctionCount);
  ASSERT_TRUE(plan_bytes);
  const auto first = read_at<hook::FunctionPlan>(*plan_bytes, 0);
  EXPECT_STRNE(first->reason, "");
}

TEST(Session, EveryInstanceGetsTheInitialValuesOfDataSections) {
  const std::vector<std::byte> initial = {std::byte{1}, std::byte{2}, std::byte{3}};
  const auto session = start_session(with_data_section(initial));
  FakePeer peer(*session);
  peer.say_hello();
  for (const std::uint32_t shards : {2U, 5U}) {
    abi::OpenInstance open;
    open.shards = shards;
    peer.send(open);
    UniqueFd area;
    const auto reply = peer.receive<abi::OpenInstanceReply>(&area);
    ASSERT_TRUE(reply);
    const auto content = read_fd(area.get(), reply->area_bytes);
    ASSERT_TRUE(content);
    // kernelcount's own map, one shard for each SM, stays zero; .data comes after it.
    const abi::MapSpec own = maps::map_specs(kernelcount()).front();
    std::vector<std::byte> expected(abi::map_bytes(own, shards));
    expected.insert(expected.end(), initial.begin(), initial.end());
    EXPECT_TRUE(std::ranges::equal(
        Bytes(*content).subspan(abi::kSnapshotHeaderBytes, expected.size()), expected));
  }
}

TEST(Session, OnlyMapsThatDoNotStartAsZerosAreAnnounced) {
  const auto announced = [](const bpf::Object& object) {
    return maps::map_specs(object).back().initial;
  };
  EXPECT_EQ(announced(with_data_section({std::byte{0}, std::byte{1}})), 1U);
  EXPECT_EQ(announced(with_data_section(std::vector<std::byte>(16))), 0U);
  EXPECT_EQ(announced(kernelcount()), 0U);
}

TEST(Session, SnapshotsOfAnInstanceAreReadEvenAfterTheProcessIsGone) {
  const auto session = start_session();
  FakePeer peer(*session);
  peer.say_hello();
  abi::OpenInstance open;
  open.shards = 2;
  std::strcpy(open.name, "Test GPU");
  peer.send(open);
  UniqueFd area_fd;
  const auto reply = peer.receive<abi::OpenInstanceReply>(&area_fd);
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->ok, 1u);
  void* area =
      ::mmap(nullptr, reply->area_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, area_fd.get(), 0);
  ASSERT_NE(area, MAP_FAILED);
  auto* header = static_cast<abi::SnapshotHeader*>(area);
  std::memset(static_cast<char*>(area) + abi::kSnapshotHeaderBytes, 0x5a, 16);
  header->time_ns[0] = 1234;
  header->instrumented_launches = 3;
  header->published = 1;
  peer.hang_up();

  const auto report = report_when(*session, all_ended);
  ASSERT_EQ(report.instances.size(), 1u);
  const auto& instance = report.instances[0];
  EXPECT_EQ(instance.device_name, "Test GPU");
  EXPECT_EQ(instance.published, 1u);
  EXPECT_EQ(instance.snapshot_time_ns, 1234u);
  EXPECT_EQ(instance.instrumented_launches, 3u);
  EXPECT_FALSE(instance.final);
  ASSERT_GE(instance.slot.size(), 16u);
  EXPECT_EQ(instance.slot[15], std::byte{0x5a});
  EXPECT_FALSE(report.processes[0].orderly);
  ::munmap(area, reply->area_bytes);
}

TEST(Session, GoodbyeMakesAnOrderlyEnd) {
  const auto session = start_session();
  FakePeer peer(*session);
  peer.say_hello();
  peer.send(abi::Goodbye{});
  peer.hang_up();
  const auto report = report_when(*session, all_ended);
  ASSERT_EQ(report.processes.size(), 1u);
  EXPECT_TRUE(report.processes[0].orderly);
  EXPECT_EQ(report.processes[0].command, "fake");
  EXPECT_EQ(report.processes[0].pid, ::getpid());
}

TEST(Session, ReportsBecomeNotesWithoutControlCharacters) {
  const auto session = start_session();
  FakePeer peer(*session);
  abi::Report text;
  std::strcpy(text.text, "launch failed\x1b[31m");
  peer.send(text);
  peer.hang_up();
  const auto report = report_when(*session, all_ended);
  EXPECT_THAT(report.notes, Contains(Field(&LoadNote::text, "launch failed?[31m")));
}

// Loads `image` and gives the verdict.
abi::LoadModuleReply load(FakePeer& peer, Bytes image, UniqueFd* replacement = nullptr) {
  const auto file = make_memfd("image", image);
  EXPECT_TRUE(file);
  abi::LoadModule request;
  request.image_bytes = image.size();
  request.compute_major = 9;
  request.driver_version = 13000;
  peer.send(request, file->get());
  const auto reply = peer.receive<abi::LoadModuleReply>(replacement);
  EXPECT_TRUE(reply);
  return reply.value_or(abi::LoadModuleReply{});
}

constexpr std::string_view kVecAdd = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry vec_add(.param .u64 p)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ret;
}
)";

// The image that the service gives for `image`.
std::string replacement_of(FakePeer& peer, std::string_view image) {
  UniqueFd fd;
  const auto reply = load(peer, as_bytes(image), &fd);
  EXPECT_EQ(reply.verdict, abi::LoadVerdict::kReplaced);
  const auto replacement = read_fd(fd.get(), reply.image_bytes);
  EXPECT_TRUE(replacement);
  return replacement ? std::string(as_text(*replacement)) : std::string();
}

// `image`: a cubin where there is an assembler, else PTX.
bool has_table_in_global_memory(const std::string& image) {
  return image.starts_with(
             "\x7f"
             "ELF")
             ? image.contains(".nv.global")
             : image.contains(".visible .global");
}

TEST(Session, AMatchingModuleIsReplaced) {
  const auto session = start_session();
  FakePeer peer(*session);
  const std::string replacement = replacement_of(peer, kVecAdd);
  EXPECT_THAT(replacement, HasSubstr("__egpu_vec_add"));
  EXPECT_FALSE(has_table_in_global_memory(replacement));
  const auto report = session->report();
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].name, "vec_add");
  EXPECT_EQ(report.processes[0].replaced, 1u);
}

TEST(Session, AModuleThatFillsItsConstantsGetsTheTableInGlobalMemory) {
  const auto session = start_session();
  FakePeer peer(*session);
  std::string full(kVecAdd);
  full.insert(full.find(".visible .entry"), ".const .align 8 .b8 constants[65536];\n");
  const std::string replacement = replacement_of(peer, full);
  EXPECT_TRUE(has_table_in_global_memory(replacement));
  EXPECT_EQ(replacement_of(peer, full), replacement) << "the second time, too";
}

TEST(Session, GarbageAndForeignModulesAreLeftAlone) {
  const auto session = start_session();
  FakePeer peer(*session);
  EXPECT_EQ(load(peer, as_bytes("\x7f"
                                "ELF and then nothing"))
                .verdict,
            abi::LoadVerdict::kOriginal);
  EXPECT_EQ(load(peer, as_bytes("not a module at all")).verdict, abi::LoadVerdict::kOriginal);
  EXPECT_EQ(
      load(peer, as_bytes(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry broken("))
          .verdict,
      abi::LoadVerdict::kOriginal);
  EXPECT_EQ(session->report().processes[0].modules, 3u);
}

TEST(Session, BreakingTheProtocolEndsThatConnectionAlone) {
  const auto session = start_session();
  FakePeer good(*session);
  good.say_hello();
  {
    FakePeer bad(*session);
    bad.send(std::uint64_t{0x1122334455667788});
    EXPECT_FALSE(bad.receive<abi::HelloReply>());
  }
  {
    FakePeer bad(*session);
    abi::Hello old;
    old.header.version = abi::kVersion + 1;
    bad.send(old);
    EXPECT_FALSE(bad.receive<abi::HelloReply>());
  }
  {
    FakePeer bad(*session);
    abi::LoadModule lying;  // announces more than it sends
    lying.image_bytes = 1 << 20;
    const auto file = make_memfd("short", as_bytes("short"));
    bad.send(lying, file->get());
    EXPECT_FALSE(bad.receive<abi::LoadModuleReply>());
  }
  {
    FakePeer bad(*session);
    abi::OpenInstance huge;
    huge.shards = ~0u;
    bad.send(huge);
    EXPECT_FALSE(bad.receive<abi::OpenInstanceReply>());
  }
  EXPECT_EQ(load(good, as_bytes(kVecAdd)).verdict, abi::LoadVerdict::kReplaced);
}

// As a test suite of many small CUDA programs would do.
TEST(Session, ProcessesThatEndedHoldNoDescriptors) {
  const auto session = start_session();
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = descriptors();
  for (std::size_t i = 1; i <= 20; ++i) {
    FakePeer peer(*session);
    abi::OpenInstance request;
    request.shards = 2;
    peer.send(request);
    ASSERT_TRUE(peer.receive<abi::OpenInstanceReply>());
    peer.hang_up();
    const auto report = report_when(*session, all_ended);
    EXPECT_EQ(report.instances.size(), i);
    EXPECT_TRUE(all_ended(report));
  }
  EXPECT_EQ(descriptors(), before);
}

TEST(Session, FinishEndsConnectionsThatAreStillOpen) {
  const auto session = start_session();
  FakePeer peer(*session);
  peer.say_hello();
  session->finish();
  EXPECT_FALSE(peer.receive<abi::HelloReply>());
  EXPECT_TRUE(all_ended(session->report()));
}

TEST(Session, RunsWithoutACacheWhereItsDirectoryCannotBeUsed) {
  const auto session = Session::start({.object = kernelcount(),
                                       .inject_library = "/nowhere/libegpu_inject.so",
                                       .cache_directory = "/dev/null/cache",
                                       .assembler = {},
                                       .snapshot_interval = std::chrono::milliseconds(100),
                                       .max_wait = std::chrono::milliseconds(1000)});
  ASSERT_TRUE(session) << to_string(session.error());
  FakePeer peer(**session);
  EXPECT_EQ(load(peer, as_bytes(kVecAdd)).verdict, abi::LoadVerdict::kReplaced);
  EXPECT_THAT((*session)->report().notes,
              Contains(Field(&LoadNote::text, HasSubstr("modules are not cached"))));
}

TEST(Session, EnvironmentChainsAnEarlierInjection) {
  const auto session = start_session();
  const auto settings = session->environment("/opt/profiler.so");
  EXPECT_THAT(settings, Contains("CUDA_INJECTION64_PATH=/nowhere/libegpu_inject.so"));
  EXPECT_THAT(settings, Contains("EGPU_CHAINED_INJECTION64_PATH=/opt/profiler.so"));
}

}  // namespace
}  // namespace egpu::session
