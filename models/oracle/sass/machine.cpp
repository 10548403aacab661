#include "oracle/sass/machine.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "oracle/sass/matrix.h"
#include "oracle/sass/texture.h"

namespace heddle::oracle::machine_code {
namespace {

/// Offsets in bank 0 of what every launch has; parameters come behind.
struct Bank0 {
  std::uint32_t shared_window;  ///< 0: the architecture has none there
  std::uint32_t environment;    ///< %envreg0 and those that follow
  std::uint32_t bank3;          ///< address of the storage of bank 3
};
constexpr std::uint32_t kBlockDim = 0x00, kGridDim = 0x0c, kLocalWindow = 0x20, kStackPointer = 0x28,
                        kDynamicShared = 0x2c, kCores = 0x10c, kClusterShape90 = 0x144, kClusters90 = 0x15c,
                        kClusterSize90 = 0x188;
constexpr Bank0 kBank0Of75{0x18, 0x88, 0x50};
constexpr Bank0 kBank0Of90{0, 0x40, 0xd0};

std::array<std::uint32_t, 3> coordinates(std::uint64_t number, const host::Dim3& extent) {
  return {static_cast<std::uint32_t>(number % extent.x),
          static_cast<std::uint32_t>(number / extent.x % extent.y),
          static_cast<std::uint32_t>(number / extent.x / extent.y)};
}

std::string triple(const std::array<std::uint32_t, 3>& v) {
  return fmt::format("({}, {}, {})", v[0], v[1], v[2]);
}

}  // namespace

CodeMachine::CodeMachine(const KernelCode& code, const host::Launch& shape,
                         const std::vector<std::byte>& params, SparseMemory& memory,
                         host::AllocationTable& allocations, const Options& options, std::uint64_t workspace,
                         host::DeviceHeap* heap)
    : code_(code),
      shape_(shape),
      memory_(memory),
      allocations_(allocations),
      options_(options),
      heap_(heap),
      banks_(code.banks),
      random_(options.seed) {
  fill_bank0(params, workspace);
  banks_.bytes[3].resize(code.bank3_bytes);
  if (code.bank3_bytes != 0) memory_.read(code.bank3_address, banks_.bytes[3]);
}

void CodeMachine::fill_bank0(const std::vector<std::byte>& params, std::uint64_t workspace) {
  std::vector<std::byte>& bank = banks_.bytes[0];
  const Bank0& at = code_.arch == Arch::kSm75 ? kBank0Of75 : kBank0Of90;
  bank.resize(std::max<std::uint64_t>(code_.bank0_bytes, code_.parameter_base + params.size()));
  const auto put = [&bank](std::uint32_t offset, auto value) {
    if (offset + sizeof value <= bank.size()) std::memcpy(bank.data() + offset, &value, sizeof value);
  };
  const std::array block{shape_.block.x, shape_.block.y, shape_.block.z};
  const std::array grid{shape_.grid.x, shape_.grid.y, shape_.grid.z};
  put(kBlockDim, block);
  put(kGridDim, grid);
  put(kLocalWindow, isa::kLocalWindowBase);
  put(kStackPointer, static_cast<std::uint32_t>(LocalMemory::kBytes));
  put(kDynamicShared, shape_.dynamic_shared_bytes);
  if (at.shared_window != 0) put(at.shared_window, isa::kSharedWindowBase);
  put(at.bank3, code_.bank3_address);
  put(kCores, 1u);  // %nsmid, as of PTX
  // %envreg1 and %envreg2: the workspace of a cooperative launch, upper word first.
  put(at.environment + 4, static_cast<std::uint32_t>(workspace >> 32));
  put(at.environment + 8, static_cast<std::uint32_t>(workspace));
  if (code_.arch == Arch::kSm90) {  // a CTA is a cluster of its own: shape, its reciprocals, clusters
    for (std::uint32_t i = 0; i < 3; ++i) put(kClusterShape90 + 4 * i, 1u);
    for (std::uint32_t i = 3; i < 6; ++i) put(kClusterShape90 + 4 * i, 1.0f);
    put(kClusters90, std::array{shape_.grid.x, shape_.grid.y, shape_.grid.z});
    put(kClusterSize90, 1u);
  }
  std::copy(params.begin(), params.end(), bank.begin() + code_.parameter_base);
}

void CodeMachine::start_cta(Cta& cta, std::uint64_t number) {
  const auto threads = static_cast<std::uint32_t>(shape_.block.count());
  constexpr std::uint64_t kSharedAlign = 16, kSharedUnit = 128;  // a vector may reach past the last variable
  cta.id = coordinates(number, shape_.grid);
  // What sm_90 reserves, CTAs without variables have as well.
  const std::uint64_t own = std::max<std::uint64_t>(
      code_.shared_bytes, code_.arch == Arch::kSm90 ? sass::CodeSection::kReservedShared90 : 0);
  const std::uint64_t static_bytes =
      shape_.dynamic_shared_bytes == 0 ? own : (own + kSharedAlign - 1) & ~(kSharedAlign - 1);
  cta.shared.assign((static_bytes + shape_.dynamic_shared_bytes + kSharedUnit - 1) & ~(kSharedUnit - 1),
                    std::byte{0});
  cta.barriers = {};
  cta.warps.clear();
  cta.warps.resize((threads + kLanes - 1) / kLanes);
  for (std::uint32_t i = 0; i < threads; ++i) {
    Warp& warp = cta.warps[i / kLanes];
    warp.live |= 1u << i % kLanes;
    warp.lanes[i % kLanes].thread = i;
    warp.lanes[i % kLanes].tid = coordinates(i, shape_.block);
  }
  for (Warp& warp : cta.warps) warp.groups.push_back({warp.live, 0, State::kReady, 0, 0});
}

void CodeMachine::run() {
  const std::uint64_t fitting =
      shape_.cooperative ? shape_.ctas()
                         : std::max<std::uint64_t>(1, options_.resident_threads / shape_.block.count());
  std::uint64_t next = shape_.first_cta;
  const std::uint64_t end = next + shape_.ctas();
  std::vector<std::unique_ptr<Cta>> resident;
  while (next < end && resident.size() < fitting) {
    resident.push_back(std::make_unique<Cta>());
    start_cta(*resident.back(), next++);
  }
  while (!resident.empty()) {
    ++round_;
    bool progress = false;
    for (auto& cta : resident) {
      progress |= run_round(*cta);
      if (options_.on_turn) options_.on_turn();
      if (cta->finished() && next < end) {
        start_cta(*cta, next++);
        progress = true;
      }
    }
    if (!progress)
      for (auto& cta : resident)
        for (Warp& warp : cta->warps) progress |= release_all_regions(warp);
    if (!progress) deadlock(resident);
    std::erase_if(resident, [](const auto& cta) { return cta->finished(); });
  }
}

bool CodeMachine::run_round(Cta& cta) {
  bool progress = false;
  for (Warp& warp : cta.warps) {
    for (;;) {
      const auto ready = std::find_if(warp.groups.begin(), warp.groups.end(), [&](const Group& group) {
        return group.state == State::kReady && group.turn != round_;
      });
      if (ready == warp.groups.end()) break;
      Group group = *ready;
      warp.groups.erase(ready);
      group.turn = round_;
      progress = true;
      run_turn(cta, warp, group);
      release_complete(warp);
    }
  }
  release_barriers(cta);
  return progress;
}

std::uint32_t CodeMachine::turn_length() {
  if (options_.seed == 0) return std::max(1u, options_.slice);
  // splitmix64
  std::uint64_t z = random_ += 0x9e37'79b9'7f4a'7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebull;
  return 1 + static_cast<std::uint32_t>((z ^ (z >> 31)) % std::max(1u, options_.slice));
}

void CodeMachine::run_turn(Cta& cta, Warp& warp, Group& group) {
  Turn turn{cta, warp, group};
  for (std::uint32_t budget = turn_length(); budget > 0 && !turn.over && group.lanes != 0; --budget) {
    const std::uint64_t index = group.pc / sass::kInstructionBytes;
    if (index >= code_.ops.size() || group.pc % sass::kInstructionBytes != 0)
      fault(turn, static_cast<unsigned>(std::countr_zero(group.lanes)), "runs out of the kernel's code");
    const Op& op = code_.ops[index];
    executed_ += static_cast<std::uint64_t>(std::popcount(group.lanes));
    if (executed_ > options_.max_thread_instructions)
      throw base::Error(
          base::ExitCode::kHang, "kernel " + code_.name + ", " + code_.text_at(group.pc),
          fmt::format("the oracle ran {} thread instructions without reaching the end of the kernel",
                      options_.max_thread_instructions),
          "The kernel may loop forever; raise the limit if it is only long.");
    std::uint32_t executing = 0;
    for_each_lane(group.lanes, [&](unsigned i) {
      if (guard_holds(op, warp.lanes[i])) executing |= 1u << i;
    });
    execute(turn, op, executing);
  }
  if (group.lanes != 0) warp.groups.push_back(group);
}

void CodeMachine::execute(Turn& turn, const Op& op, std::uint32_t executing) {
  if (op.lane != nullptr) {
    for_each_lane(executing, [&](unsigned i) {
      Values values(op, turn.warp.lanes[i], banks_);
      op.lane(values);
    });
  } else if (MemoryAccess::performs(op.instruction.op)) {
    MemoryAccess access(memory_, allocations_, turn.cta.shared);
    // A bulk copy is the warp's.
    const bool once = op.instruction.op == Opcode::kUblkcp;
    for_each_lane(once ? executing & (0 - executing) : executing, [&](unsigned i) {
      Values values(op, turn.warp.lanes[i], banks_);
      if (const std::string problem = access.perform(values); !problem.empty()) fault(turn, i, problem);
    });
    if (options_.polls_end_turns && MemoryAccess::polls(op)) turn.over = true;
  } else if (is_texture(op.instruction.op)) {
    MemoryAccess access(memory_, allocations_, turn.cta.shared);
    for_each_lane(executing, [&](unsigned i) {
      Values values(op, turn.warp.lanes[i], banks_);
      if (const std::string problem = access_texture(values, access); !problem.empty())
        fault(turn, i, problem);
    });
  } else if (!execute_across_lanes(turn, op, executing)) {
    return execute_control(turn, op, executing);
  }
  turn.group.pc += sass::kInstructionBytes;
}

bool CodeMachine::execute_across_lanes(Turn& turn, const Op& op, std::uint32_t executing) {
  if (takes_matrices(op.instruction.op) || op.instruction.op == Opcode::kLdsm ||
      op.instruction.op == Opcode::kStsm)
    return execute_on_matrices(turn, op, executing), true;
  switch (op.instruction.op) {
    case Opcode::kElect:
      elect(op, turn.warp, turn.group.lanes, executing, banks_);
      return true;
    case Opcode::kVote:
    case Opcode::kVoteu:
      vote(op, turn.warp, turn.group.lanes, executing, banks_);
      return true;
    case Opcode::kMatch:
      match(op, turn.warp, executing, banks_);
      return true;
    case Opcode::kShfl:
      shuffle(op, turn.warp, executing, banks_);
      return true;
    case Opcode::kRedux:
      reduce(op, turn.warp, turn.group.lanes, executing, banks_);
      return true;
    case Opcode::kR2ur:
      to_uniform(op, turn.warp, turn.group.lanes, executing, banks_);
      return true;
    case Opcode::kS2r:
    case Opcode::kS2ur:
    case Opcode::kCs2r:
      read_special(turn, op, executing);
      return true;
    default:
      return false;
  }
}

void CodeMachine::execute_on_matrices(Turn& turn, const Op& op, std::uint32_t executing) {
  if (executing == 0) return;
  const auto first = static_cast<unsigned>(std::countr_zero(executing));
  if (executing != ~0u && turn.warp.live == ~0u && turn.group.lanes == executing) {
    // Lanes that are elsewhere come, too: they wait as in front of the instruction.
    for_each_lane(executing, [&](unsigned i) { turn.warp.lanes[i].members = ~0u; });
    turn.group.pc -= sass::kInstructionBytes;
    return wait(turn, executing, State::kAtWarpsync, 0);
  }
  if (executing != ~0u)
    fault(turn, first,
          fmt::format("an operation on matrices by a part of a warp: lanes {:#010x}", executing));
  if (op.instruction.op == Opcode::kMovm) return transpose_matrix(op, turn.warp);
  const bool stores = op.instruction.op == Opcode::kStsm;
  if (op.instruction.op != Opcode::kLdsm && !stores) return multiply_matrices(op, turn.warp, options_);
  MemoryAccess access(memory_, allocations_, turn.cta.shared);
  std::array<std::byte*, kLanes> lines{};
  for (unsigned lane = 0; lane < 8u << op.value(Modifier::kSize); ++lane) {
    Values values(op, turn.warp.lanes[lane], banks_);
    std::string problem;
    lines[lane] = access.matrix_row(values, problem);
    if (lines[lane] == nullptr) fault(turn, lane, problem);
  }
  if (stores) return store_matrices(op, turn.warp, lines);
  load_matrices(op, turn.warp, lines);
}

std::uint32_t CodeMachine::special(const Turn& turn, unsigned lane, std::int64_t id) const {
  const Lane& values = turn.warp.lanes[lane];
  const std::uint32_t bit = 1u << lane;
  switch (id) {
    case 0x00:  // LANEID
      return lane;
    case 0x02:  // VIRTCFG: warps, from bit 8 on
      return static_cast<std::uint32_t>(turn.cta.warps.size()) << 8;
    case 0x03:  // VIRTID: the warp, from bit 8 on
      return values.thread / kLanes << 8;
    case 0x20:  // TID, packed
      return values.tid[0] | values.tid[1] << 16 | values.tid[2] << 26;
    case 0x21:
    case 0x22:
    case 0x23:
      return values.tid[static_cast<std::size_t>(id - 0x21)];
    case 0x25:
    case 0x26:
    case 0x27:
      return turn.cta.id[static_cast<std::size_t>(id - 0x25)];
    case 0x2f:  // SWINHI: upper word of generic addresses of shared memory
      return static_cast<std::uint32_t>(isa::kSharedWindowBase >> 32);
    case 0x32:  // SMEMSZ
      return static_cast<std::uint32_t>(turn.cta.shared.size());
    case 0x38:  // EQMASK, LTMASK, LEMASK, GTMASK, GEMASK
      return bit;
    case 0x39:
      return bit - 1;
    case 0x3a:
      return bit | (bit - 1);
    case 0x3b:
      return ~(bit | (bit - 1));
    case 0x3c:
      return ~(bit - 1);
    case 0x50:  // CLOCKLO
    case 0x52:  // GLOBALTIMERLO
      return static_cast<std::uint32_t>(executed_);
    case 0x51:  // CLOCKHI
    case 0x53:  // GLOBALTIMERHI
      return static_cast<std::uint32_t>(executed_ >> 32);
    default:  // what describes hardware that is not here
      return 0;
  }
}

void CodeMachine::read_special(Turn& turn, const Op& op, std::uint32_t executing) {
  const std::int64_t id = op.find(Role::kSpecial)->value;
  // S2UR's result is the whole group's.
  const bool uniform = op.instruction.op == Opcode::kS2ur;
  for_each_lane(uniform && executing != 0 ? turn.group.lanes : executing, [&](unsigned i) {
    Values v(op, turn.warp.lanes[i], banks_);
    if (!v.has(Modifier::kSixtyFour)) return v.set(special(turn, i, id));
    const bool clock = id == 0x50 || id == 0x52;
    v.set_pair(special(turn, i, id) | (clock ? std::uint64_t{special(turn, i, id + 1)} << 32 : 0));
  });
}

void CodeMachine::fault(const Turn& turn, unsigned lane, const std::string& problem) const {
  throw base::KernelFault(
      "kernel " + code_.name + ", " + code_.text_at(turn.group.pc),
      "thread " + triple(turn.warp.lanes[lane].tid) + " of CTA " + triple(turn.cta.id) + ": " + problem);
}

void CodeMachine::deadlock(const std::vector<std::unique_ptr<Cta>>& resident) const {
  constexpr std::uint64_t kShown = 4;
  std::uint64_t waiting = 0;
  std::string shown;
  for (const auto& cta : resident)
    for (const Warp& warp : cta->warps)
      for (const Group& group : warp.groups) {
        if (waiting++ < kShown)
          shown += fmt::format("\n    lanes {:#010x} of warp {} of CTA {} at {}", group.lanes,
                               static_cast<std::size_t>(&warp - cta->warps.data()), triple(cta->id),
                               code_.text_at(group.pc));
      }
  throw base::Error(base::ExitCode::kHang, "kernel " + code_.name,
                    fmt::format("no thread can go on: {} groups of lanes wait for threads that do not come{}",
                                waiting, shown));
}

}  // namespace heddle::oracle::machine_code
