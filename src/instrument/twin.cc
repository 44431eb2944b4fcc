#include "instrument/twin.h"

#include <string_view>

#include "abi/probe_table.h"

namespace egpu::instrument {
namespace {

constexpr std::string_view kKernelIdParameter = "egpu_kernel_id";
constexpr std::string_view kSiteIdParameter = "egpu_site_id";

// .param .b32 NAME;   st.param.b32 [NAME], VALUE;
void pass_argument(ptx::Block& block, std::string_view name, std::string_view value) {
  block.statements.emplace_back(ptx::Declaration{".param .b32", {{.name = name}}});
  block.statements.emplace_back(ptx::Instruction{
      .opcode = {"st.param.b32"},
      .operands = {ptx::Address{.parts = {ptx::Symbol{name}}}, ptx::Integer{value}}});
}

// A block of its own keeps the parameters' names apart from the kernel's. `.uni`: at a kernel's
// first instruction no thread has taken another path.
ptx::Block call_block(std::string_view function, std::string_view kernel_id,
                      std::string_view site_id) {
  ptx::Block block;
  pass_argument(block, kKernelIdParameter, kernel_id);
  pass_argument(block, kSiteIdParameter, site_id);
  block.statements.emplace_back(ptx::Instruction{
      .opcode = {"call.uni"},
      .operands = {ptx::Symbol{function}, ptx::ParameterList{{ptx::Symbol{kKernelIdParameter},
                                                              ptx::Symbol{kSiteIdParameter}}}}});
  return block;
}

}  // namespace

ptx::Function make_twin(ptx::Module& module, const ptx::Function& entry, const ptx::Block& original,
                        const std::vector<std::string>& functions, std::uint32_t kernel_id,
                        std::uint32_t site_id) {
  const std::string_view kernel_text = module.intern(std::to_string(kernel_id));
  const std::string_view site_text = module.intern(std::to_string(site_id));
  ptx::Block body;
  body.statements.reserve(functions.size() + original.statements.size());
  for (const std::string& function : functions)
    body.statements.emplace_back(call_block(module.intern(function), kernel_text, site_text));
  body.statements.insert(body.statements.end(), original.statements.begin(),
                         original.statements.end());
  return {.specifiers = entry.specifiers,
          .entry = true,
          .results = entry.results,
          .name = module.intern(abi::kInstrumentedPrefix + std::string(entry.name)),
          .parameters = entry.parameters,
          .directives = entry.directives,
          .body = std::move(body)};
}

}  // namespace egpu::instrument
