// Labels of a function: where they stand, and who jumps to them.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emu/function_builder.h"
#include "ptx/ast.h"

namespace egpu::emu {

class Labels {
 public:
  using List = std::vector<std::string_view>;

  // `function` is what the builder translates.
  Labels(FunctionBuilder& builder, const ptx::Function& function);

  void enter(const ptx::Block& block);
  void leave() { scopes_.pop_back(); }

  // The label stands here. Emits an Op where somebody jumps to it: lanes may meet there.
  Result<void> place(std::string_view name);

  // `*distance`, or Op::immediate where it is null, becomes the distance from the Op at `from` to
  // the label, now or when the label is placed.
  Result<void> aim(std::string_view name, std::size_t from, std::int64_t* distance = nullptr);

  // The labels of a .branchtargets directive; null where there is none of this name.
  const List* list(std::string_view name) const;

 private:
  struct Jump {
    std::size_t from = 0;
    std::int64_t* distance = nullptr;
  };
  struct Target {
    static constexpr std::size_t kUnknown = ~std::size_t{0};
    std::size_t position = kUnknown;
    std::vector<Jump> waiting;
  };
  struct Scope {
    std::unordered_map<std::string_view, Target> targets;
    std::unordered_map<std::string_view, List> lists;
  };

  void find_targets(const ptx::Block& block);
  void set(const Jump& jump, std::size_t position);

  FunctionBuilder& builder_;
  std::vector<Scope> scopes_;
  std::unordered_set<std::string_view> named_;  // by some branch, in any block
};

}  // namespace egpu::emu
