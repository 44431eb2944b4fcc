#include "support/kernel_results.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

namespace egpu {
namespace {

std::optional<double> number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

// "2^-20.5" or a plain number.
std::optional<double> power_or_number(const std::string& text) {
  if (!text.starts_with("2^")) return number(text);
  const auto exponent = number(text.substr(2));
  if (!exponent) return std::nullopt;
  return std::exp2(*exponent);
}

template <class T>
double unit_in_last_place(double value) {
  const T magnitude = std::abs(static_cast<T>(value));
  return static_cast<double>(std::nextafter(magnitude, std::numeric_limits<T>::infinity())) -
         static_cast<double>(magnitude);
}

// How far from `expected` a value may be.
std::optional<double> tolerance(const std::string& bound, double expected) {
  const std::size_t colon = bound.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string kind = bound.substr(0, colon);
  const auto amount = power_or_number(bound.substr(colon + 1));
  if (!amount) return std::nullopt;
  if (kind == "abs") return amount;
  if (kind == "rel") return *amount * std::abs(expected);
  if (kind == "ulp32") return *amount * unit_in_last_place<float>(expected);
  if (kind == "ulp64") return *amount * unit_in_last_place<double>(expected);
  return std::nullopt;
}

bool agree(double expected, double actual, double tolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected)) return actual == expected;
  return std::abs(actual - expected) <= tolerance;
}

Result<KernelResult> parse_line(const std::string& line) {
  std::istringstream words(line);
  KernelResult result;
  std::string kind;
  if (!(words >> result.name >> kind) || (kind != "exact" && kind != "within"))
    return input_error("'" + line.substr(0, 60) + "' is no result of a kernel");
  result.line = line;
  if (kind == "exact") return result;
  words >> result.bound;
  for (std::string word; words >> word;) {
    const auto value = number(word);
    if (!value) return input_error("'" + word + "' is no number").at(result.name);
    result.values.push_back(*value);
  }
  return result;
}

// Empty where they agree.
Result<std::string> difference(const KernelResult& expected, const KernelResult& actual) {
  if (expected.bound.empty() || expected.bound != actual.bound) {
    if (expected.line == actual.line) return std::string();
    return fmt::format("expected: {:.100}\n  actual: {:.100}", expected.line, actual.line);
  }
  if (expected.values.size() != actual.values.size())
    return fmt::format("{}: {} values, not {}", expected.name, actual.values.size(),
                       expected.values.size());
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const double value = expected.values[i];
    const auto allowed = tolerance(expected.bound, value);
    if (!allowed) return input_error("'" + expected.bound + "' is no bound").at(expected.name);
    if (!agree(value, actual.values[i], *allowed))
      return fmt::format("{}: value {} is {:a}, not within {} of {:a}", expected.name, i,
                         actual.values[i], expected.bound, value);
  }
  return std::string();
}

}  // namespace

Result<std::vector<KernelResult>> parse_kernel_results(std::string_view text_untrusted) {
  std::vector<KernelResult> results;
  std::map<std::string, int> names;
  std::istringstream lines{std::string(text_untrusted)};
  for (std::string line; std::getline(lines, line);) {
    EGPU_ASSIGN(results.emplace_back(), parse_line(line));
    if (++names[results.back().name] > 1)
      return input_error("two results have the name " + results.back().name);
  }
  return results;
}

Result<KernelComparison> compare_kernel_results(const std::vector<KernelResult>& expected,
                                                const std::vector<KernelResult>& actual) {
  std::map<std::string, const KernelResult*> by_name;
  for (const KernelResult& result : actual) by_name[result.name] = &result;
  KernelComparison comparison;
  comparison.cases = expected.size();
  for (const KernelResult& result : expected) {
    const auto found = by_name.extract(result.name);
    if (found.empty()) {
      comparison.differences.push_back(result.name + ": no result");
      continue;
    }
    EGPU_ASSIGN(std::string text, difference(result, *found.mapped()));
    if (!text.empty()) comparison.differences.push_back(std::move(text));
  }
  for (const auto& [name, result] : by_name) {
    ++comparison.cases;
    comparison.differences.push_back(name + ": not expected");
  }
  return comparison;
}

}  // namespace egpu
