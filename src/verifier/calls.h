// Calls of helpers and of the program's own functions, which are walked into with what the caller
// passes, whether they are static or global: a function is as safe as each of its calls.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "bpf/instruction.h"
#include "verifier/helpers.h"
#include "verifier/recorder.h"
#include "verifier/state.h"

namespace egpu::verifier {

// The prototype of what is called; refuses what there is no code for.
Result<const HelperPrototype*> called_helper(const bpf::CallHelper& call, std::size_t index,
                                             const Recorder& recorder);
Result<const HelperPrototype*> called_helper(const bpf::CallExtern& call, std::size_t index,
                                             const Recorder& recorder);

// Checks the arguments of a helper that does not call back, and gives r0 its result.
Result<void> call_helper(const HelperPrototype& helper, std::uint32_t index, State& state,
                         Recorder& recorder);

// Enters the function at `first`. Arguments are still to be set in the new frame.
Result<void> enter_function(std::uint32_t first, std::uint32_t call_site, State& state,
                            Recorder& recorder);

// A call of the function at `first` with the caller's r1 to r5. `live_after`: the registers that
// the caller may read afterwards.
Result<void> call_function(std::uint32_t first, std::uint32_t call_site, std::uint16_t live_after,
                           State& state, Recorder& recorder);

// The function exits at `index` to its caller, which gets r0; gives the next instruction there.
Result<std::uint32_t> return_to_caller(std::size_t index, State& state, const Recorder& recorder);

// What the program, or a callback, leaves behind: the records that it found reserved, no more, no
// less.
Result<void> check_reservations(std::size_t index, const State& state,
                                const std::vector<Reservation>& expected, const Recorder& recorder);

// What the program, or a callback, returns.
Result<void> check_program_exit(std::size_t index, const State& state, const Recorder& recorder);
Result<void> check_callback_exit(std::size_t index, const State& state, const Recorder& recorder);

}  // namespace egpu::verifier
