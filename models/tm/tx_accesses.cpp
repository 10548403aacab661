// Loads, stores and atomics of transactions, and the logs that they append to ([KiloTM] §4.2.4).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "core/core_state.h"
#include "core/memory/register_transfer.h"
#include "tm/transaction_unit.h"

namespace heddle::tm {

std::uint32_t TransactionUnit::hold(const core::LsuRequest& request) {
  return held_.put(std::make_unique<Held>(request));
}

void TransactionUnit::piece_done(std::uint32_t owner) {
  if (--held_[owner]->pieces == 0) finish(owner);
}

void TransactionUnit::finish(std::uint32_t owner) {
  const std::unique_ptr<Held> held = held_.take(owner);
  core::LsuCompletion done = held->operation.answered();
  const WarpId id = warp_of(*held);
  const bool atomic = held->operation.instruction().op == isa::Opcode::kAtomic;
  completion_isock.call(done);
  wake_core();
  if (atomic && --warp(id).atomics == 0) start_deferred(id);
  access_done(id);
}

void TransactionUnit::start_deferred(WarpId id) {
  Warp& of = warp(id);
  while (!of.deferred.empty() && of.atomics == 0 && !of.validates) {
    const std::uint32_t owner = of.deferred.front();
    of.deferred.pop_front();
    start(owner);
  }
}

void TransactionUnit::access_done(WarpId id) {
  Warp& of = warp(id);
  --of.accesses;
  if (of.validates) return validate_if_quiet(id);
  if (of.accesses != 0) return;
  if (of.phase == Phase::kDrains)
    drain(id);
  else if (of.attempt.none())
    attempt_is_empty(id);
  else if (!apart_)
    recheck(false, id);  // a tx_abort may wait
}

// ---- Addresses

LaneMask TransactionUnit::faulting_lanes(const Held& held, LaneMask lanes) {
  const isa::Instruction& instruction = held.operation.instruction();
  const isa::Operand& base = instruction.memory.base;
  const std::byte* const row = base.present ? resolver_.row_of(op_, base) : nullptr;
  const host::Access access =
      instruction.op == isa::Opcode::kLoad ? host::Access::kKernelRead : host::Access::kKernelWrite;
  LaneMask bad;
  lanes.for_each([&](unsigned lane) {
    std::uint64_t address = row == nullptr ? 0 : core::lane_value(row, base.width, lane);
    address += static_cast<std::uint64_t>(instruction.memory.displacement);
    if (instruction.space == isa::StateSpace::kGeneric &&
        (address - isa::kSharedWindowBase < isa::kSharedWindowBytes ||
         address - isa::kLocalWindowBase < isa::kLocalWindowBytes))
      return;
    if (address % op_.bytes != 0 || !site_.services.allocations.allows(access, address, op_.bytes))
      bad |= lane_bit(lane);
  });
  return bad;
}

void TransactionUnit::resolve(Held& held) {
  core::LsuRequest request = held.operation.request(core::LsuRequest::Op::kOffer, cycle_);
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
  held.lanes = LaneMask{};
  held.bytes = op_.bytes;
  held.words = std::max(1u, op_.bytes / static_cast<unsigned>(kWordBytes));
  if (slice.lanes.none()) return;
  for (unsigned i = 0; i < op_.access_count; ++i) {
    const core::LineAccess& access = op_.accesses[i];
    if (access.local) continue;
    const core::LaneOffsets offsets = op_.offsets(access);
    access.lanes.for_each(
        [&](unsigned lane) { held.address[lane] = access.line + offsets.offset(lane, op_.bytes); });
    held.lanes |= access.lanes;
  }
  held.others = LaneMask::difference(slice.lanes, held.lanes);
  held.lanes.for_each([&](unsigned lane) {
    held.word_address[lane] = word_of(held.address[lane]);
    held.wanted[lane] = byte_bits(static_cast<unsigned>(held.address[lane] % kWordBytes), held.bytes);
  });
  if (instruction.op != isa::Opcode::kLoad) {
    resolver_.read_operands(op_);
    if (held.others.any())
      throw base::KernelFault(
          launch_->kernel->location(held.pc),
          fmt::format("writes shared or local memory within a transaction, which would not be undone\n  {}",
                      launch_->kernel->source_line(held.pc)),
          "move it out of the transaction");
  }
}

void TransactionUnit::start(std::uint32_t owner) {
  Held& held = *held_[owner];
  held.pieces = 1;
  const isa::Opcode op = held.operation.instruction().op;
  if (op == isa::Opcode::kAtomic) ++warp(warp_of(held)).atomics;
  resolve(held);
  if (op == isa::Opcode::kStore) return store(owner);
  ++(op == isa::Opcode::kLoad ? stats_.tx_loads : stats_.tx_atomics);
  load(owner);
}

// ---- Stores

void TransactionUnit::store(std::uint32_t owner) {
  ++stats_.tx_stores;
  Held& held = *held_[owner];
  for (unsigned word = 0; word < held.words && held.lanes.any(); ++word) {
    LaneAddresses address{};
    std::array<std::uint32_t, base::kLanes> values{};
    held.lanes.for_each([&](unsigned lane) {
      address[lane] = held.address[lane] + word * kWordBytes;
      const unsigned count = std::min(held.bytes, static_cast<unsigned>(kWordBytes));
      std::uint32_t value = 0;
      std::memcpy(&value, op_.data.data() + std::size_t{lane} * held.bytes + word * kWordBytes, count);
      values[lane] = value << (8 * (address[lane] % kWordBytes));
    });
    append(owner, true, held.lanes, address, values, held.bytes);
  }
  piece_done(owner);
}

// ---- Loads: from the thread's own writes, then from memory

void TransactionUnit::load(std::uint32_t owner) {
  Held& held = *held_[owner];
  Warp& of = warp(warp_of(held));
  if (held.operation.instruction().op == isa::Opcode::kAtomic) {
    held.operand = op_.operand;
    held.compare = op_.compare;
  }
  if (held.others.any()) {
    ++held.pieces;
    to_pass_.push_back(owner);
  }
  held.row = 0;
  held.lanes.for_each([&](unsigned lane) {
    held.hits[lane] = 0;
    if (of.filters[lane].empty()) return;
    for (unsigned word = 0; word < held.words; ++word)
      if (of.filters[lane].may_hold(held.word_address[lane] / kWordBytes + word))
        held.hits[lane] |= static_cast<std::uint16_t>(held.wanted[lane] & word_bits(word));
    // What it may see is latched now: later stores are younger.
    if (held.hits[lane] != 0) held.row = of.write_rows;
  });
  if (held.row != 0) ++stats_.walks;
  walk(owner);
}

void TransactionUnit::read_global(std::uint32_t owner) {
  Held& held = *held_[owner];
  if (shared_.ideal) read_own_ideal(held);
  held.matched = LaneMask{};
  held.lanes.for_each([&](unsigned lane) {
    if (static_cast<std::uint16_t>(held.wanted[lane] & ~held.known[lane]) != 0)
      held.matched |= lane_bit(lane);
  });
  if (held.matched.none()) return load_ends(owner);
  if (shared_.ideal) watch_ideal(held);
  Warp& of = warp(warp_of(held));
  const std::uint64_t now = site_.services.clock.manager().now();
  held.matched.for_each(
      [&](unsigned lane) { of.first_read[lane].sent(now, shared_.board.oldest(), of.last_cid[lane]); });
  reads_.load(held.matched, held.word_address, held.words, owner);
  wake_core();
}

void TransactionUnit::take_global(GlobalAnswer& answer) {
  const std::uint32_t owner = answer.tag;
  Held& held = *held_[owner];
  if (config_.temporal.mode != Temporal::kOff)
    answer.lanes.for_each(
        [&](unsigned lane) { warp(warp_of(held)).first_read[lane].returned((*answer.written)[lane]); });
  for (unsigned word = 0; word < held.words; ++word) {
    LaneMask lanes;
    LaneAddresses address{};
    std::array<std::uint32_t, base::kLanes> values{};
    answer.lanes.for_each([&](unsigned lane) {
      const auto missing =
          static_cast<std::uint16_t>(held.wanted[lane] & ~held.known[lane] & word_bits(word));
      if (missing == 0) return;
      lanes |= lane_bit(lane);
      address[lane] = held.word_address[lane] + word * kWordBytes;
      values[lane] = (*answer.words)[lane][word];
      if (!held.late.empty()) read_late_ideal(held, lane, word, values[lane]);
      for (unsigned b = 0; b < kWordBytes; ++b)
        if ((missing & byte_bits(word * 4 + b, 1)) != 0)
          held.data[lane][word * 4 + b] = static_cast<unsigned char>(values[lane] >> (8 * b));
    });
    if (shared_.on_read)
      lanes.for_each([&](unsigned lane) {
        const Warp& of = warp(warp_of(held));
        shared_.on_read({of.linear_warp, lane, of.attempts, address[lane], values[lane]});
      });
    if (lanes.any()) append(owner, false, lanes, address, values, kWordBytes);
  }
  load_ends(owner);
}

void TransactionUnit::load_ends(std::uint32_t owner) {
  Held& held = *held_[owner];
  const isa::Instruction& instruction = held.operation.instruction();
  std::byte* const registers = held.operation.slices()[0].registers;
  const bool atomic = instruction.op == isa::Opcode::kAtomic;
  std::array<std::uint64_t, base::kLanes> next{};
  held.lanes.for_each([&](unsigned lane) {
    const unsigned char* const from = held.data[lane].data() + held.address[lane] % kWordBytes;
    if (atomic) {
      std::uint64_t old = 0;
      std::memcpy(&old, from, held.bytes);
      next[lane] = isa::apply_atomic(instruction.atomic_op, instruction.type, old, held.operand[lane],
                                     held.compare[lane]);
    }
    if (instruction.write_count != 0) core::load_lane(instruction, registers, lane, 0, held.bytes, from);
  });
  for (unsigned word = 0; atomic && word < held.words && held.lanes.any(); ++word) {
    LaneAddresses address{};
    std::array<std::uint32_t, base::kLanes> values{};
    held.lanes.for_each([&](unsigned lane) {
      address[lane] = held.address[lane] + word * kWordBytes;
      values[lane] = static_cast<std::uint32_t>(next[lane] >> (32 * word))
                     << (8 * (address[lane] % kWordBytes));
    });
    append(owner, true, held.lanes, address, values, held.bytes);
  }
  piece_done(owner);
}

// ---- Towards the load/store unit

void TransactionUnit::offer_others(Cycle cycle) {
  while (!to_pass_.empty()) {
    Held& held = *held_[to_pass_.front()];
    core::LsuRequest request = held.operation.request(core::LsuRequest::Op::kOffer, cycle);
    core::MemorySlice part = request.slices[0];
    part.lanes = held.others;
    request.slices = {&part, 1};
    request.tag = to_pass_.front() + 1;
    lsu_isock.call(request);
    lsu_full_ = request.full;
    if (!request.accepted) return;
    again_ = true;
    to_pass_.pop_front();
  }
}

}  // namespace heddle::tm
