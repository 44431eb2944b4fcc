#include "cli/record_printer.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "abi/ring.h"
#include "base/printable.h"
#include "base/system_error.h"
#include "cli/map_views.h"
#include "cli/text.h"
#include "codegen/trace_format.h"
#include "maps/values.h"

namespace egpu::cli {
namespace {

// Lines are written together where many come.
constexpr std::size_t kWaitingBytes = std::size_t{64} << 10;

// The line of a record of bpf_trace_printk (abi/ring.h), without its line end.
std::string trace_line(Bytes record) {
  std::array<std::uint64_t, 3> values{};
  if (record.size() <= abi::kTraceValueBytes) return {};
  std::memcpy(values.data(), record.data(), abi::kTraceValueBytes);
  std::string_view format = as_text(record.subspan(abi::kTraceValueBytes));
  format = format.substr(0, format.find('\0'));
  const auto line = codegen::format_trace(format, values);
  std::string_view text = line ? std::string_view(*line) : format;
  if (text.ends_with('\n')) text.remove_suffix(1);
  return printable(text);
}

}  // namespace

Result<RecordPrinter> RecordPrinter::open(const bpf::Object& object, const std::string& output,
                                          bool json) {
  UniqueFd file(output.empty()
                    ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                    : ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) return system_error("records cannot be written").at(output);
  return RecordPrinter(object, std::move(file), json);
}

RecordPrinter::RecordPrinter(const bpf::Object& object, UniqueFd file, bool json)
    : btf_(object.btf), file_(std::move(file)), json_(json) {
  for (const bpf::MapDefinition& definition : object.maps) {
    Map& map = maps_.emplace_back();
    if (!bpf::is_ring(definition.type)) continue;
    map.name = definition.name;
    map.typed = definition.value_type.has_value();
    map.size = definition.value_size;
    if (!map.typed) continue;
    map.fields = maps::value_fields(object, definition);
    map.leaves = maps::flatten(map.fields);
  }
}

void RecordPrinter::record(const session::RecordView& record) {
  if (record.kernels.count() != kernels_.size()) kernels_ = kernel_names(record.kernels.all());
  waiting_ += json_ ? json_of(record) : text_of(record);
  if (waiting_.size() >= kWaitingBytes) flush();
}

std::string RecordPrinter::text_of(const session::RecordView& view) const {
  const Map& map = maps_[view.record.map];
  const Bytes bytes = view.record.bytes_untrusted;
  if (map.name == bpf::kTraceMap) return trace_line(bytes) + "\n";
  std::string text = printable(map.name);
  if (!map.typed || bytes.size() < map.size)
    return text + " " + maps::format_bytes_of(bytes) + "\n";
  for (const maps::Field& leaf : map.leaves)
    text += " " + leaf.name + "=" + maps::format_leaf(names(), leaf, bytes);
  return text + "\n";
}

std::string RecordPrinter::json_of(const session::RecordView& view) const {
  const Map& map = maps_[view.record.map];
  const Bytes bytes = view.record.bytes_untrusted;
  nlohmann::ordered_json line = {
      {"record", map.name}, {"pid", view.pid}, {"device", view.device}, {"sm", view.record.shard}};
  if (map.name == bpf::kTraceMap) {
    line["record"] = "trace";
    line["value"] = trace_line(bytes);
    return json_line(line);
  }
  const bool typed = map.typed && bytes.size() >= map.size;
  line["value"] = typed ? maps::value_to_json(names(), map.fields, bytes)
                        : nlohmann::ordered_json(maps::format_bytes_of(bytes));
  return json_line(line);
}

void RecordPrinter::print(std::string_view text) {
  waiting_ += text;
  flush();
}

// Where nobody reads any more, the rest goes nowhere.
void RecordPrinter::flush() {
  std::size_t done = 0;
  while (done < waiting_.size()) {
    const ssize_t written = ::write(file_.get(), waiting_.data() + done, waiting_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  waiting_.clear();
}

}  // namespace egpu::cli
