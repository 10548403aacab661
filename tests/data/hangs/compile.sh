#!/bin/bash
# Regenerates the committed PTX of the .cu files here. Neither the build nor the tests use this.
#   tests/data/hangs/compile.sh [STEM]...
set -euo pipefail
cd "$(dirname "$0")"
lite=../../../platforms/workloads/cuda_lite.h

stems=("$@")
if [ ${#stems[@]} -eq 0 ]; then
  for source in *.cu; do stems+=("${source%.cu}"); done
fi

compile() {  # OUTPUT COMMAND...
  local output=$1
  shift
  if ! command -v "$1" >/dev/null; then
    echo "$output: kept, $1 is not installed"
    return
  fi
  "$@" -o "$output"
  {
    echo "// $*"
    sed -e '/^\/\/$/d' "$output"
  } >"$output.new"
  mv "$output.new" "$output"
  if grep -nE '(^|[^/])/(home|usr|tmp|opt|root|work)/' "$output"; then
    echo "$output: holds a path of this machine" >&2
    exit 1
  fi
  echo "$output"
}

for stem in "${stems[@]}"; do
  compile "$stem.nvcc.ptx" nvcc -arch=sm_75 -O3 -ptx "$stem.cu"
  compile "$stem.clang.ptx" clang-14 --cuda-path=/nonexistent -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 \
    -nocudainc -nocudalib -O3 -include "$lite" -S "$stem.cu"
done
