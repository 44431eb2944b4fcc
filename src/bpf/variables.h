// `const volatile` variables of an object: options that a user may set before its programs are
// compiled. They live in read-only sections, so the code generator makes constants of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"

namespace egpu::bpf {

struct SettableVariable {
  std::string name;
  std::string type;   // for people: "unsigned integer of 32 bits", "text of at most 15 bytes"
  std::string value;  // as set_variable() would read it back
  bool operator==(const SettableVariable&) const = default;
};

// All that set_variable() can set: integers, bools, enums and char arrays; in the order of their
// sections and places.
std::vector<SettableVariable> settable_variables(const Object& object);

// Sets a variable before the object is checked. `value`: a number in decimal or with 0x; true or
// false; the name of an enumerator; for a char array the text itself, which must fit with its final
// zero. Errors say what is expected, or which variables there are.
Result<void> set_variable(Object& object, std::string_view name, std::string_view value);

}  // namespace egpu::bpf
