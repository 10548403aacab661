// What the interpreter knows of a launch's CTAs: threads with their frames, and where they wait for each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "oracle/program.h"

namespace heddle::oracle::mimd {

enum class State : std::uint8_t { kReady, kAtBarrier, kInWarp, kTogether, kExited };
/// One activation of a function.
struct Frame {
  std::vector<std::uint64_t> regs;
  std::uint32_t return_to = 0;
  const CallSite* site = nullptr;
  const FunctionCode* function = nullptr;
  std::uint64_t* caller_regs = nullptr;
  std::uint64_t caller_base = 0;
  std::uint64_t caller_top = 0;
};
/// A transaction that has begun: what to put back if it is given up.
struct Attempt {
  std::uint32_t depth = 1;
  std::uint32_t begin = 0;  ///< step behind the tx_begin
  std::vector<std::uint64_t> regs;
  std::vector<std::pair<std::byte*, std::vector<std::byte>>> undo;
};
struct Thread {
  std::uint32_t pc = 0;
  State state = State::kReady;
  std::uint8_t barrier = 0;  ///< kAtBarrier: the barrier's number
  std::uint32_t index = 0;   ///< linear within the CTA
  std::array<std::uint32_t, 3> tid{};
  std::uint64_t* regs = nullptr;                  ///< of the current function
  std::byte* local = nullptr;                     ///< the kernel's own frame
  std::unique_ptr<std::vector<std::byte>> upper;  ///< the stack above it
  std::uint64_t base = 0;                         ///< local address of the current frame
  std::uint64_t top = 0;                          ///< first free local address
  std::vector<Frame> frames;                      ///< of called functions
  std::unique_ptr<Attempt> attempt;               ///< within a transaction
};
/// One thread's arrival at a warp-wide instruction.
struct Arrival {
  const Step* step = nullptr;
  std::uint32_t members = 0;
  std::array<std::uint64_t, 3> in{};
};
struct Warp {
  std::uint32_t gone = 0;      ///< exited lanes, and those beyond the CTA's last thread
  std::uint32_t waiting = 0;   ///< lanes in `arrivals`
  std::uint32_t loose = 0;     ///< lanes in `arrivals` that wait at an instruction without .sync
  std::uint32_t patience = 0;  ///< rounds that lanes in `loose` continue to wait for others
  std::array<Arrival, 32> arrivals{};
};
struct Barrier {
  std::vector<std::uint32_t> arrived;  ///< lanes per warp; empty: no arrivals
  std::uint64_t expected = 0;
  std::uint32_t predicates = 0;  ///< arrivals of a reduction with a true predicate
  std::uint32_t arrivals = 0;
};
struct Cta {
  std::array<std::uint32_t, 3> id{};
  std::uint32_t live = 0;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<std::uint64_t> regs;
  std::vector<std::byte> shared;
  std::vector<std::byte> local;
  std::array<Barrier, 16> barriers;
};

}  // namespace heddle::oracle::mimd
