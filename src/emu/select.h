// The translator of each opcode.
//
// Each emu/ops_*.cc has a table of what it translates: declare its function here and name it in
// select.cc. Control flow and the .param space are the function translator's own business.
#pragma once

#include <span>
#include <string_view>

#include "emu/builder.h"

namespace egpu::emu {

using Translator = Result<void> (*)(Builder& builder, const ptx::Instruction& instruction);

struct Translation {
  std::string_view opcode;  // before the first dot: "add"
  Translator translate;
};
using TranslationTable = std::span<const Translation>;

TranslationTable barrier_table();      // ops_barrier.cc
TranslationTable bits_table();         // ops_bits.cc
TranslationTable compare_table();      // ops_compare.cc
TranslationTable convert_table();      // ops_convert.cc
TranslationTable float_table();        // ops_float.cc
TranslationTable integer_table();      // ops_integer.cc
TranslationTable math_table();         // ops_math.cc
TranslationTable mma_table();          // ops_mma.cc
TranslationTable wmma_table();         // ops_wmma.cc
TranslationTable move_table();         // ops_move.cc
TranslationTable address_table();      // ops_address.cc
TranslationTable atomic_table();       // ops_atomic.cc
TranslationTable copy_table();         // ops_copy.cc
TranslationTable fence_table();        // ops_fence.cc
TranslationTable matrix_move_table();  // ops_matrix_move.cc
TranslationTable mbarrier_table();     // ops_mbarrier.cc
TranslationTable memory_table();       // ops_memory.cc
TranslationTable reduce_table();       // ops_reduce.cc
TranslationTable schedule_table();     // ops_schedule.cc
TranslationTable shuffle_table();      // ops_shuffle.cc
TranslationTable stack_table();        // ops_stack.cc
TranslationTable video_table();        // ops_video.cc
TranslationTable vote_table();         // ops_vote.cc

// The translator of an opcode, or null where the executor does not know it.
Translator find_translator(std::string_view opcode);

}  // namespace egpu::emu
