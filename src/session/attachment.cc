#include "session/attachment.h"

#include <algorithm>

namespace egpu::session {
namespace {

// "ns::add" of "void ns::add<float>(float*)": cut at the first < or (, then drop the result type,
// which stands before the last blank. "(anonymous namespace)" is part of a name.
std::string_view plain_name(std::string_view demangled) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::size_t end = 0;
  while (end < demangled.size()) {
    if (demangled.substr(end).starts_with(kAnonymous)) {
      end += kAnonymous.size();
      continue;
    }
    if (demangled[end] == '<' || demangled[end] == '(') break;
    ++end;
  }
  std::string_view name = demangled.substr(0, end);
  // A blank inside "(anonymous namespace)" does not separate the result type.
  const std::size_t anonymous = name.find(kAnonymous);
  const std::size_t blank = name.substr(0, anonymous).rfind(' ');
  return blank == std::string_view::npos ? name : name.substr(blank + 1);
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view name) {
  // Greedy with one backtrack point: linear in practice, no recursion.
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool attaches_to(const bpf::AttachPoint& attach, const std::string& kernel,
                 const std::string& demangled) {
  return std::ranges::any_of(attach.kernels, [&](const std::string& pattern) {
    return glob_matches(pattern, kernel) || glob_matches(pattern, demangled) ||
           glob_matches(pattern, plain_name(demangled));
  });
}

}  // namespace egpu::session
