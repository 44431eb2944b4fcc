// The functions that programs may call beside their own: Linux helpers, called by number, and
// functions of egpu, called by name (`extern ... __ksym` in include/egpu/egpu.bpf.h). The checker
// takes the prototypes from this one table and the code generator the ids.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace egpu::verifier {

// Helpers have their Linux numbers (include/uapi/linux/bpf.h), functions called by name numbers of
// their own.
enum class HelperId : std::int32_t {
  kMapLookupElem = 1,
  kMapUpdateElem = 2,
  kMapDeleteElem = 3,
  kKtimeGetNs = 5,
  kTracePrintk = 6,
  kGetPrandomU32 = 7,
  kGetSmpProcessorId = 8,
  kGetCurrentPidTgid = 14,
  kGetCurrentComm = 16,
  kPerfEventOutput = 25,
  kMapPushElem = 87,
  kMapPopElem = 88,
  kMapPeekElem = 89,
  kRingbufOutput = 130,
  kRingbufReserve = 131,
  kRingbufSubmit = 132,
  kRingbufDiscard = 133,
  kRingbufQuery = 134,
  kForEachMapElem = 164,
  kLoop = 181,
  kStrncmp = 182,
  kClock = 0x10000,  // egpu_clock
  kGlobalTimer,      // egpu_globaltimer
  kGridId,           // egpu_grid_id
  kLog2,             // egpu_log2
};

enum class ArgumentKind : std::uint8_t {
  kUnused,
  kNumber,
  kMap,
  kMapKey,        // key_size readable bytes, of the map in r1
  kMapValue,      // value_size readable bytes, of the map in r1
  kValueToGive,   // as many writable bytes, which the call initialises
  kReadable,      // memory of the size in the argument after, all of it initialised
  kWritable,      // memory of the size in the argument after, which the call initialises
  kSize,          // 1 or more; the checker must know an upper bound
  kSizeOrZero,    // the same, and 0
  kText,          // a constant string of Object::read_only that ends there with a NUL
  kCallback,      // a function of the program
  kCallbackData,  // what the callback gets: an address in the stack, or 0
  kFlags,         // the number 0
  kQueue,         // a map that is a queue or a stack
  kRing,          // a map that is a ring buffer
  kPerfEvents,    // a map of type PERF_EVENT_ARRAY
  kContext,       // the program's context
  kAnyNumber,     // a number, or nothing: the program knows whether it is read
  kRecordSize,    // of a record to reserve: a constant
  kRecord,        // one that was reserved: a pointer to its start
};

constexpr bool is_map(ArgumentKind kind) {
  return kind == ArgumentKind::kMap || kind == ArgumentKind::kQueue ||
         kind == ArgumentKind::kRing || kind == ArgumentKind::kPerfEvents;
}

enum class ReturnKind : std::uint8_t {
  kNumber,
  kNumber32,
  kBitNumber,  // 0 to 63
  kMapValueOrNull,
  kRecordOrNull,
};

// What a callback is called with, and how often.
enum class CallbackKind : std::uint8_t {
  kNone,
  kLoop,        // (u32 index, data), as often as the number in r1 says, at most kMaxLoops
  kMapElement,  // (map, key, value, data), once for each element of the map in r1
};
inline constexpr std::uint64_t kMaxLoops = std::uint64_t{8} << 20;  // as in Linux

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): a few dozen, in the order they are read
struct HelperPrototype {
  HelperId id;
  const char* name = "";
  std::array<ArgumentKind, 5> arguments{};  // r1 to r5
  ReturnKind result = ReturnKind::kNumber;
  CallbackKind callback = CallbackKind::kNone;
  bool on_gpu = true;        // there is GPU code for it
  bool ends_record = false;  // the one in r1 is submitted or discarded
};

// Null where egpu does not have the helper with this Linux number, or the function with this name.
const HelperPrototype* find_helper(std::int32_t id);
const HelperPrototype* find_extern(std::string_view name);

// "helper bpf_get_stackid (27)", "helper 9999": for messages.
std::string helper_name(std::int32_t id);

// "bpf_ktime_get_ns, bpf_loop, ...": the helpers that programs on the GPU (on the host) may call.
std::string known_helpers(bool on_gpu);
// The same of functions that are called by name.
std::string known_externs();

}  // namespace egpu::verifier
