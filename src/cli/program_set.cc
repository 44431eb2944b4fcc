#include "cli/program_set.h"

#include "base/file.h"
#include "bpf/variables.h"
#include "codegen/map_calls.h"

namespace egpu::cli {

namespace {

Result<void> apply(const std::string& setting, bpf::Object& object) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    return input_error("--set " + setting + " gives no variable a value")
        .hint("write --set NAME=VALUE");
  }
  return bpf::set_variable(object, setting.substr(0, equals), setting.substr(equals + 1));
}

}  // namespace

Result<ProgramSet> load_programs(const Installation& installation, const std::string& tool_or_path,
                                 const std::vector<std::string>& settings) {
  EGPU_ASSIGN(const std::filesystem::path path, find_object(installation, tool_or_path));
  EGPU_ASSIGN(const std::vector<std::byte> bytes, read_file(path));
  EGPU_ASSIGN(bpf::Object object, bpf::load_object(bytes, path.string()));
  for (const std::string& setting : settings) EGPU_TRY(apply(setting, object));

  ProgramSet set;
  set.object = std::make_unique<bpf::Object>(std::move(object));
  for (const bpf::Program& program : set.object->programs) {
    auto checked = verifier::check(*set.object, program);
    if (checked)
      set.checked.push_back(*std::move(checked));
    else
      set.refused.push_back(std::move(checked).error());
  }
  codegen::choose_sums(*set.object, set.checked);
  return set;
}

}  // namespace egpu::cli
