// Relocations and calls of one function -> what its instructions refer to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "bpf/code_functions.h"
#include "bpf/data_sections.h"
#include "bpf/decode.h"
#include "bpf/elf_file.h"
#include "bpf/map_definitions.h"

namespace egpu::bpf {

// Everything that a relocation may refer to.
struct LinkSymbols {
  const ElfFile& elf;
  const Btf& btf;
  const CodeFunctions& functions;
  const std::vector<PlacedMap>& maps;  // in the order of Object::maps, where they come first
  const DataSections& data;
};

class ReferenceReader {
 public:
  // `externs`: the names of the functions that egpu provides; grows with each that is new.
  ReferenceReader(LinkSymbols symbols, std::vector<std::string>& externs)
      : symbols_(symbols), externs_(externs) {}

  // What the instructions of `function` refer to, sorted by slot; of kFunction, the index is that
  // in CodeFunctions. Refuses by name what egpu cannot provide. `place`: of a slot of the function.
  Result<std::vector<Reference>> read(const CodeFunction& function, const SlotPlace& place);

 private:
  // What one relocation says, where it says it, and the immediate of the instruction there.
  struct Site {
    const ElfSymbol& symbol;
    std::uint32_t slot = 0;
    std::uint64_t addend = 0;  // wraps around where it is negative
  };

  Result<const std::vector<ElfRelocation>*> relocations_of(std::uint32_t section);
  Result<Reference> read_one(const ElfRelocation& relocation, Bytes code, std::uint32_t slot);
  [[nodiscard]] Result<Reference> read_address(const Site& site) const;
  Result<Reference> read_call(const Site& site);
  [[nodiscard]] Result<Reference> data_address(const Site& site, const PlacedData& data) const;
  [[nodiscard]] Result<Reference> map_address(const Site& site) const;
  [[nodiscard]] Result<Reference> function_at(std::uint32_t slot, std::uint32_t section,
                                              std::uint64_t byte) const;
  Result<Reference> extern_call(const Site& site);
  [[nodiscard]] Error refuse_extern(const ElfSymbol& symbol) const;
  [[nodiscard]] const Type* extern_type(std::string_view section, std::string_view name) const;

  LinkSymbols symbols_;
  std::vector<std::string>& externs_;
  std::map<std::uint32_t, std::vector<ElfRelocation>> relocations_;  // by section
};

}  // namespace egpu::bpf
