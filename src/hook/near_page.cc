#include "hook/near_page.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace egpu::hook {
namespace {

// The end of user space on x86-64 with four-level page tables, which mmap() keeps to unless asked
// otherwise.
constexpr std::uintptr_t kUserEnd = 0x7ffffffff000;

struct Mapping {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  bool is_heap = false;   // grows upward
  bool is_stack = false;  // grows downward
};

// Reads /proc/self/maps line by line, without the heap: this may run inside an application's
// allocator.
class MappingReader {
 public:
  MappingReader() : fd_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  MappingReader(const MappingReader&) = delete;
  MappingReader& operator=(const MappingReader&) = delete;
  ~MappingReader() {
    if (fd_ >= 0) close(fd_);
  }

  // A line is "start-end perms offset device inode   name".
  bool next(Mapping& mapping) {
    int c = 0;
    mapping.start = read_number(c);
    if (c != '-') return false;
    mapping.end = read_number(c);
    char tail[8] = {};  // the line's last characters
    while (c != '\n' && c >= 0) {
      memmove(tail, tail + 1, sizeof tail - 1);
      tail[sizeof tail - 1] = static_cast<char>(c);
      c = read_char();
    }
    mapping.is_heap = memcmp(tail + 2, "[heap]", 6) == 0;
    mapping.is_stack = memcmp(tail + 1, "[stack]", 7) == 0;
    return true;
  }

 private:
  int read_char() {
    if (position_ == size_) {
      ssize_t got = 0;
      do {
        got = fd_ < 0 ? 0 : read(fd_, buffer_, sizeof buffer_);
      } while (got < 0 && errno == EINTR);
      if (got <= 0) return -1;
      size_ = static_cast<std::size_t>(got);
      position_ = 0;
    }
    return static_cast<unsigned char>(buffer_[position_++]);
  }

  // A hexadecimal number; `c` becomes the character behind it.
  std::uintptr_t read_number(int& c) {
    std::uintptr_t number = 0;
    while (true) {
      c = read_char();
      if (c >= '0' && c <= '9') {
        number = number * 16 + static_cast<std::uintptr_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        number = number * 16 + static_cast<std::uintptr_t>(c - 'a' + 10);
      } else {
        return number;
      }
    }
  }

  int fd_;
  std::size_t position_ = 0;
  std::size_t size_ = 0;
  char buffer_[4096];
};

// What the heap may still grow by before it meets a page of ours. The gap behind it often holds all
// the free addresses there are below a program's libraries, so it cannot be left out.
constexpr std::uintptr_t kHeapReserve = std::uintptr_t{64} << 30;

std::uintptr_t distance(std::uintptr_t a, std::uintptr_t b) { return a < b ? b - a : a - b; }

// The page of [start, end) that is in `range` and closest to `anchor`, or 0.
std::uintptr_t closest_page(std::uintptr_t start, std::uintptr_t end, std::uintptr_t anchor,
                            AddressRange range) {
  const std::uintptr_t low = start > range.low ? start : (range.low + kPageSize - 1) & -kPageSize;
  const std::uintptr_t limit =
      end > range.high && end - range.high > kPageSize ? range.high + kPageSize : end;
  if (limit < kPageSize) return 0;
  const std::uintptr_t high = (limit - kPageSize) & -kPageSize;
  if (high < low) return 0;
  return distance(low, anchor) < distance(high, anchor) ? low : high;
}

// The free page closest to `anchor`, or 0. Behind the heap and below the stack nothing is free:
// they grow.
std::uintptr_t find_free_page(std::uintptr_t anchor, AddressRange range) {
  std::uintptr_t best = 0;
  const auto consider = [&](std::uintptr_t start, std::uintptr_t end) {
    const std::uintptr_t page = closest_page(start, end, anchor, range);
    if (page != 0 && (best == 0 || distance(page, anchor) < distance(best, anchor))) best = page;
  };
  MappingReader reader;
  Mapping previous;
  for (Mapping mapping; reader.next(mapping); previous = mapping)
    if (!mapping.is_stack)
      consider(previous.end + (previous.is_heap ? kHeapReserve : 0), mapping.start);
  if (previous.end != 0) consider(previous.end, kUserEnd);
  return best;
}

void* map_exactly(std::uintptr_t page) {
  void* const wanted = reinterpret_cast<void*>(page);  // NOLINT(performance-no-int-to-ptr)
  void* const got = mmap(wanted, kPageSize, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) return got;
  if (got != MAP_FAILED) munmap(got, kPageSize);
  return nullptr;
}

// Below the page mapped last there is most often another: saves reading the mappings for every
// function.
std::uintptr_t last_page = 0;

void* map_below_last(AddressRange range) {
  const std::uintptr_t page = __atomic_load_n(&last_page, __ATOMIC_RELAXED) - kPageSize;
  return page >= range.low && page <= range.high ? map_exactly(page) : nullptr;
}

}  // namespace

void* map_page_near(std::uintptr_t anchor, AddressRange range) {
  void* page = map_below_last(range);
  // Another thread may take the free page before we do: look again.
  for (int attempt = 0; page == nullptr && attempt < 8; ++attempt) {
    const std::uintptr_t free_page = find_free_page(anchor, range);
    if (free_page == 0) return nullptr;
    page = map_exactly(free_page);
  }
  if (page != nullptr)
    __atomic_store_n(&last_page, reinterpret_cast<std::uintptr_t>(page), __ATOMIC_RELAXED);
  return page;
}

}  // namespace egpu::hook
