#!/bin/bash
# Regenerates the committed PTX of every kernel here with every compiler found. Neither the build nor the tests use
# this: run it after changing a .cu, then commit both. nvcc needs no GPU; clang 14 needs no CUDA.
#   platforms/workloads/compile.sh [STEM]...
set -euo pipefail
cd "$(dirname "$0")"

stems=("$@")
if [ ${#stems[@]} -eq 0 ]; then
  stems=()
  for source in *.cu; do stems+=("${source%.cu}"); done
fi

# compile STEM COMPILER COMMAND...: the PTX with, in front, the command and the checksums of what it was made from.
compile() {
  local stem=$1 compiler=$2 output=ptx/$1.$2.ptx
  shift 2
  if ! command -v "$1" >/dev/null; then
    echo "$output: kept, $1 is not installed"
    return
  fi
  local sources=("$stem.cu")
  if [ "$compiler" = clang ]; then sources+=(cuda_lite.h); fi
  "$@"
  {
    echo "// $*"
    cksum "${sources[@]}" | sed 's|^|// cksum: |'
    # Header comments (build numbers, blank ruler lines) say nothing about the code.
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
  compile "$stem" nvcc nvcc -arch=sm_75 -O3 -ptx "$stem.cu" -o "ptx/$stem.nvcc.ptx"
  # A source may ask for further options: // clang: OPTION...
  read -r -a options <<<"$(sed -n 's|^// clang: ||p' "$stem.cu")"
  compile "$stem" clang clang-14 --cuda-path=/nonexistent -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 \
    -nocudainc -nocudalib -O3 "${options[@]}" -include cuda_lite.h -S "$stem.cu" -o "ptx/$stem.clang.ptx"
done
