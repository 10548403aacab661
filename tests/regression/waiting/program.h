// Small random programs whose threads wait for each other: locks, flags, counters, chains and tickets in branches, loops and
// code without structure. Each ends when its threads run independently, whatever their order, and leaves the same memory.
//
// Ends by construction: control flow depends on thread numbers and loop counters only, flags and counters never go back, and
// a thread that holds a lock waits for nothing but locks of larger numbers. So one run of the abstract program (ends()) decides
// for all; generate() takes waits away until it ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/generated_kernel.h"

namespace heddle::waiting {

/// What a thread decides by: its number in the grid and the counter of the innermost loop around (0 outside of loops).
struct Condition {
  enum class Kind : std::uint8_t {
    kBit,     ///< bit `number` of the thread is set
    kBelow,   ///< the thread is below `number`
    kEqual,   ///< it is `number`
    kTurn,    ///< it is the counter
    kParity,  ///< it and the counter are both even or both odd
    kHash,    ///< anything
  };
  Kind kind = Kind::kBit;
  unsigned number = 0;
  bool negated = false;

  [[nodiscard]] bool holds(std::uint32_t thread, std::uint32_t counter) const;
  [[nodiscard]] bool depends_on_counter() const { return kind >= Kind::kTurn; }
};

struct Statement;
using Block = std::vector<Statement>;

enum class Kind : std::uint8_t {
  kWork,  ///< arithmetic
  kSet,   ///< publishes a value and sets flag `variable`
  kWait,  ///< waits for the flag, or with `second` for either (poll 3) or both (poll 4), and reads the values
  kIncrement,  ///< of counter `variable`
  kWaitCount,  ///< until the counter is at least `amount` + `second` * loop counter
  kChain,      ///< waits for the thread before and sets the flag of the next
  kLock,       ///< acquire; counter of the lock + 1; block 0; release
  kRetry,      ///< the same, with the critical section in the loop that tries; with `varies` twice
  kTicket,     ///< the same as a ticket lock
  kIf,         ///< blocks: then, else
  kLoop,  ///< `amount` times, with `varies` once more for odd threads; blocks A, B; form 2: break between them, 3: continue
  kSwitch,    ///< by (thread + counter) modulo the number of blocks
  kShared,    ///< if (c) { A; if (d) goto X; B } else { C; X: D }
  kGraph,     ///< blocks that go to any other, `amount` of them in turn, then on
  kExit,      ///< the thread ends if the condition holds
  kBarrier,   ///< bar.sync 0, by all threads of the CTA
  kTogether,  ///< .sync instructions of the threads of `members`
};

struct Statement {
  Kind kind = Kind::kWork;
  unsigned variable = 0;
  unsigned second = 0;
  unsigned amount = 0;
  unsigned form = 0;     ///< how the waiting loop is written
  unsigned poll = 0;     ///< by which instruction it looks
  unsigned release = 0;  ///< how a lock is released or a flag set
  bool varies = false;
  Condition condition;
  Condition other;  ///< kShared; kGraph: ignored
  std::vector<Block> blocks;
  std::vector<std::uint32_t> members;  ///< kTogether: by warp
  std::vector<unsigned> targets;       ///< kGraph: two of each block
};

struct Program {
  std::uint64_t seed = 0;
  std::uint32_t ctas = 1;
  std::uint32_t threads = 4;  ///< of a CTA
  bool shared = false;        ///< flags, locks and counters are in shared memory
  Block body;

  [[nodiscard]] std::uint32_t all_threads() const { return ctas * threads; }
};

struct Choices {
  bool together = true;             ///< .sync instructions
  bool divergent_barriers = false;  ///< as many on both sides of a branch
};
[[nodiscard]] Program generate(std::uint64_t seed, const Choices& choices = {});

/// Whether it ends; otherwise the statements at which threads are stuck.
[[nodiscard]] bool ends(const Program& program, std::vector<const Statement*>* stuck = nullptr);

[[nodiscard]] generator::GeneratedKernel emit(const Program& program);

/// All memory after a run on fresh buffers.
[[nodiscard]] std::vector<std::byte> memory_after(host::Device& device,
                                                  const generator::GeneratedKernel& kernel);

/// Smaller programs that are like this one in the main, the smallest first.
[[nodiscard]] std::vector<Program> reductions(const Program& program);
[[nodiscard]] std::size_t size_of(const Block& block);

}  // namespace heddle::waiting
