#include "verifier/calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "bpf/subprogram.h"
#include "verifier/arguments.h"
#include "verifier/backward_flow.h"
#include "verifier/operand.h"

namespace egpu::verifier {
namespace {

// The map among the arguments, if there is one.
std::uint32_t map_argument(const HelperPrototype& helper, const State& state) {
  const auto* const map = std::ranges::find_if(helper.arguments, is_map);
  if (map == helper.arguments.end()) return 0;
  const auto position = static_cast<std::uint8_t>(map - helper.arguments.begin());
  return state[bpf::Reg{static_cast<std::uint8_t>(position + 1)}].target;
}

// Whoever still holds a pointer to the record must not use it.
void end_record(std::uint32_t id, State& state) {
  const auto ends = [id](const Value& value) { return value.is_record() && value.id == id; };
  for (Frame& frame : state.frames) {
    for (Value& value : frame.registers) {
      if (ends(value)) value = Value::pointer(ValueKind::kEndedRecord, value.target);
    }
    for (Stack::Slot& slot : frame.stack.slots()) {
      if (ends(slot.value)) slot = {};  // its bytes are no number either
    }
  }
  state.end_reservation(id);
}

// `size`: what r2 was, which is a reservation's size.
Value result_of(const HelperPrototype& helper, std::uint32_t map, const Scalar& size,
                std::uint32_t index, State& state, Recorder& recorder) {
  switch (helper.result) {
    case ReturnKind::kNumber:
      break;
    case ReturnKind::kNumber32:
      return Value::scalar(Scalar::unknown().zero_extended(32));
    case ReturnKind::kBitNumber:
      return Value::scalar(Scalar::unsigned_range(0, 63));
    case ReturnKind::kMapValueOrNull: {
      Value value = Value::pointer(ValueKind::kMapValueOrNull, map);
      value.id = recorder.next_id();
      return value;
    }
    case ReturnKind::kRecordOrNull: {
      const Reservation made{.id = recorder.next_id(), .call = index};
      state.reservations.push_back(made);
      const auto bytes = static_cast<std::uint32_t>(size.as_constant().value_or(0));
      return Value::record_or_null(map, made.id, bytes);
    }
  }
  return Value::scalar(Scalar::unknown());
}

}  // namespace

Result<const HelperPrototype*> called_helper(const bpf::CallHelper& call, std::size_t index,
                                             const Recorder& recorder) {
  const bool on_gpu = recorder.limits().on_gpu;
  const HelperPrototype* const helper = find_helper(call.helper);
  if (helper != nullptr && (helper->on_gpu || !on_gpu)) return helper;
  return recorder
      .refuse(index, fmt::format("{} is not supported{} yet", helper_name(call.helper),
                                 on_gpu ? " on the GPU" : ""))
      .hint(fmt::format("supported: {}", known_helpers(on_gpu)));
}

Result<const HelperPrototype*> called_helper(const bpf::CallExtern& call, std::size_t index,
                                             const Recorder& recorder) {
  const auto& names = recorder.object().externs;
  if (call.function >= names.size()) return internal_error("a call of an extern without a name");
  const std::string& name = names[call.function];
  const HelperPrototype* const function = find_extern(name);
  if (function != nullptr && (function->on_gpu || !recorder.limits().on_gpu)) return function;
  return recorder.refuse(index, fmt::format("there is no function {}", name))
      .hint(fmt::format("egpu has: {}", known_externs()));
}

Result<void> call_helper(const HelperPrototype& helper, std::uint32_t index, State& state,
                         Recorder& recorder) {
  EGPU_TRY(check_arguments(helper, index, state, recorder));
  const std::uint32_t map = map_argument(helper, state);
  const Scalar size = state[bpf::kR2].number;
  if (helper.ends_record) end_record(state[bpf::kR1].id, state);
  state.keep_registers(kPreserved);
  state[bpf::kR0] = result_of(helper, map, size, index, state, recorder);
  return {};
}

Result<void> enter_function(std::uint32_t first, std::uint32_t call_site, State& state,
                            Recorder& recorder) {
  const auto& functions = recorder.program().functions;
  const auto callee = static_cast<std::uint32_t>(recorder.program().function_of(first));
  if (functions.empty() || functions[callee].range.first != first) {
    return internal_error("a call leads to where no function begins");
  }
  const bool recursive = std::ranges::count(state.frames, callee, &Frame::function) != 0;
  if (recursive || state.frames.size() == bpf::kMaxCallDepth) {
    return recorder
        .refuse(call_site,
                recursive
                    ? fmt::format("function {} calls itself", functions[callee].name)
                    : fmt::format("calls are nested deeper than {} frames", bpf::kMaxCallDepth))
        .hint("a function cannot call itself, directly or through others; callbacks count");
  }
  recorder.record_call(state.frames.back().function, callee, call_site);
  state.enter(callee, call_site);
  return {};
}

Result<void> call_function(std::uint32_t first, std::uint32_t call_site, std::uint16_t live_after,
                           State& state, Recorder& recorder) {
  EGPU_TRY(enter_function(first, call_site, state, recorder));
  Frame& caller = state.frames[state.frames.size() - 2];
  Frame& callee = state.frames.back();
  for (std::size_t i = 0; i < kRegisters; ++i) {
    if (i >= 1 && i <= 5) callee.registers[i] = caller.registers[i];
    if ((live_after & kPreserved) >> i & 1) continue;
    caller.registers[i] = {};
  }
  return {};
}

Result<std::uint32_t> return_to_caller(std::size_t index, State& state, const Recorder& recorder) {
  const Value result = state[bpf::kR0];
  const auto depth = static_cast<std::uint32_t>(state.frames.size()) - 1;
  if (result.kind == ValueKind::kStack && result.target == depth) {
    return recorder.refuse(index, "r0 is a pointer to the stack of the function that returns it")
        .hint("let the caller pass the address of a variable of its own");
  }
  const std::uint32_t call_site = state.frames.back().call_site;
  state.leave();
  state[bpf::kR0] = result;
  return call_site + 1;
}

Result<void> check_reservations(std::size_t index, const State& state,
                                const std::vector<Reservation>& expected,
                                const Recorder& recorder) {
  if (state.reservations == expected) return {};
  if (state.reservations.size() < expected.size()) {
    return recorder
        .refuse(index, "a callback submitted or discarded a record that its caller reserved")
        .hint("it may run many times, or never: submit or discard the record after the call");
  }
  const std::uint32_t call = state.reservations.back().call;
  return recorder
      .refuse(index, fmt::format("the record reserved by {} is neither submitted nor discarded",
                                 recorder.program().place(call)))
      .hint("call bpf_ringbuf_submit or bpf_ringbuf_discard on every path where it is not null");
}

Result<void> check_program_exit(std::size_t index, const State& state, const Recorder& recorder) {
  EGPU_ASSIGN(const Value result, read(bpf::kR0, index, state, recorder));
  if (result.is_scalar()) return {};
  return recorder
      .refuse(index, fmt::format("r0 is {}: a program returns a number", recorder.describe(result)))
      .hint("end the program with: return 0");
}

Result<void> check_callback_exit(std::size_t index, const State& state, const Recorder& recorder) {
  EGPU_ASSIGN(const Value result, read(bpf::kR0, index, state, recorder));
  if (result.is_scalar() && result.number.umax <= 1) return {};
  return recorder
      .refuse(index, fmt::format("r0 is {}: a callback returns 0 to go on or 1 to stop",
                                 recorder.describe(result)))
      .hint("end the callback with: return 0");
}

}  // namespace egpu::verifier
