# Shared by the scripts of this folder. They run on a machine with a GPU, in the root of a checkout that holds dist/
# or build/gpu-tests.tar.gz (scripts/package-release --gpu-tests, made elsewhere and carried), and need nvcc and python3 there.
# shellcheck shell=bash

set -uo pipefail
export LC_ALL=C

gpu_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ "$gpu_root/build/gpu-tests.tar.gz" -nt "$gpu_root/dist/COMMIT" ]; then
  tar -C "$gpu_root" -xmf "$gpu_root/build/gpu-tests.tar.gz" || exit 1
fi
gpu_work=${EGPU_GPU_WORK:-$(mktemp -d)}
# shellcheck disable=SC2034  # used by the scripts that source this
egpu=$gpu_root/dist/bin/egpu
export XDG_CACHE_HOME=$gpu_work/cache

# What ran where: the head of every file in docs/results/.
print_header() {
  echo "date    $(date -u '+%Y-%m-%d %H:%M UTC')"
  echo "commit  $(cat "$gpu_root/dist/COMMIT")"
  echo "gpu     $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)"
  echo "kernel  $(uname -r), $(nproc) cores"
  echo "cuda    $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
  echo
}

# build_programs: the test and benchmark programs, built by plain nvcc as users build theirs.
build_programs() {
  local arch
  arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
  (
    cd "$gpu_work" || exit 1
    local tests=$gpu_root/tests/gpu
    set -e
    nvcc -o vec_add_static "$tests/vec_add.cu" &
    nvcc -cudart shared -o vec_add_shared "$tests/vec_add.cu" &
    nvcc -arch="$arch" -o vec_add_arch "$tests/vec_add.cu" &
    nvcc -o graph_nodes "$tests/graph_nodes.cu" &
    nvcc -fatbin -o vec_add.fatbin "$tests/vec_add_kernel.cu" &
    nvcc -ptx -o vec_add.ptx "$tests/vec_add_kernel.cu" &
    nvcc -cubin -arch="$arch" -o vec_add.cubin "$tests/vec_add_kernel.cu" &
    nvcc -o vec_add_driver "$tests/vec_add_driver.cc" -lcuda &
    nvcc -arch="$arch" -I"$tests" -o probe_cost "$gpu_root/bench/gpu/probe_cost.cu" &
    nvcc -arch="$arch" -I"$tests" -o launch_cost "$gpu_root/bench/gpu/launch_cost.cu" &
    local job
    for job in $(jobs -p); do wait "$job"; done
  )
}
