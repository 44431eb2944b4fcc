// fixture.bpf.c, loaded, and bytes for its struct everything.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/file.h"
#include "bpf/object.h"

namespace egpu::maps {

// As the C compiler lays out struct everything.
struct Everything {
  std::uint64_t count;
  std::int32_t balance;
  bool seen;
  char name[8];
  std::int32_t colour;
  struct Inner {
    std::uint32_t a;
    std::int16_t b;
  } nested, pair[2];
  std::uint16_t inlined;
  std::uint32_t low : 3;
  std::uint32_t high : 13;
  std::uint64_t pointer;
  std::uint64_t either;
};

// Its struct work.
struct Work {
  std::uint32_t largest;
  std::uint32_t calls;
  std::uint64_t sizes[64];
  std::uint64_t depths[5];
};

inline const bpf::Object& fixture() {
  static const bpf::Object object = [] {
    const std::string path = EGPU_BINARY_DIR "/fixtures/maps.bpf.o";
    const auto bytes = read_file(path);
    if (!bytes) throw std::runtime_error(to_string(bytes.error()));
    auto loaded = bpf::load_object(*bytes, path);
    if (!loaded) throw std::runtime_error(to_string(loaded.error()));
    return *std::move(loaded);
  }();
  return object;
}

// The fixture's maps are in the order of their definition or of their names: look them up.
inline std::size_t map_index(const std::string& name) {
  for (std::size_t i = 0; i < fixture().maps.size(); ++i)
    if (fixture().maps[i].name == name) return i;
  throw std::runtime_error("no map " + name);
}

inline const bpf::MapDefinition& map_named(const std::string& name) {
  return fixture().maps[map_index(name)];
}

}  // namespace egpu::maps
