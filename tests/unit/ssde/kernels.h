// The synchronisation patterns [SSDE:K0] to [SSDE:K13] as hand-written kernels, and short ways to their
// analysis. Each body works on (lock, data, n): %rd1, %rd2, %r1.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/deadlock.h"
#include "frontend/ptx/ast.h"
#include "isa/kernel.h"

namespace heddle::ssde_test {

/// A module with one kernel k(lock, data, n); the body begins on line kBodyLine.
inline constexpr std::uint32_t kBodyLine = 13;
[[nodiscard]] std::string module_text(const std::string& body, const std::string& globals = "");

/// K0: while (CAS(lock) != 0); CS; exch(lock).
extern const char* const kSpinLock;
/// K1: the retry loop that is safe on a stack; in a grid-stride loop in the second form.
extern const char* const kRetry;
extern const char* const kRetryInGridStride;
/// K1 in MIMD form within a grid-stride loop, as NVCC 8.0 compiles it (Fig 3.9b).
extern const char* const kSpinInGridStride;
/// K4: two locks, two releases.
extern const char* const kTwoLocks;
/// K6: BH-ST with a waiting loop (Fig 4.1b), and with a test instead of it.
extern const char* const kWaitForParent;
extern const char* const kPollForParent;
/// K2, K5: a lock within a loop that lets lanes in one by one.
extern const char* const kLaneByLane;
/// K3: two nested locks, retried.
extern const char* const kNestedRetry;
/// K7: a lock with a delay loop; K9: K1 with one.
extern const char* const kLockWithDelay;
extern const char* const kRetryWithDelay;
/// K8: a test before and after the lock.
extern const char* const kMaximum;
/// K10: releases on both sides of a branch, one of them with an early return.
extern const char* const kEarlyRelease;
extern const char* const kTwoReleases;
/// K11: Radiosity (Fig 4.1a).
extern const char* const kBreakWithLock;
/// K12: Histogram256's addByte, four times, for words of a grid-stride loop.
extern const char* const kHistogram;
/// K13: an unstructured loop without synchronisation.
extern const char* const kUnstructured;
/// BH-FC: a loop left when all lanes agree, which depends on memory written after it.
extern const char* const kAllLanesAgree;

/// A decoded kernel and what has been found in it.
struct Analyzed {
  std::string text;
  std::shared_ptr<const ptx::Module> tree;
  isa::Module module;
  std::shared_ptr<const isa::Kernel> kernel;
  std::unique_ptr<analysis::CodeAnalysis> code;
  std::vector<analysis::LoopFinding> findings;

  [[nodiscard]] std::uint32_t line(std::uint32_t instruction) const {
    return kernel->code[instruction].where.line;
  }
  /// Lines (from the body's first, 1) at which flagged loops begin.
  [[nodiscard]] std::vector<std::uint32_t> flagged() const;
  /// The loop that begins there; the innermost of several. Fails the test if there is none.
  [[nodiscard]] const analysis::LoopFinding& loop(std::uint32_t body_line) const;
  /// Lines of the writes that a loop may wait for, likewise.
  [[nodiscard]] std::vector<std::uint32_t> writes(std::uint32_t body_line) const;
  /// The line of its SafePDOM, likewise; 0: the end.
  [[nodiscard]] std::uint32_t safe(std::uint32_t body_line) const;
};
[[nodiscard]] Analyzed analyze_text(const std::string& text, const analysis::DeadlockOptions& options = {});
[[nodiscard]] Analyzed analyze(const std::string& body, const analysis::DeadlockOptions& options = {},
                               const std::string& globals = "");
/// The text after SSDE. Fails the test on refusals.
[[nodiscard]] std::string transformed(const Analyzed& kernel, bool keep_lines = false);

}  // namespace heddle::ssde_test
