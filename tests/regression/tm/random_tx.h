// Random transactional kernels: random read and write sets of every access width, nested control flow, nested transactions,
// aborts, registers that must come back.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::testing {

struct RandomTxShape {
  unsigned words = 64;        ///< of the array that transactions share, a power of two
  unsigned transactions = 2;  ///< of a thread
  unsigned operations = 6;    ///< of a transaction, at most
  bool aborts = true;
};

/// The body for tx_kernel_text(): works on a; leaves what each thread has seen in b[thread].
[[nodiscard]] std::string random_tx_body(std::uint64_t seed, const RandomTxShape& shape = {});

}  // namespace heddle::testing
