// Helpers that work on a map, as calls of the map functions of src/device/map.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bpf/object.h"
#include "verifier/check.h"
#include "verifier/helpers.h"

namespace egpu::codegen {

// What the helper gives for every map of the type, where that needs no function.
std::optional<std::int64_t> constant_answer(bpf::MapType type, verifier::HelperId helper);

// "egpu_hash_update"
std::string map_function_name(bpf::MapType type, verifier::HelperId helper);

// ARRAY maps to which programs only add get MapDefinition::sum_bytes. `programs`: all that will
// run, of this object.
void choose_sums(bpf::Object& object, const std::vector<verifier::CheckedProgram>& programs);

}  // namespace egpu::codegen
