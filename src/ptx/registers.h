// Which names are registers. PTX does not tell by spelling: `p` may be a register of an inline
// assembly block, a variable or a label; declarations in the enclosing blocks decide.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace egpu::ptx {

// %tid.x, %laneid, ...: names the machine defines. `name` may have a component.
bool is_special_register(std::string_view name);

// The register declarations of nested blocks.
class RegisterScopes {
 public:
  void enter() { scopes_.push_back(declared_.size()); }
  void leave();

  // `count`: N of name<N>, which declares name0 to name(N-1); 0: the name itself.
  void declare(std::string_view name, std::uint64_t count);

  // `name` may have a component: v.x.
  bool contains(std::string_view name) const;

 private:
  // Counts of the declarations in force by name, the innermost last.
  std::unordered_map<std::string_view, std::vector<std::uint64_t>> counts_;
  std::vector<std::string_view> declared_;  // in order, to undo them
  std::vector<std::size_t> scopes_;
};

}  // namespace egpu::ptx
