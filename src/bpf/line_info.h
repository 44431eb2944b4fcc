// .BTF.ext: which source line each instruction comes from.
// Format: Documentation/bpf/btf.rst of the Linux kernel, "The .BTF.ext section".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "bpf/btf.h"
#include "bpf/object.h"

namespace egpu::bpf {

class LineTable {
 public:
  LineTable() = default;  // knows no line

  // `section_untrusted`: the contents of .BTF.ext; its strings are those of `btf`.
  static Result<LineTable> parse(Bytes section_untrusted, const Btf& btf);

  // The line of the 8-byte slot `slot` of `section`, in a program that starts at slot `first`: that
  // of the last record from `first` up to it. Nothing where there is none.
  [[nodiscard]] std::optional<SourceLine> find(std::string_view section, std::uint32_t first,
                                               std::uint32_t slot) const;

 private:
  struct Record {
    std::uint32_t slot = 0;
    SourceLine line;
  };

  std::map<std::string, std::vector<Record>, std::less<>> records_;  // by section, sorted by slot
};

}  // namespace egpu::bpf
