// Runs kernels with transactions on a small GPU, each in a process of its own, and again on the oracle, one transaction at a
// time in the order that the hardware claims ([KiloTM] §5.3).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heddle::testing {

using Json = nlohmann::ordered_json;

struct TxRun {
  std::vector<std::string> settings;  ///< over those of platform tiny with tm.enabled
  std::string ptx;                    ///< kernel `test(.param .u64 a, .param .u64 b)`
  std::uint32_t ctas = 2, threads = 64;
  std::vector<std::uint32_t> initial;  ///< of a
  std::uint64_t words_a = 64, words_b = 4096;
  bool trace = false;    ///< "traced" of the result: tables of the first warp after every event
  bool opacity = false;  ///< "reads" of the result: what attempts have read
};

/// {"a": words, "b": words, "commits": [[cta, thread]] in order, "statistics": ...} or "errors".
[[nodiscard]] Json run_tx(const TxRun& run);
/// Attempts that have read something, and of these, violations of opacity: that have read what memory never held between two
/// transactions. Of a run with `opacity` that the oracle replays.
struct OpacityCount {
  std::uint64_t attempts = 0, violations = 0;
};
[[nodiscard]] OpacityCount opacity_of(const TxRun& run, const Json& result);
/// What differs from the oracle's replay; empty: nothing.
[[nodiscard]] std::string replay_difference(const TxRun& run, const Json& result);

/// PTX of the kernel `test` with %a, %b (addresses), %t (thread of the CTA), %g (of the grid), registers %r0 ... %r31,
/// %d0 ... %d15, %p0 ... %p15, and the declarations of tx_begin, tx_commit, tx_abort.
[[nodiscard]] std::string tx_kernel_text(const std::string& body);
inline constexpr const char* kTxBegin = "  call.uni tx_begin, ();\n";
inline constexpr const char* kTxCommit = "  call.uni tx_commit, ();\n";
inline constexpr const char* kTxAbort = "  call.uni tx_abort, ();\n";

}  // namespace heddle::testing
