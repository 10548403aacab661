#include "tm/accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "core/memory/register_transfer.h"
#include "core/state/core_state.h"
#include "warp_log/log_layout.h"

namespace heddle::tm {

Accesses::Accesses(const TmLogConfig& config, const core::CoreExtensionSite& site,
                   const TransactionShared& shared, AccessLog& log, SilentCommits& silent,
                   const CommittedIds& ids, CoreSignals& signals, GlobalReads& reads, LsuSocket& lsu,
                   CompletionSocket& completions)
    : config_(config),
      site_(site),
      shared_(shared),
      log_(log),
      silent_(silent),
      ids_(ids),
      signals_(signals),
      reads_(reads),
      lsu_(lsu),
      completions_(completions),
      resolver_(warp_log::kDataBytes, site.services.allocations),
      warps_(site.config.occupancy.max_warps),
      most_held_(site.config.lsu.queue_entries) {
  reads_.answer_isock.bind(global_answer_tsock_);
  log_.on_appended = [this](std::uint32_t owner) { part_done(owner); };
  log_.on_looked_up = [this](std::uint32_t owner) { read_global(owner); };
}

void Accesses::begin_launch(const core::LaunchContext* launch) {
  launch_ = launch;
  resolver_.begin_launch(launch);
}

void Accesses::begin(WarpId id, std::uint64_t grid_warp, std::uint64_t number) {
  Warp& of = warp(id);
  of.faulted = LaneMask{};
  of.fault = nullptr;
  of.grid_warp = grid_warp;
  of.attempt = number;
  silent_.begin(id);
}

// ---- The life of an access

void Accesses::issue(const core::LsuRequest& request) {
  if (request.instruction->op == isa::Opcode::kAsyncCopy)
    throw base::KernelFault(
        launch_->kernel->location(request.pc),
        "an asynchronous copy within a transaction\n  " + launch_->kernel->source_line(request.pc),
        "copy with ld.global and st.shared there, or before the transaction");
  Warp& of = warp(request.slices[0].warp);
  ++of.held;
  const std::uint32_t owner = held_.put(std::make_unique<Held>(request));
  if (of.atomics != 0 || of.paused)
    of.deferred.push_back(owner);
  else
    start(owner);
}

void Accesses::start(std::uint32_t owner) {
  Held& held = *held_[owner];
  held.parts = 1;
  const isa::Opcode op = held.operation.instruction().op;
  if (op == isa::Opcode::kAtomic) ++warp(warp_of(held)).atomics;
  resolve(held);
  if (op == isa::Opcode::kStore) return store(owner);
  ++(op == isa::Opcode::kLoad ? counters_.loads : counters_.atomics);
  load(owner);
}

void Accesses::start_deferred(WarpId id) {
  Warp& of = warp(id);
  while (!of.deferred.empty() && of.atomics == 0 && !of.paused) {
    const std::uint32_t owner = of.deferred.front();
    of.deferred.pop_front();
    start(owner);
  }
}

void Accesses::go_on(WarpId id) {
  warp(id).paused = false;
  start_deferred(id);
}

void Accesses::part_done(std::uint32_t owner) {
  if (--held_[owner]->parts == 0) finish(owner);
}

void Accesses::finish(std::uint32_t owner) {
  const std::unique_ptr<Held> held = held_.take(owner);
  core::LsuCompletion done = held->operation.answered();
  const WarpId id = warp_of(*held);
  completions_.call(done);
  signals_.wake();
  if (held->operation.instruction().op == isa::Opcode::kAtomic && --warp(id).atomics == 0) start_deferred(id);
  --warp(id).held;
  on_done(id);
}

void Accesses::add_pending_loads(core::LsuInspection& look) const {
  for (const auto& held : held_.items())
    if (held && held->operation.instruction().write_count != 0 && warp_of(*held) == look.warp)
      look.pending->push_back({&held->operation.instruction(), held->operation.slices()[0].lanes});
}

// ---- Addresses

LaneMask Accesses::faulting_lanes(const Held& held, LaneMask lanes) {
  const isa::Instruction& instruction = held.operation.instruction();
  const host::Access access =
      instruction.op == isa::Opcode::kLoad ? host::Access::kKernelRead : host::Access::kKernelWrite;
  LaneMask bad;
  lanes.for_each([&](unsigned lane) {
    const std::uint64_t address = instruction.memory.address([&](const isa::Operand& row) {
      return core::lane_value(resolver_.row_of(op_, row), row.width, lane);
    });
    if (instruction.space == isa::StateSpace::kGeneric &&
        (address - isa::kSharedWindowBase < isa::kSharedWindowBytes ||
         address - isa::kLocalWindowBase < isa::kLocalWindowBytes))
      return;
    if (address % op_.bytes != 0 || !site_.services.allocations.allows(access, address, op_.bytes))
      bad |= lane_bit(lane);
  });
  return bad;
}

LaneMask Accesses::resolve_lanes(Held& held) {
  core::LsuRequest request = held.operation.request(core::LsuRequest::Op::kOffer, signals_.now());
  Warp& of = warp(warp_of(held));
  core::MemorySlice slice = request.slices[0];
  const isa::Instruction& instruction = held.operation.instruction();
  while (slice.lanes.any()) {
    op_.instruction = &instruction;
    op_.take({&slice, 1});
    op_.shared_lanes = LaneMask{};
    op_.bytes = static_cast<std::uint8_t>(isa::type_bytes(instruction.type) * instruction.vector);
    op_.access_count = 0;
    op_.core_private = false;
    try {
      resolver_.resolve(op_, {launch_, held.cta, held.pc});
      break;
    } catch (const base::KernelFault&) {
      // What it has read may never have been in memory together: a fault only if that turns out to be valid.
      const LaneMask bad = faulting_lanes(held, slice.lanes);
      if (bad.none()) throw;
      of.faulted |= bad;
      if (!of.fault) of.fault = std::current_exception();
      slice.lanes = LaneMask::difference(slice.lanes, bad);
    }
  }
  return slice.lanes;
}

void Accesses::resolve(Held& held) {
  const LaneMask lanes = resolve_lanes(held);
  AccessWords& words = held.words;
  words.lanes = LaneMask{};
  words.bytes = op_.bytes;
  words.words = std::max(1u, op_.bytes / static_cast<unsigned>(kWordBytes));
  if (lanes.none()) return;
  for (unsigned i = 0; i < op_.access_count; ++i) {
    const core::LineAccess& access = op_.accesses[i];
    if (access.local) continue;
    const core::LaneOffsets offsets = op_.offsets(access);
    access.lanes.for_each(
        [&](unsigned lane) { words.address[lane] = access.line + offsets.offset(lane, op_.bytes); });
    words.lanes |= access.lanes;
  }
  held.others = LaneMask::difference(lanes, words.lanes);
  words.lanes.for_each([&](unsigned lane) {
    words.word_address[lane] = word_of(words.address[lane]);
    words.wanted[lane] = byte_bits(static_cast<unsigned>(words.address[lane] % kWordBytes), words.bytes);
  });
  if (held.operation.instruction().op == isa::Opcode::kLoad) return;
  resolver_.read_operands(op_);
  if (held.others.any())
    throw base::KernelFault(
        launch_->kernel->location(held.pc),
        fmt::format("writes shared or local memory within a transaction, which would not be undone\n  {}",
                    launch_->kernel->source_line(held.pc)),
        "move it out of the transaction");
}

// ---- Stores

void Accesses::append(std::uint32_t owner, const AccessRow& row) {
  Held& held = *held_[owner];
  const WarpId id = warp_of(held);
  if (const auto parts = log_.append(id, row, owner)) {
    held.parts += *parts;
    return;
  }
  Warp& of = warp(id);
  of.faulted |= row.lanes;
  if (of.fault) return;
  of.fault = std::make_exception_ptr(base::KernelFault(
      launch_->kernel->location(held.pc),
      fmt::format("the {} log of the warp is full: its transaction has more than {} {}\n  {}",
                  row.write ? "write" : "read", row.write ? config_.write_rows : config_.read_rows,
                  row.write ? "stores" : "loads", launch_->kernel->source_line(held.pc)),
      fmt::format("split the transaction, or give logs more rows (--set tm.log.{}=...)",
                  row.write ? "write_rows" : "read_rows")));
}

void Accesses::store(std::uint32_t owner) {
  ++counters_.stores;
  const AccessWords& words = held_[owner]->words;
  for (unsigned word = 0; word < words.words && words.lanes.any(); ++word) {
    AccessRow row;
    row.write = true;
    row.lanes = words.lanes;
    row.bytes = words.bytes;
    words.lanes.for_each([&](unsigned lane) {
      row.address[lane] = words.address[lane] + word * kWordBytes;
      const unsigned count = std::min(words.bytes, static_cast<unsigned>(kWordBytes));
      std::uint32_t value = 0;
      std::memcpy(&value, op_.data.data() + std::size_t{lane} * words.bytes + word * kWordBytes, count);
      row.values[lane] = value << (8 * (row.address[lane] % kWordBytes));
    });
    append(owner, row);
  }
  part_done(owner);
}

// ---- Loads: from the thread's own writes, then from memory

void Accesses::load(std::uint32_t owner) {
  Held& held = *held_[owner];
  if (held.operation.instruction().op == isa::Opcode::kAtomic) {
    held.operand = op_.operand;
    held.compare = op_.compare;
  }
  if (held.others.any()) {
    ++held.parts;
    to_pass_.push_back(owner);
  }
  log_.look_up(warp_of(held), held.words, owner);
}

void Accesses::read_global(std::uint32_t owner) {
  const Held& held = *held_[owner];
  const AccessWords& words = held.words;
  LaneMask lanes;
  words.lanes.for_each([&](unsigned lane) {
    if (words.missing(lane) != 0) lanes |= lane_bit(lane);
  });
  if (lanes.none()) return load_ends(owner);
  const WarpId id = warp_of(held);
  log_.leaves(id, lanes, words, owner);
  const std::uint64_t now = signals_.time();
  lanes.for_each(
      [&](unsigned lane) { silent_.sent(id, lane, now, shared_.board.oldest(), ids_.last(id, lane)); });
  reads_.load(lanes, words.word_address, words.words, owner);
  signals_.wake();
}

void Accesses::take_global(GlobalAnswer& answer) {
  const std::uint32_t owner = answer.tag;
  Held& held = *held_[owner];
  AccessWords& words = held.words;
  const WarpId id = warp_of(held);
  silent_.returned(id, answer.lanes, *answer.written);
  for (unsigned word = 0; word < words.words; ++word) {
    AccessRow row;
    answer.lanes.for_each([&](unsigned lane) {
      const auto missing = static_cast<std::uint16_t>(words.missing(lane) & word_bits(word));
      if (missing == 0) return;
      row.lanes |= lane_bit(lane);
      row.address[lane] = words.word_address[lane] + word * kWordBytes;
      row.values[lane] = log_.arrived(owner, lane, word, (*answer.words)[lane][word]);
      for (unsigned b = 0; b < kWordBytes; ++b)
        if ((missing & byte_bits(word * 4 + b, 1)) != 0)
          words.data[lane][word * 4 + b] = static_cast<unsigned char>(row.values[lane] >> (8 * b));
    });
    if (shared_.on_read)
      row.lanes.for_each([&](unsigned lane) {
        const Warp& of = warp(id);
        shared_.on_read({of.grid_warp, lane, of.attempt, row.address[lane], row.values[lane]});
      });
    if (row.lanes.any()) append(owner, row);
  }
  load_ends(owner);
}

void Accesses::load_ends(std::uint32_t owner) {
  Held& held = *held_[owner];
  const AccessWords& words = held.words;
  const isa::Instruction& instruction = held.operation.instruction();
  std::byte* const registers = held.operation.slices()[0].registers;
  const bool atomic = instruction.op == isa::Opcode::kAtomic;
  std::array<std::uint64_t, base::kLanes> next{};
  words.lanes.for_each([&](unsigned lane) {
    const unsigned char* const from = words.data[lane].data() + words.address[lane] % kWordBytes;
    if (atomic) {
      std::uint64_t old = 0;
      std::memcpy(&old, from, words.bytes);
      next[lane] = isa::apply_atomic(instruction.atomic_op, instruction.type, old, held.operand[lane],
                                     held.compare[lane]);
    }
    if (instruction.write_count != 0) core::load_lane(instruction, registers, lane, 0, words.bytes, from);
  });
  for (unsigned word = 0; atomic && word < words.words && words.lanes.any(); ++word) {
    AccessRow row;
    row.write = true;
    row.lanes = words.lanes;
    row.bytes = words.bytes;
    words.lanes.for_each([&](unsigned lane) {
      row.address[lane] = words.address[lane] + word * kWordBytes;
      row.values[lane] = static_cast<std::uint32_t>(next[lane] >> (32 * word))
                         << (8 * (row.address[lane] % kWordBytes));
    });
    append(owner, row);
  }
  part_done(owner);
}

// ---- Towards the load/store unit

void Accesses::pass_on(Cycle cycle, bool& full) {
  while (!to_pass_.empty()) {
    const Held& held = *held_[to_pass_.front()];
    core::LsuRequest request = held.operation.request(core::LsuRequest::Op::kOffer, cycle);
    core::MemorySlice part = request.slices[0];
    part.lanes = held.others;
    request.slices = {&part, 1};
    request.tag = to_pass_.front() + 1;
    lsu_.call(request);
    full = request.full;
    if (!request.accepted) return;
    signals_.again();
    to_pass_.pop_front();
  }
}

}  // namespace heddle::tm
