// cuInit's first step. Everything else here is compiled for x86-64-v3: this file is not, so that it
// runs, and says what is missing, on processors that are older.
#include <cstdio>

#include "emu/driver/functions.h"
#include "emu/driver/initialize.h"

namespace egpu::emu::driver {

Status init(unsigned flags) {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return initialize(flags);
  std::fputs("egpu emulator: this processor lacks AVX2 or FMA, which it is compiled for\n", stderr);
  return cuda::kNoDevice;
}

}  // namespace egpu::emu::driver
