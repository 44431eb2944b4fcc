// What the handles of the C API are (include/egpu/egpu.h).
#pragma once

#include <egpu/egpu.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "session/session.h"

struct egpu_options {
  std::vector<std::pair<std::string, std::string>> variables;
  bool emulate = false;
  std::chrono::milliseconds interval{1000};
  std::chrono::milliseconds wait{2000};
};

struct egpu_map {
  egpu_session* session = nullptr;
  std::size_t index = 0;  // in Object::maps
};

struct egpu_session {
  std::unique_ptr<egpu::session::Session> session;
  std::vector<std::string> settings;  // "NAME=value" for observed programs
  std::chrono::milliseconds wait{2000};
  std::vector<egpu_map> maps;  // as Object::maps
};

namespace egpu::api {

// egpu_instance::id
inline std::uint64_t instance_id(std::uint32_t process, std::uint32_t number) {
  return std::uint64_t{process} << 32 | number;
}

}  // namespace egpu::api
