// A callback runs an unknown number of times, each from the state that the one before left. To
// unroll them all would take as many walks, so one state is looked for that holds before each: at
// first that of the call. The callback is walked from it; where its exits are not covered, they are
// joined to it, and numbers that still grow the next time go as far as they can. The last walk,
// whose exits are covered, has proved every call, and the state is the one after the helper as
// well, however many calls there were.
#include "verifier/callbacks.h"

#include <fmt/format.h>

#include <algorithm>

#include "abi/map_layout.h"
#include "verifier/arguments.h"
#include "verifier/calls.h"
#include "verifier/join.h"
#include "verifier/walk.h"

namespace egpu::verifier {
namespace {

struct Callback {
  std::uint32_t first = 0;            // instruction
  std::uint64_t iterations = 0;       // at most
  std::vector<Value> arguments = {};  // from r1 on
};

Result<Callback> callback_of(const HelperPrototype& helper, std::size_t index, const State& state,
                             const Recorder& recorder) {
  Callback callback{.first = state[bpf::kR2].target};
  Value data = state[bpf::kR3];
  if (helper.callback == CallbackKind::kMapElement) {
    const Value map = state[bpf::kR1];
    // Of a hash, elements may come and go meanwhile: no more than there are places for.
    const bpf::MapDefinition& definition = recorder.map(map.target);
    callback.iterations = bpf::is_hash(definition.type) ? abi::hash_slots(definition.max_entries)
                                                        : definition.max_entries;
    callback.arguments = {map, Value::pointer(ValueKind::kMapKey, map.target),
                          Value::pointer(ValueKind::kMapValue, map.target), data};
    return callback;
  }
  // The helper takes the low half.
  const Scalar loops = state[bpf::kR1].number.zero_extended(32);
  if (loops.umax > std::min(kMaxLoops, recorder.limits().executed_instructions)) {
    return recorder
        .refuse(index, fmt::format("r1 is {}: the number of loops needs an upper bound, at most {}",
                                   recorder.describe(state[bpf::kR1]),
                                   recorder.limits().executed_instructions))
        .hint("bound it before the call: if (n > 100) n = 100");
  }
  callback.iterations = loops.umax;
  const std::uint64_t last = std::max<std::uint64_t>(loops.umax, 1) - 1;
  callback.arguments = {Value::scalar(Scalar::unsigned_range(0, last)), data};
  return callback;
}

// One call from `state`, whichever it is.
Result<Walk::Outcome> walk_once(const Callback& callback, std::uint32_t index, State state,
                                Exploration& exploration) {
  EGPU_TRY(enter_function(callback.first, index, state, exploration.recorder));
  for (std::size_t i = 0; i < callback.arguments.size(); ++i) {
    state[bpf::Reg{static_cast<std::uint8_t>(i + 1)}] = callback.arguments[i];
  }
  return Walk(exploration, std::move(state), callback.first).run();
}

}  // namespace

Result<std::uint64_t> call_with_callback(const HelperPrototype& helper, std::uint32_t index,
                                         State& state, Exploration& exploration) {
  Recorder& recorder = exploration.recorder;
  EGPU_TRY(check_arguments(helper, index, state, recorder));
  EGPU_ASSIGN(const Callback callback, callback_of(helper, index, state, recorder));
  state.keep_registers(exploration.live[index + 1] & kPreserved);
  std::uint64_t longest = 0;
  for (Joining joining = Joining::kExact;; joining = Joining::kWiden) {
    EGPU_ASSIGN(const Walk::Outcome outcome, walk_once(callback, index, state, exploration));
    longest = outcome.longest;
    if (!outcome.exit || covers(state, *outcome.exit)) break;
    state = join(state, *outcome.exit, joining, recorder);
  }
  state[bpf::kR0] = Value::scalar(Scalar::unknown());
  return callback.iterations * (longest + 1);
}

}  // namespace egpu::verifier
