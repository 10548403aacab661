// The logs of transactions ([KiloTM] §4.2.4): rows that are appended, walks through the write log, and their accesses on
// the way through the load/store unit.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "core/core_state.h"
#include "tm/transaction_unit.h"

namespace heddle::tm {

// ---- Appending

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

// ---- Walks

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

// ---- Towards the load/store unit

void TransactionUnit::offer_log_access(Cycle cycle) {
  if (to_lsu_.empty()) return;
  LogAccess& access = to_lsu_.front();
  const std::uint32_t tag = in_lsu_.next();
  const bool taken =
      access.purpose == Purpose::kAppend
          ? traffic_.store(access.warp, access.address, {access.data.data(), access.data.size()}, tag, cycle)
          : traffic_.load(access.warp, access.address, base::kLanes, tag, cycle);
  if (!taken) return;
  again_ = true;
  in_lsu_.put(access);
  to_lsu_.pop_front();
}

void TransactionUnit::take_log(warp_log::LogAnswer& answer) {
  if (answer.displaced_line) return;
  const LogAccess access = in_lsu_.take(static_cast<std::uint32_t>(answer.tag));
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
