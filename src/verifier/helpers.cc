#include "verifier/helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace egpu::verifier {
namespace {

using enum ArgumentKind;

constexpr HelperPrototype kHelpers[] = {
    {.id = HelperId::kMapLookupElem,
     .name = "bpf_map_lookup_elem",
     .arguments = {kMap, kMapKey},
     .result = ReturnKind::kMapValueOrNull},
    {.id = HelperId::kMapUpdateElem,
     .name = "bpf_map_update_elem",
     .arguments = {kMap, kMapKey, kMapValue, kNumber}},
    {.id = HelperId::kMapDeleteElem, .name = "bpf_map_delete_elem", .arguments = {kMap, kMapKey}},
    {.id = HelperId::kKtimeGetNs, .name = "bpf_ktime_get_ns"},
    {.id = HelperId::kTracePrintk,
     .name = "bpf_trace_printk",
     .arguments = {kReadable, kSize, kAnyNumber, kAnyNumber, kAnyNumber}},
    {.id = HelperId::kGetPrandomU32,
     .name = "bpf_get_prandom_u32",
     .result = ReturnKind::kNumber32},
    {.id = HelperId::kGetSmpProcessorId,
     .name = "bpf_get_smp_processor_id",
     .result = ReturnKind::kNumber32},
    {.id = HelperId::kGetCurrentPidTgid, .name = "bpf_get_current_pid_tgid"},
    {.id = HelperId::kGetCurrentComm,
     .name = "bpf_get_current_comm",
     .arguments = {kWritable, kSize}},
    {.id = HelperId::kMapPushElem,
     .name = "bpf_map_push_elem",
     .arguments = {kQueue, kMapValue, kNumber}},
    {.id = HelperId::kMapPopElem, .name = "bpf_map_pop_elem", .arguments = {kQueue, kValueToGive}},
    {.id = HelperId::kMapPeekElem,
     .name = "bpf_map_peek_elem",
     .arguments = {kQueue, kValueToGive}},
    {.id = HelperId::kPerfEventOutput,
     .name = "bpf_perf_event_output",
     .arguments = {kContext, kPerfEvents, kNumber, kReadable, kSizeOrZero}},
    {.id = HelperId::kRingbufOutput,
     .name = "bpf_ringbuf_output",
     .arguments = {kRing, kReadable, kSizeOrZero, kNumber}},
    {.id = HelperId::kRingbufReserve,
     .name = "bpf_ringbuf_reserve",
     .arguments = {kRing, kRecordSize, kNumber},
     .result = ReturnKind::kRecordOrNull},
    {.id = HelperId::kRingbufSubmit,
     .name = "bpf_ringbuf_submit",
     .arguments = {kRecord, kNumber},
     .ends_record = true},
    {.id = HelperId::kRingbufDiscard,
     .name = "bpf_ringbuf_discard",
     .arguments = {kRecord, kNumber},
     .ends_record = true},
    {.id = HelperId::kRingbufQuery, .name = "bpf_ringbuf_query", .arguments = {kRing, kNumber}},
    {.id = HelperId::kForEachMapElem,
     .name = "bpf_for_each_map_elem",
     .arguments = {kMap, kCallback, kCallbackData, kFlags},
     .callback = CallbackKind::kMapElement},
    {.id = HelperId::kLoop,
     .name = "bpf_loop",
     .arguments = {kNumber, kCallback, kCallbackData, kFlags},
     .callback = CallbackKind::kLoop},
    {.id = HelperId::kStrncmp, .name = "bpf_strncmp", .arguments = {kReadable, kSize, kText}},
};

constexpr HelperPrototype kExterns[] = {
    {.id = HelperId::kClock, .name = "egpu_clock"},
    {.id = HelperId::kGlobalTimer, .name = "egpu_globaltimer"},
    {.id = HelperId::kGridId, .name = "egpu_grid_id"},
    {.id = HelperId::kLog2,
     .name = "egpu_log2",
     .arguments = {kNumber},
     .result = ReturnKind::kBitNumber},
};

// Linux numbers (include/uapi/linux/bpf.h) of helpers that programs are likely to try.
struct HelperName {
  std::int32_t id;
  const char* name;
};
constexpr HelperName kOtherHelpers[] = {
    {4, "bpf_probe_read"},
    {12, "bpf_tail_call"},
    {15, "bpf_get_current_uid_gid"},
    {22, "bpf_perf_event_read"},
    {27, "bpf_get_stackid"},
    {35, "bpf_get_current_task"},
    {42, "bpf_get_numa_node_id"},
    {45, "bpf_probe_read_str"},
    {55, "bpf_perf_event_read_value"},
    {67, "bpf_get_stack"},
    {80, "bpf_get_current_cgroup_id"},
    {93, "bpf_spin_lock"},
    {94, "bpf_spin_unlock"},
    {112, "bpf_probe_read_user"},
    {113, "bpf_probe_read_kernel"},
    {114, "bpf_probe_read_user_str"},
    {115, "bpf_probe_read_kernel_str"},
    {118, "bpf_jiffies64"},
    {125, "bpf_ktime_get_boot_ns"},
    {153, "bpf_per_cpu_ptr"},
    {154, "bpf_this_cpu_ptr"},
    {160, "bpf_ktime_get_coarse_ns"},
    {165, "bpf_snprintf"},
    {177, "bpf_trace_vprintk"},
    {195, "bpf_map_lookup_percpu_elem"},
    {208, "bpf_ktime_get_tai_ns"},
    {209, "bpf_user_ringbuf_drain"},
};

}  // namespace

const HelperPrototype* find_helper(std::int32_t id) {
  const auto* const helper =
      std::ranges::find(kHelpers, static_cast<HelperId>(id), &HelperPrototype::id);
  return helper == std::end(kHelpers) ? nullptr : helper;
}

const HelperPrototype* find_extern(std::string_view name) {
  const auto* const function = std::ranges::find(kExterns, name, &HelperPrototype::name);
  return function == std::end(kExterns) ? nullptr : function;
}

std::string helper_name(std::int32_t id) {
  if (const HelperPrototype* const helper = find_helper(id)) {
    return fmt::format("helper {} ({})", helper->name, id);
  }
  const auto* const other = std::ranges::find(kOtherHelpers, id, &HelperName::id);
  if (other == std::end(kOtherHelpers)) return fmt::format("helper {}", id);
  return fmt::format("helper {} ({})", other->name, id);
}

std::string known_helpers(bool on_gpu) {
  std::string names;
  for (const HelperPrototype& helper : kHelpers) {
    if (on_gpu && !helper.on_gpu) continue;
    names += names.empty() ? "" : ", ";
    names += helper.name;
  }
  return names;
}

std::string known_externs() {
  std::string names;
  for (const HelperPrototype& function : kExterns) {
    names += names.empty() ? "" : ", ";
    names += function.name;
  }
  return names;
}

}  // namespace egpu::verifier
