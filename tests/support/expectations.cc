#include "support/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

namespace egpu::examples {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Result<Expectation> parse_expectation(const std::string& text, bool is_map) {
  static const std::regex sum(R"(sum (\w+) = (\d+))");
  static const std::regex place(R"((\w+)(?:\[(\d+)\])?(?:\.(\w+))? = (\d+))");
  using Kind = Expectation::Kind;
  std::smatch match;
  if (std::regex_match(text, match, sum))
    return Expectation{
        .text = text, .kind = Kind::kSum, .name = match[1], .field = {}, .value = number(match[2])};
  if (!std::regex_match(text, match, place)) return input_error("cannot be read: expect " + text);
  const Kind kind = match[3].matched ? Kind::kField : is_map ? Kind::kEntry : Kind::kVariable;
  return Expectation{.text = text,
                     .kind = kind,
                     .name = match[1],
                     .index = number(match[2]),
                     .field = match[3],
                     .value = number(match[4])};
}

// Whether the source defines a map of this name, itself or in example.bpf.h.
bool defines_map(const std::string& source, const std::string& name) {
  return name == "results" || source.find("} " + name + " SEC(\".maps\")") != std::string::npos;
}

Result<Example> load_example(const fs::path& path) {
  std::ifstream file(path);
  const std::string source((std::istreambuf_iterator<char>(file)), {});
  const std::string stem = path.filename().string();
  Example example{.name = stem.substr(0, stem.find('.')), .source = path, .expectations = {}};
  static const std::regex line(R"( \* (expect|needs) (.*))");
  for (std::sregex_iterator at(source.begin(), source.end(), line), end; at != end; ++at) {
    const std::string text = (*at)[2];
    if ((*at)[1] == "needs") {
      example.oldest_cpu = static_cast<unsigned>(text.back() - '0');
      continue;
    }
    const std::string first = text.substr(0, text.find_first_of("[. "));
    EGPU_ASSIGN(example.expectations.emplace_back(),
                parse_expectation(text, defines_map(source, first)));
  }
  if (example.expectations.empty())
    return input_error("the example expects nothing").at(path.string());
  return example;
}

// The value of an entry; a zero that the report leaves out is nothing.
const ordered_json* entry(const ordered_json& map, std::uint64_t key) {
  for (const ordered_json& row : map["rows"])
    if (row["key"] == key) return &row["value"];
  return nullptr;
}

const ordered_json* map_named(const ordered_json& maps, const std::string& name) {
  const auto map =
      std::ranges::find_if(maps, [&](const ordered_json& one) { return one["name"] == name; });
  return map == maps.end() ? nullptr : &*map;
}

Result<std::uint64_t> variable(const Expectation& expectation, const ordered_json& maps) {
  for (const ordered_json& map : maps) {
    for (const ordered_json& row : map["rows"]) {
      if (!row.contains("variable") || row["variable"] != expectation.name) continue;
      const ordered_json& found = row["value"];
      return (found.is_array() ? found.at(expectation.index) : found).get<std::uint64_t>();
    }
  }
  return input_error("there is no variable " + expectation.name);
}

Result<std::uint64_t> actual_value(const Expectation& expectation, const ordered_json& maps) {
  if (expectation.kind == Expectation::Kind::kVariable) return variable(expectation, maps);
  const ordered_json* const map = map_named(maps, expectation.name);
  if (map == nullptr) return input_error("there is no map " + expectation.name);
  if (expectation.kind == Expectation::Kind::kSum) {
    std::uint64_t sum = 0;
    for (const ordered_json& row : (*map)["rows"]) sum += row["value"].get<std::uint64_t>();
    return sum;
  }
  const ordered_json* const value = entry(*map, expectation.index);
  if (value == nullptr) return std::uint64_t{0};
  return (expectation.kind == Expectation::Kind::kField ? value->at(expectation.field) : *value)
      .get<std::uint64_t>();
}

}  // namespace

Result<std::vector<Example>> load_examples() {
  std::vector<fs::path> sources;
  for (const auto& file : fs::directory_iterator(fs::path(EGPU_SOURCE_DIR) / "tests/examples"))
    if (file.path().string().ends_with(".bpf.c")) sources.push_back(file.path());
  std::ranges::sort(sources);
  std::vector<Example> examples;
  for (const fs::path& source : sources) {
    EGPU_ASSIGN(examples.emplace_back(), load_example(source));
  }
  return examples;
}

Result<void> compare(const Expectation& expectation, const ordered_json& maps) {
  EGPU_ASSIGN(const std::uint64_t actual, actual_value(expectation, maps));
  if (actual == expectation.value) return {};
  return input_error(fmt::format("expected {}, but it is {}", expectation.text, actual));
}

}  // namespace egpu::examples
