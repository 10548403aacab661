// Random structured programs of control flow only, with what a thread by itself does in them.
//
// Decisions are a hash of the thread, the instruction and how often the thread has been there, so every
// schedule must give every thread the same path.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "simt/control_flow_protocol.h"

namespace heddle::simt {

struct WalkInstruction {
  enum class Kind : std::uint8_t { kOperation, kBranch, kIndirect, kCall, kReturn, kExit, kBarrier };
  Kind kind = Kind::kOperation;
  std::vector<std::uint32_t> targets;  ///< one: direct
  unsigned percent = 100;              ///< chance that a thread takes it
  bool uniform = false;                ///< threads decide alike at the same visit
  Pc rpc = kNoPc;
};

struct WalkOptions {
  bool barriers = false;
  bool any_rpc = false;  ///< some branches meet elsewhere than at their immediate post-dominator
};

struct WalkProgram {
  std::vector<WalkInstruction> code;
  std::vector<std::uint32_t> functions;  ///< entries; the kernel's is 0
  std::uint64_t seed = 0;

  WalkProgram(std::uint64_t program_seed, const WalkOptions& options);

 private:
  class Generator;
};

/// One thread: where it is and what it decides.
class WalkThread {
 public:
  static constexpr unsigned kMostCalls = 5;  ///< deeper calls are not made
  WalkThread(const WalkProgram& program, unsigned lane)
      : program_(&program), lane_(lane), visits_(program.code.size()) {}

  /// Whether it takes the instruction at `pc`, and where that leads (calls, branches, returns).
  bool takes(std::uint32_t pc, std::uint32_t& target);
  /// What it does after takes(): follows a taken call, return or exit.
  void follow(std::uint32_t pc, bool taken);

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const std::vector<std::uint32_t>& trace() const { return trace_; }
  /// Runs alone; false: too long.
  bool run(std::size_t most);

 private:
  const WalkProgram* program_;
  unsigned lane_;
  std::vector<std::uint32_t> visits_;
  std::vector<std::uint32_t> returns_;
  std::vector<std::uint32_t> trace_;  ///< PCs it executed
  bool ended_ = false;
};

}  // namespace heddle::simt
