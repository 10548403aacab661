#include "functional/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "core/execute/lane_execution.h"
#include "core/state/operand_rows.h"
#include "functional/code_order.h"
#include "functional/convergence.h"

namespace heddle::functional {
namespace {

using isa::Opcode;

constexpr std::uint64_t kWarpTurn = 4096;    ///< instructions
constexpr std::uint64_t kWaitingTurn = 256;  ///< of a warp that waits for another one
constexpr std::uint64_t kPollTurn = 64;      ///< what a poll counts for
constexpr unsigned kCtaTurn = 16;            ///< turns of its warps
/// Quiet instructions per warp after which all its lanes have had their turns: what comes back from then on does so for ever.
constexpr std::uint64_t kQuietOfWarp = 8'000'000;
constexpr std::uint32_t kJumpsOfPoll = kJumpsOfTurn / 16;

/// What loops that wait for another thread do.
bool polls(const isa::Instruction& instruction) {
  return instruction.op == Opcode::kAtomic ? instruction.write_count != 0
                                           : instruction.cache_op == isa::CacheOp::kVolatile;
}

void mix(std::uint64_t& hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15;
  hash ^= hash >> 29;
}

void mix(std::uint64_t& hash, const void* data, std::size_t bytes) {
  const auto* const from = static_cast<const unsigned char*>(data);
  for (std::size_t at = 0; at < bytes; at += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + at, std::min(sizeof word, bytes - at));
    mix(hash, word);
  }
}

/// Of what decides what the warp does next, but for the order of its groups' turns.
std::uint64_t state_of(const Warp& warp) {
  std::uint64_t hash = 0, places = 0;
  mix(hash, warp.context.registers.data(), warp.context.registers.size());
  mix(hash, warp.convergence.data(), warp.convergence.size() * sizeof warp.convergence[0]);
  mix(hash, warp.members.data(), sizeof warp.members);
  for (const Group& group : warp.groups) {
    std::uint64_t place = 0;
    mix(place, group.pc.value());
    mix(place, group.lanes.bits());
    mix(place,
        static_cast<std::uint64_t>(group.state) << 40 | std::uint64_t{group.number} << 32 | group.depth);
    places += place;
  }
  mix(hash, places);
  return hash;
}

/// No lane can come to those that wait at a load of matrices. False: none does.
bool load_matrices(Warp& warp) {
  bool any = false;
  for (Group& group : warp.groups)
    if (group.state == Group::State::kAtMatrices) {
      group.state = Group::State::kReady;
      any = warp.loads_matrices = true;
    }
  return any;
}

}  // namespace

std::string refusal(const isa::Kernel& kernel) {
  const auto found = std::ranges::find_if(
      kernel.code, [](const isa::Instruction& each) { return each.op == Opcode::kTransaction; });
  return found == kernel.code.end() ? "" : "transactions (tx_begin) take a machine with a unit for them";
}

Machine::Machine(const Surroundings& surroundings)
    : around_(surroundings),
      launch_(surroundings.launch),
      kernel_(*launch_.kernel),
      code_(kernel_.code.data()),
      constants_(launch_.constants()),
      memory_(launch_, around_.allocations, around_.memory),
      shared_(around_.core.shared_memory) {
  shared_.size_kib = (launch_.shared_bytes_per_cta + 1023) / 1024;
  for (const isa::Instruction& each : kernel_.code)
    if (each.op == Opcode::kConvergence) {
      converges_ = true;
      barrier_registers_ = std::max(barrier_registers_, each.barrier + 1u);
    }
  order_ = converges_ ? order_of_addresses(kernel_) : code_order(kernel_);
}

void Machine::place(Cta& cta, std::uint32_t warp_in_cta) {
  Warp& warp = cta.warps[warp_in_cta];
  core::WarpContext& context = warp.context;
  const auto threads = static_cast<std::uint32_t>(launch_.shape.block.count());
  context.resident = true;
  context.warp_in_cta = warp_in_cta;
  context.linear_warp = cta.context.linear_id * launch_.warps_per_cta + warp_in_cta;
  context.live = LaneMask::first_lanes(std::min(threads - warp_in_cta * kLanes, kLanes));
  context.registers.assign(kernel_.registers.bytes(), std::byte{0});
  const core::WarpPlace where{warp_in_cta, around_.core.occupancy.max_warps,
                              static_cast<std::uint32_t>(cta.context.linear_id % launch_.cores)};
  if (context.special.empty()) {
    context.special.resize(isa::kSpecialBlockBytes);
    core::fill_special_rows(context, cta.context, launch_, where);
  } else {
    core::move_to_cta(context, cta.context, where);
  }
  warp.groups.assign(1, {Pc{0}, context.live});
  warp.turns = 0;
  warp.others_first = warp.waits = warp.loads_matrices = false;
  warp.local.reset(std::size_t{launch_.local_bytes_per_thread} * kLanes);
  if (converges_) warp.convergence.assign(barrier_registers_, {});
}

