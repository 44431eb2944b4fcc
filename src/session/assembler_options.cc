#include "session/assembler_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace egpu::session {
namespace {

enum class Use { kKeep, kDrop };

// Source: ptxas --help of CUDA 13.0. Not among them: what names files, entries or architectures.
struct Option {
  std::string_view name;
  std::string_view short_name;
  bool has_value;
  Use use;
};
constexpr Option kOptions[] = {
    {"--Ofast-compile", "-Ofc", true, Use::kKeep},
    {"--allow-expensive-optimizations", "-allow-expensive-optimizations", true, Use::kKeep},
    {"--def-load-cache", "-dlcm", true, Use::kKeep},
    {"--def-store-cache", "-dscm", true, Use::kKeep},
    {"--device-function-maxrregcount", "-func-maxrregcount", true, Use::kKeep},
    {"--disable-optimizer-constants", "-disable-optimizer-consts", false, Use::kKeep},
    {"--fmad", "-fmad", true, Use::kKeep},
    {"--force-load-cache", "-flcm", true, Use::kKeep},
    {"--force-store-cache", "-fscm", true, Use::kKeep},
    {"--legacy-bar-warp-wide-behavior", "-legacy-bar-warp-wide-behavior", false, Use::kKeep},
    {"--maxntid", "-maxntid", true, Use::kKeep},
    {"--maxrregcount", "-maxrregcount", true, Use::kKeep},
    {"--minnctapersm", "-minnctapersm", true, Use::kKeep},
    {"--opt-level", "-O", true, Use::kKeep},
    {"--optimize-float-atomics", "-opt-fp-atomics", false, Use::kKeep},
    {"--override-directive-values", "-override-directive-values", false, Use::kKeep},
    {"--register-usage-level", "-regUsageLevel", true, Use::kKeep},
    {"--device-debug", "-g", false, Use::kDrop},
    {"--disable-warnings", "-w", false, Use::kDrop},
    {"--dont-merge-basicblocks", "-no-bb-merge", false, Use::kDrop},
    {"--generate-line-info", "-lineinfo", false, Use::kDrop},
    {"--return-at-end", "-ret-end", false, Use::kDrop},
    {"--split-compile", "-split-compile", true, Use::kDrop},
    {"--suppress-debug-info", "-suppress-debug-info", false, Use::kDrop},
    {"--suppress-stack-size-warning", "-suppress-stack-size-warning", false, Use::kDrop},
    {"--verbose", "-v", false, Use::kDrop},
    {"--warn-on-double-precision-use", "-warn-double-usage", false, Use::kDrop},
    {"--warn-on-local-memory-usage", "-warn-lmem-usage", false, Use::kDrop},
    {"--warn-on-spills", "-warn-spills", false, Use::kDrop},
    {"--warning-as-error", "-Werror", false, Use::kDrop},
};

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kBlanks{" \t\n\0", 4};
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    words.push_back(text.substr(0, text.find_first_of(kBlanks)));
    text.remove_prefix(words.back().size());
  }
}

// "-O2" is short for "-O=2".
bool is_level(std::string_view word) {
  return word.size() == 3 && word.starts_with("-O") && word[2] >= '0' && word[2] <= '9';
}

const Option* find_option(std::string_view word) {
  const std::string_view name = is_level(word) ? word.substr(0, 2) : word.substr(0, word.find('='));
  const auto* const found = std::ranges::find_if(kOptions, [&](const Option& option) {
    return option.name == name || option.short_name == name;
  });
  return found == std::end(kOptions) ? nullptr : found;
}

}  // namespace

Result<std::vector<std::string>> options_to_keep(std::string_view options) {
  std::vector<std::string> kept;
  const auto words = words_of(options);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Option* const option = find_option(words[i]);
    if (option == nullptr)
      return input_error(fmt::format(
          "it was assembled with an option of ptxas that egpu does not know: {}", words[i]));
    std::string word(words[i]);
    const bool value_follows =
        option->has_value && !is_level(word) && word.find('=') == std::string::npos;
    if (value_follows && i + 1 < words.size()) word += "=" + std::string(words[++i]);
    if (option->use == Use::kKeep) kept.push_back(std::move(word));
  }
  return kept;
}

Result<void> refuse_options(std::string_view assembler, const std::vector<std::string>& options) {
  if (options.empty()) return {};
  return input_error(fmt::format("it was assembled with {}, which {} does not take",
                                 fmt::join(options, " "), assembler))
      .hint("install ptxas, or name one in EGPU_PTXAS");
}

}  // namespace egpu::session
