#include "verifier/check.h"

#include "verifier/explorer.h"

namespace egpu::verifier {

Result<CheckedProgram> check(const bpf::Object& object, const bpf::Program& program,
                             const CheckLimits& limits) {
  return Explorer(object, program, limits).run();
}

}  // namespace egpu::verifier
