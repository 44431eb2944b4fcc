# Shared by the scripts in scripts/: source it first. Sets strict mode and goes to the root of the tree.
# shellcheck shell=bash disable=SC2034

set -euo pipefail

EGPU_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$EGPU_ROOT"

# The LLVM release everything is built and checked with (cmake/EgpuDependencies.cmake asks for the same).
readonly LLVM_RELEASE=22

say() { printf '%s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# require COMMAND: ends with a remedy where it is missing.
require() { have "$1" || die "$1 is missing; scripts/install-deps installs it"; }

jobs() { nproc; }

# tracked PATTERN...: files git knows or would add, so that checks also see what is about to be committed.
tracked() { git ls-files --cached --others --exclude-standard -- "$@" | sort -u | existing; }

existing() {
  local path
  while IFS= read -r path; do
    if [[ -f $path ]]; then printf '%s\n' "$path"; fi
  done
}

# configure PRESET: through ccache where there is one.
configure() {
  local options=()
  if have ccache; then
    # Precompiled headers are cached too where it may take their macros for granted.
    options=(-DCMAKE_C_COMPILER_LAUNCHER=ccache
      '-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache')
  fi
  cmake --preset "$1" "${options[@]}"
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  cmake --build --preset "$preset" -j "$(jobs)" ${1:+--target "$@"}
}

# cmake_targets FUNCTION: "folder target" for each call of egpu_test, egpu_fuzzer, ... in the tree.
cmake_targets() {
  local list
  tracked 'src/*CMakeLists.txt' 'tests/*CMakeLists.txt' 'bench/*CMakeLists.txt' 'tools/*CMakeLists.txt' |
    while IFS= read -r list; do
      sed -nE "s|^ *$1\\( *([A-Za-z0-9_]+).*|$(dirname "$list") \\1|p" "$list"
    done
}
