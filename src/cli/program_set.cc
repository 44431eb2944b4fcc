#include "cli/program_set.h"

#include "base/file.h"

namespace egpu::cli {

Result<ProgramSet> load_programs(const Installation& installation,
                                 const std::string& tool_or_path) {
  EGPU_ASSIGN(const std::filesystem::path path, find_object(installation, tool_or_path));
  EGPU_ASSIGN(const std::vector<std::byte> bytes, read_file(path));
  EGPU_ASSIGN(bpf::Object object, bpf::load_object(bytes, path.string()));

  ProgramSet set;
  set.object = std::make_unique<bpf::Object>(std::move(object));
  for (const bpf::Program& program : set.object->programs) {
    auto checked = verifier::check(*set.object, program);
    if (checked)
      set.checked.push_back(*std::move(checked));
    else
      set.refused.push_back(std::move(checked).error());
  }
  return set;
}

}  // namespace egpu::cli
