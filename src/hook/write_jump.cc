// Other threads run the code that is changed here, so
// - it stays executable throughout: the page becomes writable for a moment rather than not
//   executable;
// - the five bytes change in one atomic store. A compare-and-swap of the whole aligned word does
//   it: the word may hold the first instruction too, where the kernel may be setting a uprobe's
//   breakpoint;
// - the kernel sets a breakpoint by exchanging the page for a changed copy, and a store that falls
//   between the two is lost. It does so under the lock that mprotect() takes: the bytes are looked
//   at again after the second mprotect(), and written again where they were lost.
#include "hook/write_jump.h"

#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hook/near_page.h"
#include "hook/plan.h"

namespace egpu::hook {
namespace {

struct alignas(16) Block {
  std::uint64_t low;
  std::uint64_t high;
};

// Not a compiler builtin: ThreadSanitizer keeps no shadow that can be written for code.
bool swap8(std::uint8_t* block, const std::uint8_t* before, const std::uint8_t* after) {
  std::uint64_t expected = 0;
  std::uint64_t desired = 0;
  memcpy(&expected, before, sizeof expected);
  memcpy(&desired, after, sizeof desired);
  bool swapped = false;
  asm volatile("lock cmpxchgq %[desired], %[block]"
               : "=@ccz"(swapped), [block] "+m"(*reinterpret_cast<std::uint64_t*>(block)),
                 "+a"(expected)
               : [desired] "r"(desired)
               : "memory");
  return swapped;
}

// Not a compiler builtin: that would call libatomic.
bool swap16(std::uint8_t* block, const std::uint8_t* before, const std::uint8_t* after) {
  Block expected{};
  Block desired{};
  memcpy(&expected, before, sizeof expected);
  memcpy(&desired, after, sizeof desired);
  bool swapped = false;
  asm volatile("lock cmpxchg16b %[block]"
               : "=@ccz"(swapped), [block] "+m"(*reinterpret_cast<Block*>(block)),
                 "+a"(expected.low), "+d"(expected.high)
               : "b"(desired.low), "c"(desired.high)
               : "memory");
  return swapped;
}

// Exchanges `expected` for `jump`, whatever stands around them; false where something else is
// there.
bool exchange(std::uint8_t* site, const std::uint8_t* expected, const std::uint8_t* jump) {
  const auto address = reinterpret_cast<std::uintptr_t>(site);
  const std::uintptr_t size = address % 8 + kJumpSize <= 8 ? 8 : 16;
  const std::uintptr_t inside = address % size;
  std::uint8_t* const block = site - inside;
  while (true) {
    std::uint8_t before[16] = {};
    memcpy(before, block, size);
    if (memcmp(before + inside, expected, kJumpSize) != 0) return false;
    std::uint8_t after[16] = {};
    memcpy(after, before, size);
    memcpy(after + inside, jump, kJumpSize);
    if (size == 8 ? swap8(block, before, after) : swap16(block, before, after)) return true;
  }
}

// Where the kernel has no such barrier, a thread sees the jump when it next enters the kernel or is
// interrupted.
void synchronise_instruction_streams() {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0)
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

}  // namespace

WriteResult write_jump(std::uint8_t* site, const std::uint8_t* expected,
                       const std::uint8_t* destination) {
  std::uint8_t jump[kJumpSize] = {0xe9};
  const auto distance = static_cast<std::int32_t>(destination - (site + kJumpSize));
  memcpy(jump + 1, &distance, sizeof distance);

  std::uint8_t* const page = site - reinterpret_cast<std::uintptr_t>(site) % kPageSize;
  for (int attempt = 0; attempt < 8; ++attempt) {
    // NOLINTNEXTLINE(clang-analyzer-security.MmapWriteExec): threads are executing it
    if (mprotect(page, kPageSize, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
      return WriteResult::kProtected;
    const bool exchanged = exchange(site, expected, jump);
    if (mprotect(page, kPageSize, PROT_READ | PROT_EXEC) != 0) return WriteResult::kProtected;
    if (!exchanged) return WriteResult::kChanged;
    if (memcmp(site, jump, kJumpSize) == 0) {
      synchronise_instruction_streams();
      return WriteResult::kDone;
    }
  }
  return WriteResult::kChanged;
}

}  // namespace egpu::hook
