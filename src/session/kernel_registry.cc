#include "session/kernel_registry.h"

namespace egpu::session {

std::uint32_t KernelRegistry::id_of(const std::string& name, const std::string& demangled) {
  const std::lock_guard lock(mutex_);
  const auto [position, added] =
      ids_.try_emplace(name, static_cast<std::uint32_t>(kernels_.size()));
  if (added) kernels_.push_back({position->second, name, demangled});
  return position->second;
}

std::size_t KernelRegistry::count() const {
  const std::lock_guard lock(mutex_);
  return kernels_.size();
}

std::vector<KernelInfo> KernelRegistry::all() const {
  const std::lock_guard lock(mutex_);
  return kernels_;
}

}  // namespace egpu::session
