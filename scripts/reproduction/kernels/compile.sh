#!/bin/bash
# Regenerates the committed PTX of the kernels here: nvcc's, clang's, and clang's without the passes that keep control flow structured
# (as compilers of the publications' time left it). Run it after changing a .cu, then commit both.
#   scripts/reproduction/kernels/compile.sh
set -euo pipefail
cd "$(dirname "$0")"
lite=../../../platforms/workloads/cuda_lite.h

# made FILE COMMAND...: the PTX with the command in front.
made() {
  local output=$1
  shift
  "$@" -o "$output"
  sed -i -e "1i // $*" -e "/^\/\/$/d" "$output"
}

for stem in photon renderer; do
  made "$stem.nvcc.ptx" nvcc -arch=sm_75 -O3 -ptx "$stem.cu"
  for form in structured unstructured; do
    options=()
    if [ "$form" = unstructured ]; then options=(-mllvm -disable-nvptx-require-structured-cfg); fi
    made "$stem.$form.ptx" clang-14 --cuda-path=/nonexistent -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -O3 \
      "${options[@]}" -include "$lite" -S "$stem.cu"
  done
done
