// Numbers kernels. A kernel keeps its number for the session, in every process and module that has
// one of that name.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "session/session.h"

namespace egpu::session {

class KernelRegistry final : public KernelList {
 public:
  // Thread-safe. Numbers go up from 0 in the order of first sight.
  std::uint32_t id_of(const std::string& name, const std::string& demangled);
  [[nodiscard]] std::size_t count() const override;
  [[nodiscard]] std::vector<KernelInfo> all() const override;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<KernelInfo> kernels_;
};

}  // namespace egpu::session
