#include "session/assembler.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "session/assembler_options.h"
#include "session/nvjitlink.h"
#include "session/ptxas.h"

namespace egpu::session {
namespace {

std::vector<std::byte> with_nul(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  copy.push_back(std::byte{0});
  return copy;
}

}  // namespace

std::string to_string(const Target& target) {
  std::string name = fmt::format("sm_{}{}", target.major, target.minor);
  if (target.suffix != '\0') name += target.suffix;
  return name;
}

Result<Target> target_for(std::string_view ptx, fatbin::ComputeCapability device) {
  EGPU_ASSIGN(const auto image, fatbin::parse_image(as_bytes(ptx)));
  const fatbin::Member* member = fatbin::member_for(image, device);
  if (member == nullptr)
    return input_error(
        fmt::format("PTX for {} does not run on a device of compute capability {}.{}",
                    fatbin::architecture_name(image.members.at(0)), device.major, device.minor));
  return Target{device.major, device.minor, member->suffix};
}

AssemblerSearch search_from(const EnvironmentLookup& environment) {
  AssemblerSearch search;
  search.ptxas = value_of(environment, "EGPU_PTXAS");
  search.path = value_of(environment, "PATH");
  search.cuda_home = value_of(environment, "CUDA_HOME");
  return search;
}

Result<Assembler> Assembler::find(const AssemblerSearch& search) {
  if (!search.ptxas.empty()) {
    EGPU_ASSIGN(auto asked_for, open_ptxas(search.ptxas, search.timeout));
    return Assembler(std::move(asked_for));
  }
  for (const auto& candidate : ptxas_candidates(search))
    if (auto found = open_ptxas(candidate, search.timeout)) return Assembler(*std::move(found));
  for (const auto& candidate : nvjitlink_candidates(search))
    if (auto found = open_nvjitlink(candidate)) return Assembler(*std::move(found));
  return Assembler();
}

std::string Assembler::identity() const {
  return backend_ == nullptr ? "driver" : backend_->identity();
}

Result<Assembled> Assembler::assemble(std::string_view ptx, const Target& target,
                                      const std::vector<std::string>& options) const {
  if (backend_ == nullptr) {
    EGPU_TRY(refuse_options(identity(), options));
    return Assembled{with_nul(ptx), identity()};
  }
  EGPU_ASSIGN(auto cubin, backend_->assemble(ptx, to_string(target), options));
  return Assembled{std::move(cubin), identity()};
}

}  // namespace egpu::session
