#include "compaction/warp_synchrony.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "compaction/dwf.h"
#include "compaction/tbc.h"
#include "core/memory/register_transfer.h"
#include "core/state/core_state.h"
#include "isa/kernel.h"

namespace heddle::compaction {

using base::KernelFault;
using base::LaneMask;
using base::WarpId;
using isa::Opcode;

namespace {

constexpr std::uint32_t kWordBytes = 4;

/// Row of an operand of the slice's home warp.
const std::byte* row_of(const isa::Operand& operand, const core::LaunchContext& launch,
                        const core::MemorySlice& slice) {
  switch (operand.space) {
    case isa::RowSpace::kConstant:
      return launch.constants() + operand.offset;
    case isa::RowSpace::kSpecial:
      return slice.special + operand.offset;
    case isa::RowSpace::kRegister:
      break;
  }
  return slice.sources + operand.offset;
}

/// Bit per byte of word `word` that an access of `bytes` bytes at `address` takes.
std::uint8_t bytes_of_word(std::uint64_t word, std::uint64_t address, std::uint32_t bytes) {
  const std::uint64_t start = word * kWordBytes;
  const std::uint64_t from = std::max(start, address) - start;
  const std::uint64_t to = std::min(start + kWordBytes, address + bytes) - start;
  return static_cast<std::uint8_t>((1u << to) - (1u << from));
}

bool regroups(const std::string& mechanism) {
  return mechanism == ThreadBlockCompaction::kName || mechanism == DynamicWarps::kName;
}

bool orders_global(const isa::Instruction& instruction) {
  return synchronises(instruction) || instruction.op == Opcode::kFence || instruction.op == Opcode::kAtomic;
}

/// An access that is no synchronisation in itself.
bool is_weak(const isa::Instruction& instruction) {
  return instruction.op != Opcode::kAtomic && instruction.cache_op != isa::CacheOp::kVolatile;
}

/// The address that the lane accesses.
std::uint64_t address_of(const isa::Instruction& instruction, const core::LaunchContext& launch,
                         const core::MemorySlice& slice, unsigned lane) {
  return instruction.memory.address(
      [&](const isa::Operand& row) { return core::lane_value(row_of(row, launch, slice), row.width, lane); });
}

/// Lanes look at each other, and which ones take part is left to the hardware.
bool looks_at_lanes(const isa::Instruction& instruction) {
  return instruction.op == Opcode::kLane && instruction.cross_lane;
}

}  // namespace

void WarpSynchronyConfig::visit(base::ConfigVisitor& v) {
  v.choice("warp_synchrony", check, {"auto", "off", "stop"},
           "whether a kernel that relies on warps in lockstep is stopped and named (shared and global "
           "memory, votes and "
           "shuffles "
           "without .sync); auto: with mechanisms that put threads into other warps (tbc, dwf)");
}

core::CoreUnit warp_synchrony_core_unit() {
  return {"warp_synchrony", "names kernels that rely on warps in lockstep",
          base::ConfigOption::fields<WarpSynchronyConfig>("warp_synchrony"),
          [](const core::CoreConfig& config) -> core::CoreExtensionFactory {
            const WarpSynchronyCheck check = config.units.get<WarpSynchronyConfig>("warp_synchrony").check;
            if (check == WarpSynchronyCheck::kOff ||
                (check == WarpSynchronyCheck::kAuto && !regroups(config.control_flow.mechanism)))
              return nullptr;
            return [](const core::CoreExtensionSite& site) {
              return std::make_unique<WarpSynchrony>("warp_synchrony", site);
            };
          }};
}

WarpSynchrony::WarpSynchrony(const sc_core::sc_module_name& name, const core::CoreExtensionSite& site)
    : LsuInterposer(name),
      but_(regroups(site.config.control_flow.mechanism)
               ? fmt::format(", but core.control_flow.mechanism={} puts threads into other warps",
                             site.config.control_flow.mechanism)
               : ""),
      time_(site.config.occupancy.max_warps, 0),
      synchronised_at_(site.config.occupancy.max_warps * std::size_t{base::kLanes}, 0),
      global_time_(site.config.occupancy.max_warps, 0),
      ordered_at_(site.config.occupancy.max_warps * std::size_t{base::kLanes}, 0),
      ended_(site.config.occupancy.max_warps),
      order_(site.config.occupancy.max_warps) {}

void WarpSynchrony::tap(core::IssueTapRequest& request) {
  if (request.op == core::IssueTapRequest::Op::kInterest) {
    if (request.pc == base::Pc{}) order_.begin_launch(request.launch->kernel);
    request.wanted = request.instruction->op == Opcode::kExit || orders_global(*request.instruction) ||
                     looks_at_lanes(*request.instruction) || order_.wants(request.pc);
    return;
  }
  if (order_.wants(request.pc)) order_.issue(request);
  if (request.instruction->op == Opcode::kExit) {
    request.exec.for_each(
        [&](unsigned lane) { ended_[request.operands->home(lane).value()] |= LaneMask(1u << lane); });
    return;
  }
  if (looks_at_lanes(*request.instruction)) return check_lanes(request);
  if (!orders_global(*request.instruction)) return;
  // All lanes of a group arrive at a barrier, whatever its guard says.
  const LaneMask lanes = request.instruction->op == Opcode::kBarrier ? request.mask : request.exec;
  lanes.for_each([&](unsigned lane) { ++global_time_[request.operands->home(lane).value()]; });
  lanes.for_each([&](unsigned lane) {
    const std::uint32_t home = request.operands->home(lane).value();
    ordered_at_[home * std::size_t{base::kLanes} + lane] = global_time_[home];
  });
  if (!synchronises(*request.instruction)) return;
  lanes.for_each([&](unsigned lane) { ++time_[request.operands->home(lane).value()]; });
  lanes.for_each([&](unsigned lane) {
    const std::uint32_t home = request.operands->home(lane).value();
    synchronised_at(home, lane) = time_[home];
  });
}

void WarpSynchrony::check_lanes(const core::IssueTapRequest& issue) const {
  LaneMask rest = issue.exec;
  while (rest.any()) {
    const WarpId home = issue.operands->home(rest.lowest());
    LaneMask own;
    rest.for_each([&](unsigned lane) {
      if (issue.operands->home(lane) == home) own |= LaneMask(1u << lane);
    });
    rest = LaneMask::difference(rest, own);
    if (own == issue.operands->live(home)) continue;
    throw KernelFault(
        launch_->kernel->location(issue.pc),
        fmt::format("lanes {:#010x} of a warp execute this without the warp's others ({:#010x}), and which "
                    "ones take part is up to the warp{}\n  {}",
                    own.bits(), issue.operands->live(home).bits(), but_,
                    launch_->kernel->source_line(issue.pc)),
        "use the .sync form with the lanes that are meant, or set core.warp_synchrony=off");
  }
}

void WarpSynchrony::serve(core::LsuRequest& request) {
  using Op = core::LsuRequest::Op;
  if (request.op == Op::kBeginLaunch) {
    launch_ = request.launch;
    global_.clear();
  } else if (request.op == Op::kStartCta) {
    const std::uint32_t first = request.cta->shared_base / kWordBytes;
    const std::uint32_t count = (launch_->shared_bytes_per_cta + kWordBytes - 1) / kWordBytes;
    words_.resize(std::max<std::size_t>(words_.size(), first + count));
    std::fill_n(words_.begin() + first, count, Word{});
    for (const WarpId warp : request.cta->warps) {
      order_.start(warp);
      ended_[warp.value()] = {};
    }
  } else if (request.op == Op::kIssue) {
    const isa::StateSpace space = request.instruction->space;
    // Atomics are for threads in any order.
    const bool plain = request.instruction->op != Opcode::kAtomic;
    if (plain && (space == isa::StateSpace::kShared || space == isa::StateSpace::kGeneric))
      for (const core::MemorySlice& slice : request.slices) access(request, slice);
    if (space == isa::StateSpace::kGlobal || space == isa::StateSpace::kGeneric)
      for (const core::MemorySlice& slice : request.slices) access_global(request, slice);
  }
  lsu_isock.call(request);
}

void WarpSynchrony::access(const core::LsuRequest& request, const core::MemorySlice& slice) {
  const isa::Instruction& instruction = *request.instruction;
  const bool reads = instruction.op == Opcode::kLoad;
  const bool writes = !reads;
  const isa::Operand& data = instruction.src[0];
  const std::byte* const values =
      writes && instruction.vector <= 1 && data.present ? row_of(data, *launch_, slice) : nullptr;
  const std::uint32_t bytes =
      isa::type_bytes(instruction.type) * std::max<std::uint32_t>(1, instruction.vector);
  slice.lanes.for_each([&](unsigned lane) {
    std::uint64_t address = address_of(instruction, *launch_, slice, lane);
    if (instruction.space == isa::StateSpace::kGeneric) {
      if (address < isa::kSharedWindowBase ||
          address - isa::kSharedWindowBase >= launch_->shared_bytes_per_cta)
        return;
      address -= isa::kSharedWindowBase;
    }
    if (address + bytes > launch_->shared_bytes_per_cta) return;  // the load/store unit says so
    const std::uint32_t home = slice.warp.value();
    const std::uint64_t now = time_[home];
    std::optional<std::uint64_t> value;
    if (values != nullptr) value = core::lane_value(values, data.width, lane);
    const std::uint64_t shared = slice.cta->shared_base + address;
    const std::uint64_t first = shared / kWordBytes;
    const std::uint64_t last = (shared + bytes - 1) / kWordBytes;
    for (std::uint64_t at = first; at <= last; ++at) {
      Word& word = words_[at];
      const std::uint8_t here = bytes_of_word(at, shared, bytes);
      const bool written = (word.written & here) != 0 && word.writer == home && word.lane != lane &&
                           !synchronised(home, word.lane, lane, word.written_at);
      const bool same = writes && value.has_value() && value == word.value && here == word.written;
      if (written && !same && !word.wrote_with.test(lane) && !slice.lanes.test(word.lane))
        stop({lane, word.lane, request.pc, word.write_pc, reads ? "reads what" : "writes where"});
      if (word.reader == home)
        word.readers.for_each([&](unsigned reader) {
          if (synchronised(home, reader, lane, word.read_at))
            word.readers = LaneMask::difference(word.readers, LaneMask(1u << reader));
        });
      if (writes && (word.read & here) != 0 && word.reader == home && !word.read_with.test(lane)) {
        const LaneMask apart =
            LaneMask::difference(LaneMask::difference(word.readers, slice.lanes), LaneMask(1u << lane));
        if (apart.any()) stop({lane, apart.lowest(), request.pc, word.read_pc, "overwrites what"});
      }
      if (reads) {
        if (word.reader != home || word.readers.none() || word.read != here) {
          word.reader = home;
          word.read = here;
          word.readers = {};
          word.read_with = LaneMask::all();
        }
        word.readers |= LaneMask(1u << lane);
        word.read_with &= slice.lanes;
        word.read_at = now;
        word.read_pc = request.pc;
      }
      if (!writes) continue;
      const bool goes_on = word.writer == home && word.lane == lane && word.written_at == now &&
                           word.wrote_with == slice.lanes;
      word.written = goes_on ? word.written | here : here;
      word.writer = home;
      word.lane = lane;
      word.written_at = now;
      word.wrote_with = slice.lanes;
      word.write_pc = request.pc;
      word.value = word.written == here ? value : std::nullopt;
    }
  });
}

void WarpSynchrony::access_global(const core::LsuRequest& request, const core::MemorySlice& slice) {
  const isa::Instruction& instruction = *request.instruction;
  const bool writes = instruction.op == Opcode::kStore;
  const isa::Operand& data = instruction.src[0];
  const std::byte* const values =
      writes && instruction.vector <= 1 && data.present ? row_of(data, *launch_, slice) : nullptr;
  const bool compares = instruction.op != Opcode::kAtomic && order_.compares(request.pc);
  const std::uint32_t bytes =
      isa::type_bytes(instruction.type) * std::max<std::uint32_t>(1, instruction.vector);
  slice.lanes.for_each([&](unsigned lane) {
    const std::uint64_t address = address_of(instruction, *launch_, slice, lane);
    // The windows of the other spaces are above all of global memory.
    if (instruction.space == isa::StateSpace::kGeneric && address >= isa::kCodeWindowBase) return;
    for (std::uint64_t word = address / kWordBytes; word <= (address + bytes - 1) / kWordBytes; ++word) {
      const std::uint8_t here = bytes_of_word(word, address, bytes);
      check_race(request, slice, lane, word, here);
      if (!compares) continue;
      LockstepOrder::Access access{slice.warp, slice.linear_warp, lane, request.pc, word, here, writes, {}};
      if (values != nullptr) access.value = core::lane_value(values, data.width, lane);
      check_order(access);
    }
  });
}

void WarpSynchrony::check_race(const core::LsuRequest& request, const core::MemorySlice& slice, unsigned lane,
                               std::uint64_t word, std::uint8_t bytes) {
  const isa::Instruction& instruction = *request.instruction;
  const std::uint32_t home = slice.warp.value();
  if (instruction.op != Opcode::kLoad) {
    if (is_weak(instruction))
      global_.write({word, slice.linear_warp, lane, bytes, global_time_[home], slice.lanes, request.pc});
    else
      global_.forget(word);
    return;
  }
  const WrittenWord* const written = is_weak(instruction) ? global_.find(word) : nullptr;
  if (written == nullptr || written->warp != slice.linear_warp || written->lane == lane ||
      (written->bytes & bytes) == 0)
    return;
  const auto ordered_since = [&](unsigned of) {
    return ordered_at_[home * std::size_t{base::kLanes} + of] > written->at;
  };
  const bool ordered =
      ordered_since(written->lane) || (ended_[home].test(written->lane) && ordered_since(lane));
  if (!ordered && !written->wrote_with.test(lane) && !slice.lanes.test(written->lane))
    stop({lane, written->lane, request.pc, written->pc, "reads what", true});
}

void WarpSynchrony::check_order(const LockstepOrder::Access& access) {
  const auto deviation = order_.access(access);
  if (!deviation) return;
  const char* const what = !access.writes     ? "reads what"
                           : deviation->wrote ? "writes where"
                                              : "overwrites what";
  stop({access.lane, deviation->lane, access.pc, deviation->pc, what, true, true});
}

void WarpSynchrony::stop(const Pair& pair) const {
  const isa::Kernel& kernel = *launch_->kernel;
  const std::string between = pair.reversed ? "in the other order than a warp in lockstep, with nothing"
                              : pair.global ? "with no barrier, fence or atomic"
                                            : "with no barrier or __syncwarp()";
  throw KernelFault(
      kernel.location(pair.pc),
      fmt::format("lane {} {} lane {} of its warp {} at {}, {} between: "
                  "the kernel relies on warps in lockstep{}{}\n  {}",
                  pair.lane, pair.what, pair.other,
                  !pair.global    ? "accessed"
                  : pair.reversed ? "accessed in global memory"
                                  : "wrote to global memory",
                  kernel.location(pair.other_pc), between, pair.global ? " or has a race" : "", but_,
                  kernel.source_line(pair.pc)),
      fmt::format(
          "add __syncwarp(){}, use another mechanism (tbc: compacts=false keeps warps), or set "
          "core.warp_synchrony=off to run it as it is",
          pair.global && !pair.reversed ? " or, for a race that does no harm, volatile accesses" : ""));
}

}  // namespace heddle::compaction
