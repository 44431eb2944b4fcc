// Any bytes are loaded as an object; whatever loads is checked. Seeds: the compiled tests/programs.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "bpf/object.h"
#include "verifier/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto object = egpu::bpf::load_object(std::as_bytes(std::span(data, size)), "fuzz.o");
  if (!object) {
    if (object.error().fault == egpu::Fault::kBug) std::abort();
    return 0;
  }
  for (const auto& program : object->programs) {
    egpu::verifier::CheckLimits limits;
    limits.visited_instructions = 20'000;
    const auto checked = egpu::verifier::check(*object, program, limits);
    if (!checked && checked.error().fault == egpu::Fault::kBug) std::abort();
  }
  return 0;
}
