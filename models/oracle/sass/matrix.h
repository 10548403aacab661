// HMMA, IMMA, DMMA, MOVM, LDSM, STSM: all lanes of a warp execute them together.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "oracle/options.h"
#include "oracle/sass/warp.h"

namespace heddle::oracle::machine_code {

/// HMMA, IMMA, DMMA, MOVM.
[[nodiscard]] bool takes_matrices(Opcode op);
/// What of such an operation is not supported; empty: nothing.
[[nodiscard]] std::string unknown_matrix(const Op& op);

void multiply_matrices(const Op& op, Warp& warp, const Options& options);
void transpose_matrix(const Op& op, Warp& warp);
/// LDSM. `lines`: what lane l has named, 16 bytes.
void load_matrices(const Op& op, Warp& warp, const std::array<std::byte*, kLanes>& lines);
/// STSM.
void store_matrices(const Op& op, const Warp& warp, const std::array<std::byte*, kLanes>& lines);

}  // namespace heddle::oracle::machine_code
