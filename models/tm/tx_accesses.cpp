// Loads, stores and atomics of transactions, and the logs that they append to (tbc-and-kilotm §5.3).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "core/core_state.h"
#include "core/memory/register_transfer.h"
#include "tm/transaction_unit.h"

namespace heddle::tm {
namespace {

constexpr std::uint16_t byte_bits(unsigned first, unsigned count) {
  return static_cast<std::uint16_t>(((1u << count) - 1u) << first);
}
constexpr std::uint16_t word_bits(unsigned word) { return byte_bits(word * 4, 4); }

}  // namespace

std::uint32_t TransactionUnit::hold(const core::LsuRequest& request) {
  if (free_held_.empty()) {
    free_held_.push_back(static_cast<std::uint32_t>(held_.size()));
    held_.emplace_back();
  }
  const std::uint32_t owner = free_held_.back();
  free_held_.pop_back();
  held_[owner] = std::make_unique<Held>(request);
  ++held_count_;
  return owner;
}

void TransactionUnit::piece_done(std::uint32_t owner) {
  if (--held_[owner]->pieces == 0) finish(owner);
}

void TransactionUnit::finish(std::uint32_t owner) {
  const std::unique_ptr<Held> held = std::move(held_[owner]);
  free_held_.push_back(owner);
  --held_count_;
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
  LaneMask bad;
  lanes.for_each([&](unsigned lane) {
    std::uint64_t address = row == nullptr ? 0 : core::lane_value(row, base.width, lane);
    address += static_cast<std::uint64_t>(instruction.memory.displacement);
    if (instruction.space == isa::StateSpace::kGeneric &&
        (address - isa::kSharedWindowBase < isa::kSharedWindowBytes ||
         address - isa::kLocalWindowBase < isa::kLocalWindowBytes))
      return;
    if (address % op_.bytes != 0 || !site_.services.allocations.contains(address, op_.bytes))
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

// ---- Logs

void TransactionUnit::log_overflow(Warp& of, LaneMask lanes, Pc pc, bool write) {
  of.faulted |= lanes;
  if (of.fault) return;
  of.fault = std::make_exception_ptr(base::KernelFault(
      launch_->kernel->location(pc),
      fmt::format("the {} log of the warp is full: its transaction has more than {} {}\n  {}",
                  write ? "write" : "read", write ? config_.log.write_rows : config_.log.read_rows,
                  write ? "stores" : "loads", launch_->kernel->source_line(pc)),
      fmt::format("split the transaction, or give logs more rows (--set tm.log.{}=...)",
                  write ? "write_rows" : "read_rows")));
}

void TransactionUnit::append(std::uint32_t owner, bool write, LaneMask lanes, const LaneAddresses& address,
                             const std::array<std::uint32_t, base::kLanes>& values, unsigned bytes) {
  Held& held = *held_[owner];
  const WarpId id = warp_of(held);
  if (shared_.ideal) return append_ideal(id, write, lanes, address, values, bytes);
  Warp& of = warp(id);
  std::uint32_t& rows = write ? of.write_rows : of.read_rows;
  const warp_log::LogLayout& log = write ? write_log_ : read_log_;
  if (rows == log.capacity()) return log_overflow(of, lanes, held.pc, write);
  const std::uint32_t row = rows++;
  if (write) {
    of.write_bytes.push_back(static_cast<std::uint8_t>(std::min(bytes, static_cast<unsigned>(kWordBytes))));
    ++stats_.write_rows;
    stats_.most_write_rows = std::max<std::uint64_t>(stats_.most_write_rows, rows);
  } else {
    ++stats_.read_rows;
    stats_.most_read_rows = std::max<std::uint64_t>(stats_.most_read_rows, rows);
  }
  (write ? of.writers : of.readers) |= lanes;
  LogAccess line{Purpose::kAppend, id, owner, log.meta(id.value(), row), {}};
  line.data.fill(kVoidAddress);
  lanes.for_each([&](unsigned lane) {
    line.data[lane] = logged_address(address[lane]);
    if (write) of.filters[lane].insert(address[lane] / kWordBytes);
  });
  held.pieces += 2;
  to_lsu_.push_back(line);
  line.address = log.data(id.value(), row);
  line.data.fill(0);
  lanes.for_each([&](unsigned lane) { line.data[lane] = values[lane]; });
  to_lsu_.push_back(line);
  wake_core();
}

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

void TransactionUnit::walk(std::uint32_t owner) {
  Held& held = *held_[owner];
  bool searching = false;
  held.lanes.for_each([&](unsigned lane) {
    searching = searching || static_cast<std::uint16_t>(held.hits[lane] & ~held.known[lane]) != 0;
  });
  if (held.row == 0 || !searching) return read_global(owner);
  --held.row;
  ++stats_.walked_rows;
  const WarpId id = warp_of(held);
  to_lsu_.push_back({Purpose::kWalkAddresses, id, owner, write_log_.meta(id.value(), held.row), {}});
  wake_core();
}

void TransactionUnit::walk_row(std::uint32_t owner, std::span<const std::uint32_t> addresses) {
  Held& held = *held_[owner];
  const WarpId id = warp_of(held);
  held.matched = LaneMask{};
  held.lanes.for_each([&](unsigned lane) {
    if (addresses[lane] == kVoidAddress) return;
    const std::uint64_t at = device_address(addresses[lane]);
    if (word_of(at) - held.word_address[lane] >= held.words * kWordBytes) return;
    held.matched |= lane_bit(lane);
    held.matched_address[lane] = addresses[lane];
  });
  if (held.matched.none()) return walk(owner);
  to_lsu_.push_back({Purpose::kWalkValues, id, owner, write_log_.data(id.value(), held.row), {}});
  wake_core();
}

void TransactionUnit::walk_values(std::uint32_t owner, std::span<const std::uint32_t> values) {
  Held& held = *held_[owner];
  const unsigned bytes = warp(warp_of(held)).write_bytes[held.row];
  held.matched.for_each([&](unsigned lane) {
    const std::uint64_t at = device_address(held.matched_address[lane]);
    const auto word = static_cast<unsigned>((at - held.word_address[lane]) / kWordBytes);
    const auto first = static_cast<unsigned>(at % kWordBytes);
    for (unsigned b = first; b < first + bytes; ++b) {
      const std::uint16_t one = byte_bits(word * 4 + b, 1);
      if ((held.known[lane] & one) != 0) continue;  // the newest wins
      held.known[lane] |= one;
      held.data[lane][word * 4 + b] = static_cast<unsigned char>(values[lane] >> (8 * b));
    }
  });
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

void TransactionUnit::offer_log_access(Cycle cycle) {
  if (to_lsu_.empty()) return;
  LogAccess& access = to_lsu_.front();
  if (free_tags_.empty()) {
    free_tags_.push_back(static_cast<std::uint32_t>(in_lsu_.size()));
    in_lsu_.emplace_back();
  }
  const std::uint32_t tag = free_tags_.back();
  const bool taken =
      access.purpose == Purpose::kAppend
          ? traffic_.store(access.warp, access.address, {access.data.data(), access.data.size()}, tag, cycle)
          : traffic_.load(access.warp, access.address, base::kLanes, tag, cycle);
  if (!taken) return;
  again_ = true;
  free_tags_.pop_back();
  in_lsu_[tag] = access;
  to_lsu_.pop_front();
}

void TransactionUnit::take_log(warp_log::LogAnswer& answer) {
  if (answer.displaced_line) return;
  const auto tag = static_cast<std::uint32_t>(answer.tag);
  const LogAccess access = in_lsu_[tag];
  free_tags_.push_back(tag);
  switch (access.purpose) {
    case Purpose::kAppend:
      return piece_done(access.owner);
    case Purpose::kWalkAddresses:
      return walk_row(access.owner, answer.words);
    case Purpose::kWalkValues:
      return walk_values(access.owner, answer.words);
    case Purpose::kCommitAddresses:
    case Purpose::kCommitValues: {
      WindowRow& row = window_[access.owner];
      std::ranges::copy(answer.words,
                        (access.purpose == Purpose::kCommitAddresses ? row.addresses : row.values).begin());
      --row.missing;
      wake_core();
      return;
    }
  }
}

}  // namespace heddle::tm
