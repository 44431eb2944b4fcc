// Helpers that work on a map, as calls of the map functions of src/device/map.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bpf/object.h"
#include "verifier/helpers.h"

namespace egpu::codegen {

// What the helper gives for every map of the type, where that needs no function.
std::optional<std::int64_t> constant_answer(bpf::MapType type, verifier::HelperId helper);

// "egpu_hash_update"
std::string map_function_name(bpf::MapType type, verifier::HelperId helper);

// Whether a program of the object may take elements out of maps.
bool deletes_elements(const bpf::Object& object);

}  // namespace egpu::codegen
