// The entries of one map as text: a table, a list where the table would be too wide, and drawn
// histograms.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bpf/object.h"
#include "maps/format.h"
#include "maps/values.h"

namespace egpu::cli {

std::string entries_text(const bpf::Object& object, const bpf::MapDefinition& map,
                         const maps::Names& names, const maps::Entries& entries,
                         std::optional<std::size_t> width);

}  // namespace egpu::cli