std::unique_ptr<Cta> Machine::start(std::uint64_t number) {
  std::unique_ptr<Cta> cta;
  if (free_.empty()) {
    cta = std::make_unique<Cta>(shared_, launch_.warps_per_cta);
  } else {
    cta = std::move(free_.back());
    free_.pop_back();
  }
  const host::Dim3& grid = launch_.shape.grid;
  const auto threads = static_cast<std::uint32_t>(launch_.shape.block.count());
  cta->context.resident = true;
  cta->context.linear_id = number;
  cta->context.id = {static_cast<std::uint32_t>(number % grid.x),
                     static_cast<std::uint32_t>(number / grid.x % grid.y),
                     static_cast<std::uint32_t>(number / grid.x / grid.y)};
  if (launch_.shared_bytes_per_cta != 0) {
    core::SharedMemoryRequest clear{.op = core::SharedMemoryRequest::Op::kClear,
                                    .bytes = launch_.shared_bytes_per_cta};
    cta->shared.serve(clear);
  }
  cta->barriers.launch(base::CtaSlot{0}, threads);
  for (std::uint32_t w = 0; w < launch_.warps_per_cta; ++w) place(*cta, w);
  cta->warps_left = launch_.warps_per_cta;
  return cta;
}

Counts Machine::run() {
  const std::uint64_t first = launch_.shape.first_cta;
  const std::uint64_t all = launch_.shape.ctas();
  while (started_ < all || !resident_.empty()) {
    bool advanced = false, all_wait = true;
    for (std::size_t i = 0; i < resident_.size();) {
      advanced |= turn_of(*resident_[i]);
      all_wait &= resident_[i]->waits;
      if (around_.on_turn) around_.on_turn();
      if (resident_[i]->warps_left != 0) {
        ++i;
        continue;
      }
      free_.push_back(std::move(resident_[i]));
      resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    // Where all wait for later ones, there are soon as many as they wait for.
    const std::uint64_t room = around_.resident_ctas - resident_.size();
    const std::uint64_t wanted = all_wait ? std::max<std::uint64_t>(1, resident_.size()) : 1;
    if (const std::uint64_t more = std::min({room, all - started_, wanted}); more != 0)
      for (std::uint64_t i = 0; i < more; ++i) resident_.push_back(start(first + started_++));
    else if (!advanced && !resident_.empty())
      throw base::Error(base::ExitCode::kHang, "kernel " + kernel_.name,
                        "no thread can go on: all wait for threads that do not come" + places());
    check_progress();
  }
  return counts_;
}

void Machine::check_progress() {
  std::uint64_t now = events_ + started_ + memory_.changes();
  for (const auto& cta : resident_) now += cta->progress.changes();
  if (now != seen_) {
    seen_ = now;
    quiet_since_ = counts_.warp_instructions;
    kept_at_ = 0;
    return;
  }
  const std::uint64_t quiet = counts_.warp_instructions - quiet_since_;
  const bool repeats = quiet > kQuietOfWarp * resident_.size() * launch_.warps_per_cta && comes_back(quiet);
  if (repeats || quiet > around_.quiet_instructions) {
    throw base::Error(
        base::ExitCode::kHang, "kernel " + kernel_.name,
        fmt::format("memory has not changed for {} warp instructions{}{}", quiet,
                    repeats ? ", and all registers are as they were" : "", places()),
        "The kernel may loop forever: simulate it, and the watchdog says which threads wait for "
        "which.");
  }
}

bool Machine::comes_back(std::uint64_t quiet) {
  std::uint64_t state = 0;
  for (const auto& cta : resident_)
    for (const Warp& warp : cta->warps) mix(state, state_of(warp));
  if (kept_at_ != 0 && state == kept_state_) return true;
  if (quiet >= 2 * kept_at_) {  // finds cycles of any length
    kept_at_ = quiet;
    kept_state_ = state;
  }
  return false;
}

bool Machine::turn_of(Cta& cta) {
  bool advanced = false;
  for (unsigned i = 0; i < kCtaTurn && cta.warps_left != 0; ++i) {
    bool executed = false;
    cta.waits = true;
    for (Warp& warp : cta.warps)
      if (turn_of(cta, warp)) {
        executed = true;
        cta.waits &= warp.waits;
      }
    if (!executed) {
      // Only lanes at a BSYNC can go on, without those for which they wait.
      LaneMask released;
      for (Warp& warp : cta.warps)
        if (converges_) released |= release_all(warp);
      if (released.none()) break;
    }
    advanced = true;
    if (executed && cta.waits) break;
  }
  return advanced;
}

bool Machine::turn_of(Cta& cta, Warp& warp) {
  const std::uint64_t before = changes(cta), polls = polls_;
  std::uint64_t budget = warp.waits ? kWaitingTurn : kWarpTurn;
  bool executed = false;
  while (budget != 0) {
    const Turn turn = next_turn(warp, order_);
    if (turn.group == Turn::kNone && load_matrices(warp)) continue;
    if (turn.group == Turn::kNone) break;
    executed = true;
    run_group(cta, warp, turn, budget);
  }
  warp.waits = polls_ != polls && changes(cta) == before;
  return executed;
}

void Machine::run_group(Cta& cta, Warp& warp, const Turn& turn, std::uint64_t& budget) {
  Pc pc = warp.groups[turn.group].pc;
  LaneMask lanes = warp.groups[turn.group].lanes;
  std::uint64_t most = std::min<std::uint64_t>(budget, turn.instructions);
  const bool counts_predicated = kernel_.is_machine_code();
  std::uint32_t jumps = turn.jumps;
  std::uint64_t executed = 0, threads = 0, polled = 0;
  bool stops = false, written = false;
  // Turns end for many reasons: the next one goes on with the jumps.
  const auto save = [&] {
    warp.groups[turn.group].pc = pc;
    if (turn.jumps <= kJumpsOfTurn) warp.groups[turn.group].jumps = kJumpsOfTurn - jumps;
  };
  while (!stops && executed < most && order_[pc.value()] < turn.limit) {
    const isa::Instruction& instruction = code_[pc.value()];
    const LaneMask exec =
        instruction.guard.present ? lanes & core::guard_of(constants_, warp.context, instruction) : lanes;
    threads += (instruction.op == Opcode::kBranch || counts_predicated ? lanes : exec).count_of_mostly_full();
    ++executed;
    switch (instruction.op) {
      case Opcode::kLane:
      case Opcode::kTimer:
        core::execute_lanes(warp.context, constants_, instruction, exec,
                            around_.clock + counts_.warp_instructions + executed);
        pc = Pc{pc.value() + 1};
        break;
      case Opcode::kLoad:
      case Opcode::kStore:
      case Opcode::kAtomic:
        if (exec.any()) memory_.access(cta, warp, pc, instruction, exec);
        if (polls(instruction)) {
          jumps -= std::min(jumps - 1, kJumpsOfPoll);
          polled += kPollTurn;
          most -= std::min(most, kPollTurn);
        }
        pc = Pc{pc.value() + 1};
        break;
      case Opcode::kBranch: {
        LaneMask takes = exec;
        if (instruction.togetherness != isa::Togetherness::kAny) [[unlikely]]
          takes = taken({cta, warp, turn.group, lanes, exec}, instruction);
        if (takes.none()) {
          pc = Pc{pc.value() + 1};
        } else if (takes == lanes) {
          if (instruction.target <= pc && --jumps == 0) stops = warp.others_first = true;
          pc = instruction.target;
        } else {
          save();
          warp.groups.push_back(warp.groups[turn.group].some(instruction.target, takes));
          lanes = LaneMask::difference(lanes, takes);
          pc = Pc{pc.value() + 1};
          stops = true;
        }
        break;
      }
      default: {
        save();
        if (execute({cta, warp, turn.group, lanes, exec}, instruction) == Then::kNext)
          pc = Pc{pc.value() + 1};
        else
          stops = written = true;
        if (warp.others_first) {
          stops = true;
          budget = executed;
        }
        break;
      }
    }
  }
  if (!written) {
    save();
    warp.groups[turn.group].lanes = lanes;
    if (warp.others_first) warp.groups[turn.group].jumps = 0;
  }
  budget -= std::min(budget, executed + polled);
  polls_ += polled;
  counts_.warp_instructions += executed;
  counts_.thread_instructions += threads;
}

std::string Machine::places() const {
  constexpr unsigned kShown = 8;
  unsigned shown = 0;
  std::string text;
  for (const auto& cta : resident_)
    for (const Warp& warp : cta->warps)
      for (const Group& group : warp.groups)
        if (++shown <= kShown)
          text += fmt::format("\n    lanes {:#010x} of warp {} of CTA ({},{},{}) {} {}", group.lanes.bits(),
                              warp.context.warp_in_cta, cta->context.id.x, cta->context.id.y,
                              cta->context.id.z, group.state == Group::State::kReady ? "run at" : "wait at",
                              kernel_.location(group.pc));
  if (shown > kShown) text += fmt::format("\n    and {} more", shown - kShown);
  return text;
}

}  // namespace heddle::functional
