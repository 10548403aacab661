#include "spin/sync_statistics.h"

#include <algorithm>

#include "base/config.h"
#include "core/core_state.h"
#include "core/memory/register_transfer.h"
#include "isa/types.h"

namespace heddle::spin {
namespace {

/// The low bytes of a register that an atomic of this type compares and writes.
std::uint64_t of_type(std::uint64_t value, isa::Type type) {
  const unsigned bits = 8 * isa::type_bytes(type);
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

bool writes_memory(const isa::Instruction& instruction) {
  return instruction.op == isa::Opcode::kStore || instruction.op == isa::Opcode::kAtomic;
}

base::StatGroup& group_of(base::StatGroup& core) {
  return core.child("sync", "synchronisation in the loops that the kernel's text names");
}

}  // namespace

void SyncStatisticsConfig::visit(base::ConfigVisitor& v) {
  v.field(
      "sync_statistics", enabled,
      {.doc =
           "count attempts to acquire locks, passes of waits, and what they take, in loops that the kernel's "
           ".pragma names (coreN.sync)"});
}

core::CoreUnit sync_statistics_core_unit() {
  return {"sync_statistics", "statistics of synchronisation: outcomes of attempts, share of instructions",
          base::ConfigOption::fields<SyncStatisticsConfig>("sync_statistics"),
          [](const core::CoreConfig& core) -> core::CoreExtensionFactory {
            if (!core.units.get<SyncStatisticsConfig>("sync_statistics").enabled) return nullptr;
            return [](const core::CoreExtensionSite& site) {
              return std::make_unique<SyncStatistics>("sync", site);
            };
          }};
}

SyncStatistics::SyncStatistics(const sc_core::sc_module_name& name, const core::CoreExtensionSite& site)
    : LsuInterposer(name),
      cycles_(site.config.occupancy.max_warps, group_of(site.stats)),
      warps_(site.config.occupancy.max_warps) {
  base::StatGroup& stats = group_of(site.stats);
  stats.counter("lock_success", "attempts", "of lanes, that acquired the lock", &lock_success_);
  stats.counter("lock_fail_inter_warp", "attempts", "of lanes, while no lane of the own warp held the lock",
                &inter_warp_fail_);
  stats.counter("lock_fail_intra_warp", "attempts", "of lanes, while a lane of the own warp held the lock",
                &intra_warp_fail_);
  stats.counter("released", "locks", "given back by the warp that acquired them", &released_);
  stats.counter("wait_exit_success", "passes", "of lanes through a wait loop, that left it",
                &wait_exit_success_);
  stats.counter("wait_exit_fail", "passes", "of lanes through a wait loop, that went round",
                &wait_exit_fail_);
  stats.counter("waiting_warp_instructions", "warp-instructions", "in such loops, by lanes that hold no lock",
                &waiting_.warp_instructions);
  stats.counter("waiting_lane_instructions", "lane-instructions", "in such loops, by lanes that hold no lock",
                &waiting_.lane_instructions);
  stats.counter("waiting_transactions", "line accesses", "in such loops, by lanes that hold no lock",
                &waiting_.transactions);
  stats.counter("critical_warp_instructions", "warp-instructions",
                "in such loops, by lanes some of which hold a lock", &critical_.warp_instructions);
  stats.counter("critical_lane_instructions", "lane-instructions", "in such loops, by lanes that hold a lock",
                &critical_.lane_instructions);
  stats.counter("critical_transactions", "line accesses", "in such loops, by lanes some of which hold a lock",
                &critical_.transactions);
}

void SyncStatistics::begin(const core::LaunchContext& launch) {
  loops_ = SyncLoops(*launch.kernel);
  kernel_ = launch.kernel;
  for (Warp& warp : warps_) warp = {};
  cycles_.begin_launch();
}

// ---- What issues

void SyncStatistics::tap(core::IssueTapRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  if (request.op == core::IssueTapRequest::Op::kInterest) {
    if (request.pc.value() == 0) begin(*request.launch);
    request.wanted = true;
    return;
  }
  count_cycles(request);
  if (loops_.none()) return;
  if (loops_.in_body(request.pc)) {
    count_instruction(request);
    if (loops_.ends_wait_pass(request.pc)) count_pass(request);
  }
  if (loops_.attempts(request.pc))
    starts_attempt(request);
  else if (writes_memory(instruction))
    writes(request);
  else if (instruction.op == isa::Opcode::kExit)
    forget(warps_[request.warp.value()], [&](const Held& held) { return request.exec.test(held.lane); });
}

/// AT, BA and the rest ([KiloTM] Fig 4.9).
void SyncStatistics::count_cycles(const core::IssueTapRequest& issue) {
  using State = ThreadCycles::State;
  const isa::Instruction& instruction = *issue.instruction;
  if (instruction.op == isa::Opcode::kExit) {
    cycles_.leave(issue.warp, issue.exec, issue.cycle);
    return;
  }
  const auto at = [&](const auto& place) { return std::ranges::any_of(kernel_->transactions, place); };
  // A tx_begin, or where lanes try again.
  if (at([&](const isa::TransactionRegion& region) {
        return issue.pc == region.begin || issue.pc.value() == region.begin.value() + 1;
      })) {
    cycles_.enter(issue.warp, issue.mask, State::kTransaction, issue.cycle);
    return;
  }
  base::LaneMask lanes = issue.mask;
  // It ends where lanes go on behind its tx_commit.
  if (!at([&](const isa::TransactionRegion& region) {
        return issue.pc.value() == region.commit.value() + 1;
      }))
    lanes = base::LaneMask::difference(lanes, cycles_.in(issue.warp, State::kTransaction));
  const base::LaneMask holders = lanes & warps_[issue.warp.value()].holders;
  const bool waits = instruction.op == isa::Opcode::kAtomic || loops_.in_body(issue.pc);
  const State state = instruction.op == isa::Opcode::kBarrier ? State::kBarrier
                      : waits                                 ? State::kLockAtomic
                                                              : State::kOther;
  cycles_.enter(issue.warp, base::LaneMask::difference(lanes, holders), state, issue.cycle);
  cycles_.enter(issue.warp, holders, state == State::kBarrier ? state : State::kOther, issue.cycle);
}

void SyncStatistics::count_instruction(const core::IssueTapRequest& issue) {
  const base::LaneMask active = issue.instruction->op == isa::Opcode::kBranch ? issue.mask : issue.exec;
  const base::LaneMask holders = active & warps_[issue.warp.value()].holders;
  critical_issue_ = holders.any();
  ++(critical_issue_ ? critical_ : waiting_).warp_instructions;
  critical_.lane_instructions += holders.count();
  waiting_.lane_instructions += base::LaneMask::difference(active, holders).count();
}

void SyncStatistics::count_pass(const core::IssueTapRequest& issue) {
  if (loops_.waits_again(issue.pc)) wait_exit_fail_ += issue.exec.count();
  if (loops_.leaves_taken(issue.pc)) wait_exit_success_ += issue.exec.count();
  if (loops_.leaves_untaken(issue.pc))
    wait_exit_success_ += base::LaneMask::difference(issue.mask, issue.exec).count();
}

std::uint64_t SyncStatistics::address_of(const core::IssueTapRequest& issue, unsigned lane) {
  // As a generic address: a lock may be acquired by one and given back by the other.
  return issue.instruction->memory.address([&](const isa::Operand& row) {
    return issue.operands->value(row, lane);
  }) + (issue.instruction->space == isa::StateSpace::kShared ? isa::kSharedWindowBase : 0);
}

void SyncStatistics::starts_attempt(const core::IssueTapRequest& issue) {
  Warp& warp = warps_[issue.warp.value()];
  // A lane that holds the lock gives it back.
  base::LaneMask asking = issue.exec;
  if (!warp.held.empty())
    issue.exec.for_each([&](unsigned lane) {
      const std::uint64_t address = address_of(issue, lane);
      const auto gives_back = [&](const Held& held) { return held.lane == lane && held.address == address; };
      if (const std::size_t given_back = forget(warp, gives_back); given_back != 0) {
        released_ += given_back;
        asking = base::LaneMask::difference(asking, base::LaneMask(1u << lane));
      }
    });
  if (asking.none()) return;
  Attempt& attempt = warp.attempts.emplace_back();
  attempt.instruction = issue.instruction;
  attempt.lanes = issue.exec;
  attempt.asking = asking;
  asking.for_each([&](unsigned lane) {
    attempt.address[lane] = address_of(issue, lane);
    attempt.reference[lane] =
        of_type(issue.operands->value(issue.instruction->src[0], lane), issue.instruction->type);
  });
}

void SyncStatistics::writes(const core::IssueTapRequest& issue) {
  Warp& warp = warps_[issue.warp.value()];
  if (warp.held.empty()) return;
  issue.exec.for_each([&](unsigned lane) {
    const std::uint64_t address = address_of(issue, lane);
    released_ += forget(warp, [&](const Held& held) { return held.address == address; });
  });
}

template <class Fn>
std::size_t SyncStatistics::forget(Warp& warp, Fn which) {
  const std::size_t forgotten = std::erase_if(warp.held, which);
  if (forgotten == 0) return 0;
  warp.holders = {};
  for (const Held& held : warp.held) warp.holders |= base::LaneMask(1u << held.lane);
  return forgotten;
}

// ---- At the load/store unit

void SyncStatistics::serve(core::LsuRequest& request) {
  lsu_isock.call(request);
  if (request.op == core::LsuRequest::Op::kIssue && loops_.in_body(request.pc))
    (critical_issue_ ? critical_ : waiting_).transactions += request.transactions;
}

void SyncStatistics::complete(core::LsuCompletion& done) {
  if (done.kind == core::LsuCompletion::Kind::kFinished && done.instruction->op == isa::Opcode::kAtomic)
    for (const core::MemorySlice& slice : done.slices) {
      std::vector<Attempt>& attempts = warps_[slice.warp.value()].attempts;
      const auto found = std::find_if(attempts.begin(), attempts.end(), [&](const Attempt& attempt) {
        return attempt.instruction == done.instruction && attempt.lanes == slice.lanes;
      });
      if (found == attempts.end()) continue;
      outcome(warps_[slice.warp.value()], *found, slice);
      attempts.erase(found);
    }
  completion_isock.call(done);
}

void SyncStatistics::outcome(Warp& warp, const Attempt& attempt, const core::MemorySlice& slice) {
  const isa::Instruction& instruction = *attempt.instruction;
  const isa::Operand& result = instruction.dst[0];
  const bool cas = isa::compares(instruction.atomic_op);
  base::LaneMask failed;
  attempt.asking.for_each([&](unsigned lane) {
    const std::uint64_t old =
        of_type(core::lane_value(slice.registers + result.offset, result.width, lane), instruction.type);
    if ((old == attempt.reference[lane]) == cas) {
      ++lock_success_;
      warp.held.push_back({lane, attempt.address[lane]});
      warp.holders |= base::LaneMask(1u << lane);
    } else {
      failed |= base::LaneMask(1u << lane);
    }
  });
  failed.for_each([&](unsigned lane) {
    const bool own = std::any_of(warp.held.begin(), warp.held.end(),
                                 [&](const Held& held) { return held.address == attempt.address[lane]; });
    ++(own ? intra_warp_fail_ : inter_warp_fail_);
  });
}

}  // namespace heddle::spin
