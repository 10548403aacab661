#!/bin/bash
# Regenerates the committed PTX of the .cu files in calls, cuda, warp and wide. Neither the build nor the tests use this.
#   tests/data/compile.sh [FOLDER]...
set -euo pipefail
cd "$(dirname "$0")"
lite=../../../platforms/workloads/cuda_lite.h

compile() {  # OUTPUT COMMAND...
  local output=$1
  shift
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

if [ $# -eq 0 ]; then set -- calls cuda warp wide; fi
for folder in "$@"; do
  cd "$folder"
  for source in *.cu; do
    stem=${source%.cu}
    compile "$stem.nvcc.ptx" nvcc -arch=sm_75 -O3 -ptx "$source"
    # clang has neither these headers here nor 128-bit division on the device.
    if ! grep -q "<assert.h>\|<cstdio>\|<cooperative_groups.h>\|__vadd4\|__int128" "$source"; then
      compile "$stem.clang.ptx" clang-14 --cuda-path=/nonexistent -x cuda --cuda-device-only \
        --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -O3 -include "$lite" -S "$source"
    fi
  done
  cd ..
done
