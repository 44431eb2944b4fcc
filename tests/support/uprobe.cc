#include "support/uprobe.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <string>

#include "base/file.h"
#include "base/system_error.h"
#include "hook/exports.h"

namespace egpu::test {
namespace {

// The number the kernel gave to the kind of event "uprobe".
Result<std::uint32_t> event_type() {
  const std::filesystem::path path = "/sys/bus/event_source/devices/uprobe/type";
  EGPU_ASSIGN(const auto bytes, read_file(path));
  const std::string_view text = as_text(bytes);
  std::uint32_t type = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), type).ec != std::errc{})
    return input_error("not a number").at(path.string());
  return type;
}

Result<std::uint64_t> file_offset(const std::filesystem::path& library, std::string_view symbol) {
  EGPU_ASSIGN(const auto file, read_file(library));
  EGPU_ASSIGN(const auto exports, hook::find_exports(file, {symbol}));
  const auto& function = exports.at(symbol);
  if (!function) return Error(function.error()).at(library.string() + " " + std::string(symbol));
  return function->file_offset;
}

}  // namespace

Result<Uprobe> Uprobe::attach(const std::filesystem::path& library, std::string_view symbol,
                              pid_t pid, int cpu) {
  EGPU_ASSIGN(const auto type, event_type());
  EGPU_ASSIGN(const auto offset, file_offset(library, symbol));
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.uprobe_path = reinterpret_cast<std::uintptr_t>(library.c_str());
  attributes.probe_offset = offset;
  UniqueFd fd(static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!fd)
    return system_error("cannot attach a uprobe")
        .at(library.string() + " " + std::string(symbol))
        .hint("needs CAP_PERFMON or root");
  return Uprobe(std::move(fd));
}

Result<std::uint64_t> Uprobe::hits() const {
  std::uint64_t count = 0;
  if (read(fd_.get(), &count, sizeof count) != sizeof count)
    return system_error("cannot read a uprobe's counter");
  return count;
}

Result<SystemUprobe> SystemUprobe::attach(const std::filesystem::path& library,
                                          std::string_view symbol) {
  SystemUprobe probe;
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  for (int cpu = 0; cpu < cpus; ++cpu) {
    EGPU_ASSIGN(auto one, Uprobe::attach(library, symbol, -1, cpu));
    probe.per_cpu_.push_back(std::move(one));
  }
  return probe;
}

Result<std::uint64_t> SystemUprobe::hits() const {
  std::uint64_t sum = 0;
  for (const auto& one : per_cpu_) {
    EGPU_ASSIGN(const auto count, one.hits());
    sum += count;
  }
  return sum;
}

}  // namespace egpu::test
