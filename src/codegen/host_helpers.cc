#include "codegen/host_helpers.h"

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "codegen/trace_format.h"
#include "device/portable.h"

namespace egpu::codegen {
namespace {

using Number = std::uint64_t;
using verifier::HelperId;

Number nanoseconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<Number>(time.tv_sec) * 1'000'000'000 + static_cast<Number>(time.tv_nsec);
}

Number ktime_get_ns() { return nanoseconds(CLOCK_MONOTONIC); }
Number global_timer() { return nanoseconds(CLOCK_REALTIME); }
Number clock_cycles() { return __rdtsc(); }
Number grid_id() { return 0; }

// Each thread has a sequence of its own, which begins with where and when the thread did.
Number random_number() {
  thread_local Number state = egpu_mix(__rdtsc() ^ static_cast<Number>(::gettid()));
  state += 0x9e3779b97f4a7c15;
  return static_cast<std::uint32_t>(egpu_mix(state));
}

Number processor() {
  const int processor = ::sched_getcpu();
  return processor < 0 ? 0 : static_cast<Number>(processor);
}

Number process_and_thread() {
  return static_cast<Number>(::getpid()) << 32 | static_cast<std::uint32_t>(::gettid());
}

Number command(char* buffer, Number size) {
  Number halves[2] = {};
  ::prctl(PR_GET_NAME, halves);
  egpu_fill_command(buffer, size, halves[0], halves[1]);
  return 0;
}

Number compare_text(const char* left, Number size, const char* right) {
  return static_cast<Number>(std::int64_t{egpu_compare_text(left, size, right)});
}

// As Linux: the format must end with a NUL; gives the length of the line.
Number trace(const TraceSink* sink, const char* format, Number size, Number first, Number second,
             Number third) {
  const std::string_view text(format, size);
  const std::size_t end = text.find('\0');
  const auto line = end == text.size() - 1
                        ? format_trace(text.substr(0, end), {first, second, third})
                        : std::nullopt;
  if (!line) return static_cast<Number>(-EINVAL);
  if (*sink) (*sink)(*line);
  return line->size();
}

// Generated code passes pointers as the numbers they are.
template <class... Arguments>
HostHelper helper(HelperId id, const char* name, Number (*function)(Arguments...)) {
  return {.id = id,
          .name = name,
          .address = reinterpret_cast<const void*>(function),
          .arguments = sizeof...(Arguments),
          .traces = false};
}

}  // namespace

std::span<const HostHelper> host_helpers() {
  static const HostHelper helpers[] = {
      helper(HelperId::kKtimeGetNs, "egpu_host_ktime_get_ns", ktime_get_ns),
      helper(HelperId::kGetPrandomU32, "egpu_host_random", random_number),
      helper(HelperId::kGetSmpProcessorId, "egpu_host_processor", processor),
      helper(HelperId::kGetCurrentPidTgid, "egpu_host_process", process_and_thread),
      helper(HelperId::kGetCurrentComm, "egpu_host_command", command),
      helper(HelperId::kStrncmp, "egpu_host_strncmp", compare_text),
      helper(HelperId::kClock, "egpu_host_clock", clock_cycles),
      helper(HelperId::kGlobalTimer, "egpu_host_globaltimer", global_timer),
      helper(HelperId::kGridId, "egpu_host_grid_id", grid_id),
      {.id = HelperId::kTracePrintk,
       .name = "egpu_host_trace",
       .address = reinterpret_cast<const void*>(trace),
       .arguments = 5,
       .traces = true},
  };
  return helpers;
}

}  // namespace egpu::codegen
