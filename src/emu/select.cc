#include "emu/select.h"

#include <unordered_map>

namespace egpu::emu {

Translator find_translator(std::string_view opcode) {
  static const auto translators = [] {
    std::unordered_map<std::string_view, Translator> all;
    for (const TranslationTable table : {
             barrier_table(),  bits_table(),    compare_table(), convert_table(),
             float_table(),    integer_table(), math_table(),    address_table(),
             atomic_table(),   copy_table(),    fence_table(),   matrix_move_table(),
             mbarrier_table(), memory_table(),  reduce_table(),  schedule_table(),
             shuffle_table(),  stack_table(),   video_table(),   vote_table(),
             move_table(),     mma_table(),     wmma_table(),
         })
      for (const Translation& row : table) all.emplace(row.opcode, row.translate);
    return all;
  }();
  const auto found = translators.find(opcode);
  return found == translators.end() ? nullptr : found->second;
}

}  // namespace egpu::emu
