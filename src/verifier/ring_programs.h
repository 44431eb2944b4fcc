// Programs that use a ring buffer, with what the checker says to each. The running kernel's
// verifier says the same (tests/kernel_agreement_test.cc).
#pragma once

#include <string>
#include <vector>

#include "bpf/object.h"

namespace egpu::verifier::testing {

struct RingProgram {
  const char* name;
  std::string text;     // map[0] is the ring, map[1] an ARRAY
  const char* refusal;  // a part of the message; null: accepted
  // Where the kernel says otherwise: pointers may leave the programs of privileged users.
  bool kernel_accepts = refusal == nullptr;
};

inline std::vector<bpf::MapDefinition> ring_program_maps() {
  return {{"ring", bpf::MapType::kRingbuf, 0, 0, 4096, {}, {}},
          {"counts", bpf::MapType::kArray, 4, 16, 8, {}, {}}};
}

inline std::vector<RingProgram> ring_programs() {
  const std::string leave = " r0 = 0\n exit\n";
  // r0 = a record of 16 bytes or null; leaves where it is null; r6 is the record.
  const auto reserve = [](int size) {
    return "r1 = map[0]\n r2 = " + std::to_string(size) +
           "\n r3 = 0\n call 131\n if r0 != 0 goto some\n r0 = 0\n exit\n some: r6 = r0\n";
  };
  const std::string submit = " r1 = r6\n r2 = 0\n call 132\n";
  const std::string discard = " r1 = r6\n r2 = 0\n call 133\n";
  return {
      {"Submitted", reserve(16) + "*(u64 *)(r6 +8) = 7\n" + submit + leave, nullptr},
      {"Discarded", reserve(16) + discard + leave, nullptr},
      {"Either",
       reserve(16) + "r7 = *(u64 *)(r6 +0)\n if r7 == 0 goto other\n" + submit +
           "goto done\n other:" + discard + "done:" + leave,
       nullptr},
      {"ReadWhatWasNotWritten", reserve(16) + "r7 = *(u32 *)(r6 +12)\n" + submit + leave, nullptr},
      {"NullTestTwice",
       "r1 = map[0]\n r2 = 8\n r3 = 0\n call 131\n r6 = r0\n if r6 == 0 goto done\n"
       " r1 = r0\n r2 = 0\n call 132\n done:" +
           leave,
       nullptr},
      {"TwoAtATime",
       reserve(16) +
           "r7 = r6\n r1 = map[0]\n r2 = 8\n r3 = 0\n call 131\n if r0 == 0 goto one\n"
           " r1 = r0\n r2 = 0\n call 132\n one: r1 = r7\n r2 = 0\n call 133\n" +
           leave,
       nullptr},
      {"Spilled",
       reserve(16) +
           "*(u64 *)(r10 -8) = r6\n r6 = 0\n r1 = *(u64 *)(r10 -8)\n r2 = 0\n call 132\n" + leave,
       nullptr},
      {"InAFunction",
       reserve(16) + "r1 = r6\n call function f\n" + leave +
           "f: *(u32 *)(r1 +4) = 3\n r2 = 0\n call 132\n r0 = 0\n exit\n",
       nullptr},
      {"ComputedPlace",
       "r7 = *(u32 *)(r1 +0)\n" + reserve(16) +
           "r7 &= 15\n r6 += r7\n *(u8 *)(r6 +0) = 1\n"
           " r6 -= r7\n" +
           discard + leave,
       "not one to its start"},
      {"Empty", reserve(0) + submit + leave, nullptr},
      {"OutputFromTheStack",
       "*(u64 *)(r10 -8) = 5\n r1 = map[0]\n r2 = r10\n r2 += -8\n r3 = 8\n r4 = 0\n call 130\n" +
           leave,
       nullptr},
      {"OutputOfARecord",
       reserve(16) + "*(u64 *)(r6 +0) = 5\n r1 = map[0]\n r2 = r6\n r3 = 16\n r4 = 0\n call 130\n" +
           discard + leave,
       nullptr},
      {"Query", "r1 = map[0]\n r2 = 1\n call 134\n" + leave, nullptr},
      {"RecordInALoop",
       "r7 = 0\n again: r1 = map[0]\n r2 = 8\n r3 = 0\n call 131\n if r0 == 0 goto next\n r1 = r0\n"
       " r2 = 0\n call 132\n next: r7 += 1\n if r7 < 4 goto again\n" +
           leave,
       nullptr},

      {"Leaked", reserve(16) + leave, "is neither submitted nor discarded"},
      {"LeakedOnOnePath",
       reserve(16) + "r7 = *(u64 *)(r6 +0)\n if r7 == 0 goto done\n" + submit + "done:" + leave,
       "is neither submitted nor discarded"},
      {"LeakedByAFunction",
       "call function f\n" + leave +
           "f: r1 = map[0]\n r2 = 8\n r3 = 0\n call 131\n r0 = 0\n exit\n",
       "is neither submitted nor discarded"},
      {"NoNullTest", "r1 = map[0]\n r2 = 8\n r3 = 0\n call 131\n *(u64 *)(r0 +0) = 1\n" + leave,
       "a record of map ring or null"},
      {"SubmitWithoutNullTest",
       "r1 = map[0]\n r2 = 8\n r3 = 0\n call 131\n r1 = r0\n r2 = 0\n call 132\n" + leave,
       "not a record"},
      {"SubmittedTwice", reserve(16) + submit + submit + leave, "submitted or discarded before"},
      {"UsedAfterSubmit", reserve(16) + submit + "*(u64 *)(r6 +0) = 1\n" + leave,
       "submitted or discarded before"},
      {"ReadAfterDiscard", reserve(16) + "r7 = r6\n" + discard + "r7 = *(u64 *)(r7 +0)\n" + leave,
       "submitted or discarded before"},
      {"BeyondTheEnd", reserve(16) + "*(u64 *)(r6 +16) = 1\n" + submit + leave,
       "may be outside the 16 bytes of a record of map ring"},
      {"BeforeTheStart", reserve(16) + "*(u64 *)(r6 -8) = 1\n" + submit + leave,
       "may be outside the 16 bytes of a record of map ring"},
      {"UnboundedPlace",
       "r7 = *(u32 *)(r1 +0)\n" + reserve(16) + "r8 = r6\n r8 += r7\n *(u8 *)(r8 +0) = 1\n" +
           submit + leave,
       "may be outside the 16 bytes of a record of map ring"},
      {"NotItsStart", reserve(16) + "r6 += 8\n" + submit + leave, "not one to its start"},
      {"ComputedSize", "r2 = *(u32 *)(r1 +0)\n r2 &= 7\n r1 = map[0]\n r3 = 0\n call 131\n" + leave,
       "not a constant size"},
      {"PointerStored", reserve(16) + "*(u64 *)(r6 +0) = r10\n" + submit + leave,
       "must not leave the program", true},
      {"ReservedInAnArray", "r1 = map[1]\n r2 = 8\n r3 = 0\n call 131\n" + leave,
       "not a ring buffer"},
      {"LookedUpInARing",
       "*(u32 *)(r10 -4) = 0\n r1 = map[0]\n r2 = r10\n r2 += -4\n call 1\n" + leave,
       "not a map with keys"},
      {"SubmittedAValue",
       "*(u32 *)(r10 -4) = 0\n r1 = map[1]\n r2 = r10\n r2 += -4\n call 1\n if r0 == 0 goto done\n"
       " r1 = r0\n r2 = 0\n call 132\n done:" +
           leave,
       "not a record that bpf_ringbuf_reserve gave"},
      {"OutputOfTooMuch",
       "*(u64 *)(r10 -8) = 5\n r1 = map[0]\n r2 = r10\n r2 += -8\n r3 = 16\n r4 = 0\n call 130\n" +
           leave,
       "outside the stack"},
      {"SubmittedByACallback",
       reserve(16) +
           "*(u64 *)(r10 -8) = r6\n r1 = 2\n r2 = function f\n r3 = r10\n r3 += -8\n"
           " r4 = 0\n call 181\n" +
           leave + "f: r1 = *(u64 *)(r2 +0)\n r2 = 0\n call 132\n r0 = 0\n exit\n",
       "a record that its caller reserved"},
      {"LeakedByACallback",
       "r1 = 2\n r2 = function f\n r3 = 0\n r4 = 0\n call 181\n" + leave +
           "f: r1 = map[0]\n r2 = 8\n r3 = 0\n call 131\n r0 = 0\n exit\n",
       "is neither submitted nor discarded"},
      {"KeptOverACallback",
       reserve(16) + "r1 = 2\n r2 = function f\n r3 = 0\n r4 = 0\n call 181\n" + submit + leave +
           "f: r0 = 0\n exit\n",
       nullptr},
      {"InACallback",
       "r1 = 2\n r2 = function f\n r3 = 0\n r4 = 0\n call 181\n" + leave +
           "f: r1 = map[0]\n r2 = 8\n r3 = 0\n call 131\n if r0 == 0 goto none\n r1 = r0\n r2 = 0\n"
           " call 133\n none: r0 = 0\n exit\n",
       nullptr},
  };
}

}  // namespace egpu::verifier::testing
