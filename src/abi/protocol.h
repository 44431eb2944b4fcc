// What the injected library and the service say to each other.
//
// One Unix SOCK_SEQPACKET connection per process; every packet is one of the structs below, whole.
// Large data travels as sealed memfds (SCM_RIGHTS). The library asks, the service answers with the
// same sequence number; kReport and kGoodbye have no answer. Both ends are of one build (kVersion);
// a mismatch ends the connection and the program runs uninstrumented. The service trusts nothing it
// receives: sizes, counts and strings are checked, `_untrusted` in name where they are kept. Plain
// data, native byte order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace egpu::abi {

inline constexpr std::uint32_t kMagic = 0x55504745;  // "EGPU"
inline constexpr std::uint16_t kVersion = 4;

// Environment of an observed process, set by `egpu run`.
// path of the service's socket
inline constexpr char kSocketVariable[] = "EGPU_SOCKET";
// bound on one answer; default 10000
inline constexpr char kMaxWaitVariable[] = "EGPU_MAX_WAIT_MS";
// read by the driver at cuInit
inline constexpr char kInjectionVariable[] = "CUDA_INJECTION64_PATH";
// the value it had before
inline constexpr char kChainedInjectionVariable[] = "EGPU_CHAINED_INJECTION64_PATH";

inline constexpr std::uint32_t kMaxMaps = 64;
inline constexpr std::uint32_t kMaxShards = 4096;  // SMs of a device
// An image of more is loaded without asking the service.
inline constexpr std::uint64_t kMaxImageBytes = std::uint64_t{2} << 30;
// Larger than every message, so that a longer packet is seen as wrong and not as cut off.
inline constexpr std::size_t kMaxPacketBytes = 4096;

enum class MessageType : std::uint16_t {
  kHello = 1,     // -> HelloReply
  kOpenInstance,  // -> OpenInstanceReply
  kLoadModule,    // -> LoadModuleReply
  kReport,        // one way
  kGoodbye,       // one way
  kOpenRequests,  // -> OpenRequestsReply
};

struct Header {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  MessageType type = MessageType::kHello;  // every packet names its own
  std::uint32_t sequence = 0;
  std::uint32_t reserved = 0;
};

// First packet. fd: the driver library's file, opened by the process itself (its mount namespace).
struct Hello {
  Header header{.type = MessageType::kHello};
  std::int32_t pid = 0;  // as the process sees itself; the service uses SO_PEERCRED
  std::int32_t reserved = 0;
  char command[64] = {};  // comm, NUL-terminated
};

// What a map is: the Linux number of its type.
// The numbers of Linux, where it has the kind.
enum class MapKind : std::uint32_t {
  kNone = 0,  // no map
  kHash = 1,
  kArray = 2,
  kPerfEventArray = 4,
  kPercpuHash = 5,
  kPercpuArray = 6,
  kLruHash = 9,
  kQueue = 22,
  kStack = 23,
  kRingbuf = 27,
  kSums = 1000,  // an ARRAY to which programs only add, in shards
};

// A map as the library must allocate it (layout: abi/map_layout.h).
struct MapSpec {
  MapKind kind = MapKind::kNone;
  std::uint32_t key_size = 0;
  std::uint32_t value_size = 0;
  std::uint32_t max_entries = 0;
  // 1: its place in slot 0 of each snapshot area holds what it starts as. 0: it starts as zeros.
  std::uint32_t initial = 0;
};

// fd: hook::FunctionPlan[kHookedFunctionCount] (abi/hooked_functions.h gives the order).
struct HelloReply {
  Header header{.type = MessageType::kHello};
  std::uint32_t ok = 0;                    // 0: do not instrument this process
  std::uint32_t map_count = 0;             // at most kMaxMaps
  std::uint32_t snapshot_interval_ms = 0;  // at least 10
  std::uint32_t requests = 0;              // 1: the service will have some (abi/map_request.h)
  MapSpec maps[kMaxMaps] = {};
};
static_assert(sizeof(HelloReply) < kMaxPacketBytes);

// A context got its own instance of the maps. One device allocation holds all maps, see snapshot.h.
struct OpenInstance {
  Header header{.type = MessageType::kOpenInstance};
  std::int32_t device = 0;  // CUDA ordinal in that process
  std::int32_t compute_major = 0;
  std::int32_t compute_minor = 0;
  std::uint32_t shards = 0;         // SMs; 1 to kMaxShards
  std::int32_t driver_version = 0;  // cuDriverGetVersion: 13000
  std::uint32_t reserved = 0;
  std::uint8_t uuid[16] = {};
  char name[64] = {};
};

// fd: the snapshot area (abi/snapshot.h), which the library maps and fills.
struct OpenInstanceReply {
  Header header{.type = MessageType::kOpenInstance};
  std::uint32_t ok = 0;
  std::uint32_t instance = 0;  // what the service calls it in requests
  std::uint64_t area_bytes = 0;
};

// The kinds of requests that the service has; each kind has a socket of its own.
enum class Lane : std::uint32_t { kCopies = 0, kCalls };
inline constexpr std::uint32_t kLanes = 2;

struct OpenRequests {
  Header header{.type = MessageType::kOpenRequests};
  Lane lane = Lane::kCopies;
  std::uint32_t reserved = 0;
};

// fd: the library's end of a Unix SOCK_SEQPACKET socket.
struct OpenRequestsReply {
  Header header{.type = MessageType::kOpenRequests};
  std::uint32_t ok = 0;
  std::uint32_t reserved = 0;
};

// fd: the image as the application passed it (fatbin, cubin, PTX text without its NUL).
struct LoadModule {
  Header header{.type = MessageType::kLoadModule};
  std::uint64_t image_bytes = 0;
  std::int32_t compute_major = 0;  // of the device it will run on
  std::int32_t compute_minor = 0;
  std::int32_t driver_version = 0;
  std::uint32_t reserved = 0;
};

enum class LoadVerdict : std::uint32_t {
  kOriginal = 0,  // nothing to do, or declined with a reason the service reports
  kReplaced,      // fd: the image to load instead; twins are called kInstrumentedPrefix + name
};

struct LoadModuleReply {
  Header header{.type = MessageType::kLoadModule};
  LoadVerdict verdict = LoadVerdict::kOriginal;
  std::uint32_t reserved = 0;
  std::uint64_t image_bytes = 0;  // the replacement; PTX text includes its terminating NUL
};

// Something the user should know: "kernel foo: instrumented launch failed (701), original runs".
struct Report {
  Header header{.type = MessageType::kReport};
  char text[496] = {};  // NUL-terminated
};

// The process leaves in an orderly way; final snapshots, where possible, were taken before.
struct Goodbye {
  Header header{.type = MessageType::kGoodbye};
};

}  // namespace egpu::abi
