#!/bin/bash
# usage: platforms/workloads/assemble.sh ARCHITECTURE FOLDER [STEM]...
#
# Machine code of the workloads for heddle run WORKLOAD --cubin FOLDER: assembles the committed PTX of nvcc with NVIDIA's
# ptxas, which comes with CUDA and needs no GPU. Writes FOLDER/STEM.cubin, of all modules or of those named. The functions
# that begin and commit a transaction become empty: hardware has none.
#
#   ARCHITECTURE   sm_75 or sm_90
#   PTXAS          environment variable: the assembler (default: ptxas of the PATH, else of /usr/local/cuda/bin)
#
# exit codes: 0 written, 1 ptxas is missing or refused a module, 2 bad arguments
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [[ $# -lt 2 || ! $1 =~ ^sm_(75|90)$ ]]; then
  sed -n '2,/^set/{/^set/d;s/^# \?//;p}' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
architecture=$1 folder=$2
shift 2
ptxas=${PTXAS:-$(PATH=$PATH:/usr/local/cuda/bin command -v ptxas || true)}
if [[ ! -x "$ptxas" ]]; then
  echo "assemble.sh: ptxas is neither in the PATH nor in /usr/local/cuda/bin: install CUDA's nvcc, or set PTXAS" >&2
  exit 1
fi

stems=("$@")
if [[ ${#stems[@]} -eq 0 ]]; then
  for ptx in "$here"/ptx/*.nvcc.ptx; do stems+=("$(basename "$ptx" .nvcc.ptx)"); done
fi
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for stem in "${stems[@]}"; do
  if [[ ! -f "$here/ptx/$stem.nvcc.ptx" ]]; then
    echo "assemble.sh: there is no module $stem in platforms/workloads/ptx" >&2
    exit 2
  fi
  sed -zE -e "s/\.target sm_[0-9]+/.target $architecture/" \
    -e 's/\.extern \.func (tx_begin|tx_commit)[[:space:]]*\(\)[[:space:]]*;/.func \1() { ret; }/g' \
    "$here/ptx/$stem.nvcc.ptx" >"$work/$stem.ptx"
  "$ptxas" -w -O3 -arch="$architecture" "$work/$stem.ptx" -o "$work/$stem.cubin"
  mv "$work/$stem.cubin" "$folder/$stem.cubin"
done
