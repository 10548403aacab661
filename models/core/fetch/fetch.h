// Fetch unit and I-buffer. Each cycle it picks, round robin, one issue group whose I-buffer is empty and
// fetches up to `width` sequential instructions of one cache line for it; they are decoded and in the buffer
// `latency` cycles later. On a miss in the instruction cache the group steps back until the line is there;
// the others go on. Nothing is fetched beyond a control instruction (branch, exit, barrier, fence, trap):
// there is no branch prediction, the group waits until the branch unit says where it goes on
// ([Fung15] §2.3.3).
#pragma once

#include <systemc>
#include <vector>

#include "base/index_set.h"
#include "base/ring.h"
#include "base/stats.h"
#include "core/config.h"
#include "core/fetch/launch_lines.h"
#include "core/protocols/fetch_protocol.h"
#include "core/protocols/launch_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

class FetchModel {
 public:
  FetchModel(const FetchConfig& config, const InstructionCacheConfig& l1i, std::uint32_t groups);

  /// A launch of this code, whose first instruction is at device address `base`.
  void set_code(const std::vector<isa::Instruction>& code, std::uint64_t base);
  /// The line is there: groups that waited for it ask again.
  void refill(std::uint64_t line);
  void redirect(GroupId group, Pc pc);
  void stop(GroupId group);
  /// Removes the head; true and the next head if one is buffered.
  bool pop(GroupId group, Pc& head);
  // A cycle: what was fetched arrives, one group's line is looked up, and that answered.
  void arrive(Cycle now, FetchReport& report);
  /// Whether a group is to be fetched for: `line` is that of its next instruction.
  [[nodiscard]] bool choose(std::uint64_t& line);
  void answer(Cycle now, FetchReport& report, std::uint64_t line, L1iRequest::Result result);
  [[nodiscard]] Cycle next_due(Cycle now) const;

  std::uint64_t fetches = 0;       ///< fetch cycles used
  std::uint64_t instructions = 0;  ///< instructions put into I-buffers

 private:
  struct Buffer {
    Pc head{};
    std::uint32_t count = 0;    ///< decoded instructions from head on
    std::uint32_t epoch = 0;    ///< fetches of an older epoch are void
    bool sealed = false;        ///< the last one buffered or in flight is a control instruction
    std::uint64_t missing = 0;  ///< line it waits for, if it is in missing_
  };
  struct InFlight {
    GroupId group{};
    std::uint32_t epoch = 0;
    std::uint32_t count = 0;
    Cycle ready = 0;
  };

  [[nodiscard]] std::uint64_t address(Pc pc) const {
    return code_base_ + (std::uint64_t{pc.value()} << instruction_shift_);
  }

  FetchConfig config_;
  unsigned instruction_shift_;  ///< instructions are 2^shift bytes
  std::uint64_t line_bytes_;
  std::vector<std::uint32_t>
      run_length_;  ///< by PC: instructions from it to the first one that ends fetching
  std::uint64_t code_base_ = 0;
  std::vector<Buffer> buffers_;
  base::IndexSet wanting_;          ///< groups with an empty I-buffer and nothing in flight
  base::IndexSet missing_;          ///< groups that wait for a line of the instruction cache
  std::uint32_t last_ = 0;          ///< round-robin pointer
  base::Ring<InFlight> in_flight_;  ///< one per cycle of latency
};

class Fetch : public sc_core::sc_module {
 public:
  Fetch(const sc_core::sc_module_name& name, const FetchConfig& config, const InstructionCacheConfig& l1i,
        std::uint32_t groups, base::StatGroup& stats);

 private:
  void begin_launch(LaunchNotice& notice);
  void serve(FetchRequest& request);
  HEDDLE_BY_JUMP void redirect(FetchRequest& request) { model_.redirect(request.group, request.pc); }
  HEDDLE_BY_JUMP void pop(FetchRequest& request) {
    request.head_valid = model_.pop(request.group, request.head);
  }
  HEDDLE_BY_JUMP void stop(FetchRequest& request) { model_.stop(request.group); }
  HEDDLE_BY_JUMP void tick(FetchRequest& request);
  void refill(L1iRefill& refill) { model_.refill(refill.line); }

 public:
  sim::BlockTarget<FetchProtocol, Fetch, &Fetch::serve> fetch_tsock{"fetch_tsock", this};
  sim::BlockTarget<LaunchProtocol, Fetch, &Fetch::begin_launch> launch_tsock{"launch_tsock", this};
  L1iPort l1i_isock{"l1i_isock"};
  sim::BlockTarget<L1iRefillProtocol, Fetch, &Fetch::refill> refill_tsock{"refill_tsock", this};

 private:
  LaunchLines launch_lines_;
  std::uint64_t instruction_bytes_;
  FetchModel model_;
};

}  // namespace heddle::core
