// What a program of tests/examples must leave in its maps, as the comment at the head of its source
// says:
//
//   expect results[3] = 14         entry 3 of the map `results`
//   expect sums[0].total = 2709    a field of an entry
//   expect sum results = 40800     all entries added up, modulo 2^64
//   expect total = 1128            a global variable; counters[1] where it is an array
//   needs -mcpu=v3                 the oldest instruction set the program can be compiled for
//
// Numbers are unsigned. scripts/gpu/examples reads the same comments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace egpu::examples {

struct Expectation {
  enum class Kind : std::uint8_t { kEntry, kField, kSum, kVariable };
  std::string text;  // as written
  Kind kind;
  std::string name;         // of the map or the variable
  std::uint64_t index = 0;  // the key, or of an element of a variable
  std::string field;        // kField
  std::uint64_t value = 0;
};

struct Example {
  std::string name;  // "loop_sum"
  std::filesystem::path source;
  unsigned oldest_cpu = 1;  // 3: -mcpu=v3
  std::vector<Expectation> expectations;
};

// All programs of the folder, in order of their names. A program without an expectation is an
// error.
Result<std::vector<Example>> load_examples();

// Fails with what is there instead. `maps`: the maps' entries as `egpu run --json` shows them
// (docs/json.md).
Result<void> compare(const Expectation& expectation, const nlohmann::ordered_json& maps);

}  // namespace egpu::examples
