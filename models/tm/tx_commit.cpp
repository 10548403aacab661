// Commits as the core sees them ([KiloTM] §4.2.4, §4.2.5): credits, commit ids, the logs to the commit units, outcomes.
#include <algorithm>
#include <utility>

#include "core/core_state.h"
#include "tm/message_codec.h"
#include "tm/transaction_unit.h"

namespace heddle::tm {
namespace {

constexpr std::size_t kMostMessages = 16;  ///< that wait for the memory port while a log is read

}  // namespace

/// The warp is in front of its tx_commit.
void TransactionUnit::drain(WarpId id) {
  if (warp(id).accesses == 0) begin_commit(id);
}

void TransactionUnit::begin_commit(WarpId id) {
  Warp& of = warp(id);
  const LaneMask doomed = of.faulted & of.attempt;
  // What had read nothing would do the same again.
  if (LaneMask::difference(doomed, of.readers).any()) std::rethrow_exception(of.fault);
  if (shared_.ideal) return commit_ideal(id);
  LaneMask words = (of.readers | LaneMask::difference(of.writers, doomed)) & of.attempt;
  if (config_.temporal.mode != Temporal::kOff) commit_silently(of, words);
  of.trivial = LaneMask::difference(of.attempt, words);
  of.commit.begin({}, {}, {}, {}, false);
  if (words.none()) {
    of.phase = Phase::kResolved;
    return resolved(id);
  }
  if (config_.protocol == Protocol::kWarp && words.count() > 1 && of.write_rows != 0) {
    of.phase = Phase::kResolves;
    walks_.push_back({id, Walk::Why::kResolve, false, words, 0, false, {}});
    return wake_core();
  }
  ask_for_credits(id);
}

/// Lanes that have only read what has not changed since need no commit unit ([WarpTM] §6.4).
void TransactionUnit::commit_silently(Warp& of, LaneMask& words) {
  const LaneMask read_only = LaneMask::difference(words, of.writers | of.faulted);
  read_only.for_each([&](unsigned lane) {
    if (!of.first_read[lane].conflict(config_.temporal.mode == Temporal::kStrict))
      of.silent |= lane_bit(lane);
  });
  stats_.silent += of.silent.count();
  stats_.time_conflicts += LaneMask::difference(read_only, of.silent).count();
  words = LaneMask::difference(words, of.silent);
}

void TransactionUnit::ask_for_credits(WarpId id) {
  warp(id).phase = Phase::kCredits;
  for_credits_.push_back(id);
  wake_core();
}

// ---- Conflicts within the warp (WarpTM)

void TransactionUnit::resolve_within(WarpId id) {
  Warp& of = warp(id);
  const LaneMask active = with_words(of);
  Resolution resolution;
  const bool sequential = config_.intra_warp.resolution == IntraWarp::kSequential;
  if (sequential) {
    resolution =
        resolve_sequentially(words_, active, warp_log::BloomFilter::bits_of(config_.intra_warp.filter_bits));
  } else {
    const std::uint32_t entries = config_.intra_warp.table_entries;
    // The thesis names no hash ([KiloTM:A19]): a multiplication, of which the upper bits are used.
    resolution =
        resolve_two_phase(words_, active, entries, warp_log::kDataBytes, [entries](std::uint64_t word) {
          const auto product = static_cast<std::uint32_t>(word / kWordBytes) * 2654435761u;
          return static_cast<std::uint32_t>(std::uint64_t{product} * entries >> 32);
        });
  }
  const std::uint32_t clocks = resolution.steps * (sequential ? config_.intra_warp.step_cycles : 1);
  // Rows that have been read take a step each, and have taken it.
  const auto rows = static_cast<std::uint32_t>(words_.reads.size() + words_.writes.size());
  of.losers = LaneMask::difference(active, resolution.survivors);
  stats_.resolution_cycles += resolution.steps;
  resolving_ = {id, cycle_ + (clocks > rows ? clocks - rows : 0)};
}

void TransactionUnit::resolution_ends(Cycle cycle) {
  if (!resolving_ || resolving_->second > cycle) return;
  const WarpId id = resolving_->first;
  resolving_.reset();
  ask_for_credits(id);
}

// ---- Credits, ids

/// All that a warp needs, or none; in the order of their commits ([KiloTM:E3]).
void TransactionUnit::take_credits() {
  const Cid oldest = shared_.board.oldest();
  while (!credits_out_.empty() && credits_out_.front().first <= oldest) {
    credits_used_ -= credits_out_.front().second;
    credits_out_.pop_front();
  }
  while (!for_credits_.empty()) {
    Warp& of = warp(for_credits_.front());
    const std::uint32_t count = with_words(of).count();
    if (shared_.credits != 0 && credits_used_ + count > shared_.credits) {
      if (waits_for_board_) return;
      ++stats_.credit_waits;
      waits_for_board_ = true;
      shared_.board.wait([this] {
        waits_for_board_ = false;
        wake_from_outside(for_credits_.front());
      });
      return;
    }
    credits_used_ += count;
    UnitMessage ask;
    ask.kind = UnitMessage::Kind::kCommitIds;
    ask.group.lanes = with_words(of);
    ask.group.core = site_.core.value();
    ask.group.warp = for_credits_.front().value();
    of.phase = Phase::kIds;
    for_credits_.pop_front();
    send(0, std::move(ask));
  }
}

void TransactionUnit::ids_granted(WarpId id, Cid base) {
  Warp& of = warp(id);
  CommitGroup group;
  group.base = base;
  group.lanes = with_words(of);
  group.core = site_.core.value();
  group.warp = id.value();
  group.client = static_cast<std::uint8_t>(port_client_);
  credits_out_.emplace_back(group.end(), group.count());
  if (!of.validates) group.lanes.for_each([&](unsigned lane) { of.last_cid[lane] = group.cid_of(lane); });
  of.commit.begin(group, {}, {}, {}, false);
  of.phase = Phase::kTransfer;
  walks_.push_back(
      {id, of.validates ? Walk::Why::kValidate : Walk::Why::kTransfer, false, group.lanes, 0, false, {}});
}

// ---- The logs

/// The `index`-th row of a walk.
TransactionUnit::WalkRow TransactionUnit::walk_row_at(const Walk& walk, const Warp& of,
                                                      std::uint32_t index) const {
  if (walk.by_lane) {
    for (unsigned lane = 0; lane < base::kLanes; ++lane) {
      const std::uint32_t reads = walk.lanes.test(lane) ? of.read_rows : 0;
      const std::uint32_t writes = walk.writers.test(lane) ? of.write_rows : 0;
      if (index < reads) return {false, index, lane};
      if (index < reads + writes) return {true, index - reads, lane};
      index -= reads + writes;
    }
  }
  if (walk.why == Walk::Why::kAgain) return {walk.writes_only, index};
  if (walk.why == Walk::Why::kTransfer || walk.why == Walk::Why::kValidate)
    return {index >= of.read_rows, index >= of.read_rows ? index - of.read_rows : index};
  if (index < of.write_rows) return {true, index};
  index -= of.write_rows;
  return {index >= of.read_rows, index >= of.read_rows ? index - of.read_rows : index};
}

std::uint32_t TransactionUnit::rows_of(const Walk& walk, const Warp& of) const {
  if (walk.by_lane) return walk.lanes.count() * of.read_rows + walk.writers.count() * of.write_rows;
  const bool two_phases = config_.intra_warp.resolution == IntraWarp::kTwoPhase;
  switch (walk.why) {
    case Walk::Why::kValidate:
      return of.read_rows;
    case Walk::Why::kAgain:
      return walk.writes_only ? of.write_rows : of.read_rows;
    case Walk::Why::kResolve:
      return of.read_rows + (two_phases ? 2 : 1) * of.write_rows;
    case Walk::Why::kTransfer:
      break;
  }
  return of.read_rows + of.write_rows;
}

/// Reads rows of a log through L1, a few ahead, and sends each to the partitions that it concerns.
void TransactionUnit::walk_log() {
  const Walk& walk = walks_.front();
  const Warp& of = warp(walk.warp);
  const std::uint32_t rows = rows_of(walk, of);
  const std::size_t window = walk.by_lane ? kLaneWindow : kWindow;
  if (walk_next_ == 0 && window_order_.empty()) {
    walk_touched_.assign(map_.partitions(), LaneMask{});
    walk_words_.assign(map_.partitions(), {0, 0});
    if (walk.why == Walk::Why::kResolve) words_ = {};
  }
  while (walk_next_ < rows && window_order_.size() < window) {
    const std::uint32_t slot = window_free_.back();
    window_free_.pop_back();
    WindowRow& row = window_[slot];
    const WalkRow next = walk_row_at(walk, of, walk_next_++);
    row.write = next.write;
    row.row = next.row;
    row.lane = next.lane;
    row.missing = walk.why == Walk::Why::kResolve ? 1 : 2;
    const warp_log::LogLayout& log = row.write ? write_log_ : read_log_;
    to_lsu_.push_back({Purpose::kCommitAddresses, walk.warp, slot, log.meta(walk.warp.value(), row.row), {}});
    if (row.missing == 2)
      to_lsu_.push_back({Purpose::kCommitValues, walk.warp, slot, log.data(walk.warp.value(), row.row), {}});
    window_order_.push_back(slot);
  }
  while (!window_order_.empty() && window_[window_order_.front()].missing == 0) {
    const std::uint32_t slot = window_order_.front();
    window_order_.pop_front();
    window_free_.push_back(slot);
    const WindowRow& row = window_[slot];
    if (walk.by_lane)
      send_word(row);
    else
      send_row(row.write, row.row, row.addresses, row.values);
  }
  if (walk_next_ == rows && window_order_.empty()) walk_ends();
}

void TransactionUnit::send_row(bool write, std::uint32_t row, std::span<const std::uint32_t> addresses,
                               std::span<const std::uint32_t> values) {
  const Walk& walk = walks_.front();
  const Warp& of = warp(walk.warp);
  if (walk.why == Walk::Why::kResolve) {
    auto& rows = write ? words_.writes : words_.reads;
    if (row < rows.size()) return;  // the second phase reads it again
    WarpWords::Row& words = rows.emplace_back();
    walk.lanes.for_each([&](unsigned lane) {
      if (addresses[lane] != kVoidAddress) words[lane] = word_of(device_address(addresses[lane]));
    });
    return;
  }
  LaneMask lanes = walk.lanes;
  if (write) lanes = LaneMask::difference(lanes, of.faulted);  // nothing of them will be written
  std::vector<std::pair<std::uint32_t, UnitMessage>> messages;
  lanes.for_each([&](unsigned lane) {
    if (addresses[lane] == kVoidAddress) return;
    const std::uint64_t address = device_address(addresses[lane]);
    LogWord word;
    word.address = word_of(address);
    word.value = values[lane];
    word.row = static_cast<std::uint16_t>(row);
    word.lane = static_cast<std::uint8_t>(lane);
    if (write)
      word.bytes = static_cast<std::uint8_t>(((1u << of.write_bytes[row]) - 1u) << (address % kWordBytes));
    const std::uint32_t partition = map_.partition(word.address).value();
    if (walk.why == Walk::Why::kAgain && partition != walk.partition) return;
    const auto known = std::ranges::find(messages, partition, &std::pair<std::uint32_t, UnitMessage>::first);
    UnitMessage& message =
        known != messages.end() ? known->second : messages.emplace_back(partition, UnitMessage{}).second;
    message.words.push_back(word);
    walk_touched_[partition] |= lane_bit(lane);
    ++(write ? walk_words_[partition].second : walk_words_[partition].first);
  });
  for (auto& [partition, message] : messages) {
    message.kind = walk.why == Walk::Why::kAgain ? UnitMessage::Kind::kResentRow
                   : write                       ? UnitMessage::Kind::kWriteLog
                                                 : UnitMessage::Kind::kReadLog;
    message.group = of.commit.group();
    send(partition, std::move(message));
  }
}

/// Of a set that a commit unit had no room for: the word of its lane, a few in a message.
void TransactionUnit::send_word(const WindowRow& row) {
  constexpr std::size_t kWordsOfAMessage = 8;
  const Walk& walk = walks_.front();
  const Warp& of = warp(walk.warp);
  const std::uint32_t logged = row.addresses[row.lane];
  if (logged != kVoidAddress && !(row.write && of.faulted.test(row.lane))) {
    const std::uint64_t address = device_address(logged);
    LogWord word;
    word.address = word_of(address);
    word.value = row.values[row.lane];
    word.row = static_cast<std::uint16_t>(row.row);
    word.lane = static_cast<std::uint8_t>(row.lane);
    if (row.write)
      word.bytes =
          static_cast<std::uint8_t>(((1u << of.write_bytes[row.row]) - 1u) << (address % kWordBytes));
    if (map_.partition(word.address).value() == walk.partition) again_words_.words.push_back(word);
  }
  const bool last = row.row + 1 == (row.write ? of.write_rows : of.read_rows);
  if (!last && again_words_.words.size() < kWordsOfAMessage) return;
  again_words_.kind = UnitMessage::Kind::kResentRow;
  again_words_.group = of.commit.group();
  again_words_.touched = lane_bit(row.lane);
  again_words_.writes = row.write;
  again_words_.last = last;
  send(walk.partition, std::exchange(again_words_, {}));
}

void TransactionUnit::walk_ends() {
  const Walk walk = walks_.front();
  walks_.pop_front();
  walk_next_ = 0;
  if (walk.why == Walk::Why::kResolve) return resolve_within(walk.warp);
  Warp& of = warp(walk.warp);
  const CommitGroup group = of.commit.group();
  if (walk.by_lane) {
    --of.walks_again;
    return resolve_if_complete(walk.warp);
  }
  if (walk.why == Walk::Why::kAgain) {
    UnitMessage end;
    end.kind = UnitMessage::Kind::kResentRow;
    end.group = group;
    end.last = true;
    send(walk.partition, std::move(end));
    return;
  }
  for (std::uint32_t p = 0; p < map_.partitions(); ++p) {
    UnitMessage end;
    end.kind = UnitMessage::Kind::kDoneFill;
    end.group = group;
    end.touched = walk_touched_[p];
    end.read_words = walk_words_[p].first;
    end.write_words = walk_words_[p].second;
    send(p, std::move(end));
  }
  if (of.validates)  // fails in any case
    of.commit.begin(group, walk_touched_, {}, group.lanes, false);
  else
    of.commit.begin(group, walk_touched_, LaneMask::difference(of.writers, of.faulted), of.faulted, false);
  of.phase = Phase::kWaits;
}

// ---- Outcomes

void TransactionUnit::take_response(core::PortResponse& response) {
  const sim::MemoryExtension& extension = sim::memory_extension(*response.payload);
  cycle_ = response.cycle;
  if (extension.op == sim::MemoryOp::kWrite) return ideal_store_performed(WarpId{extension.tag});
  if (extension.message.kind == kNoticeKind)
    take_notice(decode_core_message(extension.message), extension.partition.value());
  else
    ids_granted(WarpId{extension.tag}, extension.message.words[0]);
  wake_core();
}

void TransactionUnit::take_notice(const CoreMessage& notice, std::uint32_t partition) {
  const WarpId id{notice.group.warp};
  Warp& of = warp(id);
  // Entries of transactions that have only read retire behind the core's back.
  if (of.commit.group().base != notice.group.base || of.phase == Phase::kIdle || of.phase == Phase::kRuns)
    return;
  switch (notice.kind) {
    case CoreMessage::Kind::kLocalOutcome:
      decide(id, of.commit.outcome(notice.lanes, notice.pass));
      break;
    case CoreMessage::Kind::kDone:
      of.commit.done(notice.lanes);
      break;
    case CoreMessage::Kind::kResendReads:
    case CoreMessage::Kind::kResendWrites:
    case CoreMessage::Kind::kResendSets: {
      Walk again{id,           Walk::Why::kAgain, notice.kind == CoreMessage::Kind::kResendWrites,
                 notice.lanes, partition,         notice.kind == CoreMessage::Kind::kResendSets,
                 notice.pass};
      if (again.by_lane) ++of.walks_again;
      // Behind the log that is being sent, before all others.
      walks_.insert(walks_.begin() + (walk_next_ == 0 && window_order_.empty() ? 0 : 1), again);
      return;
    }
  }
  resolve_if_complete(id);
}

/// Final outcomes are known: to the units that have words of them.
void TransactionUnit::decide(WarpId id, LaneMask lanes) {
  Warp& of = warp(id);
  if (lanes.none()) return;
  if ((of.commit.valid() & of.faulted & lanes).any()) std::rethrow_exception(of.fault);
  const LaneMask passed = of.commit.passed();
  for (std::uint32_t p = 0; p < map_.partitions(); ++p) {
    const LaneMask told = of.commit.touched(p) & lanes;
    const auto tell = [&](LaneMask which) {
      UnitMessage final;
      final.kind = UnitMessage::Kind::kFinal;
      final.group = of.commit.group();
      final.touched = which;
      final.pass = which & passed;
      send(p, std::move(final));
    };
    if (config_.protocol == Protocol::kKilo)
      told.for_each([&](unsigned lane) { tell(lane_bit(lane)); });
    else if (told.any())
      tell(told);
  }
  if (shared_.on_commit)
    (lanes & passed).for_each([&](unsigned lane) {
      shared_.on_commit({of.commit.group().cid_of(lane), of.linear_warp, lane, false, ++records_});
    });
}

void TransactionUnit::resolve_if_complete(WarpId id) {
  Warp& of = warp(id);
  // The log stays until what is sent again has left: the unit may have gone on without it since it asked.
  if (of.phase != Phase::kWaits || !of.commit.resolved() || of.walks_again != 0) return;
  if (of.validates) return validation_ends(id);
  of.phase = Phase::kResolved;
  resolved(id);
}

// ---- Messages

void TransactionUnit::send(std::uint32_t partition, UnitMessage message) {
  to_port_.emplace_back(partition, std::move(message));
}

void TransactionUnit::send_messages(Cycle cycle) {
  if (to_port_.empty()) return;
  core::PortRequest request;
  request.client = port_client_;
  port_isock.call(request);
  if (!request.room) return;
  const auto& [partition, message] = to_port_.front();
  sim::MemoryTransaction& transaction = encode(site_.services.pool, base::PartitionId{partition}, message);
  transaction.extension.tag = message.group.warp;
  transaction.extension.issued_at = cycle;
  const auto kind = static_cast<unsigned>(message.kind);
  ++stats_.messages[kind];
  const std::uint32_t bytes = shared_.header_bytes + transaction.extension.message.request_bytes;
  stats_.message_bytes[kind] += bytes;
  stats_.message_flits[kind] += (bytes + shared_.flit_bytes - 1) / shared_.flit_bytes;
  request.op = core::PortRequest::Op::kSend;
  request.transaction = &transaction;
  port_isock.call(request);
  to_port_.pop_front();
}

void TransactionUnit::commit_cycle(Cycle cycle) {
  if (shared_.ideal) decide_ideal(cycle);
  if (ideal_stores_) send_ideal_store(cycle);
  if (!for_credits_.empty() && !waits_for_board_) take_credits();
  resolution_ends(cycle);
  // The unit has one walker; a resolution keeps it to its end.
  if (!walks_.empty() && !resolving_ && to_port_.size() < kMostMessages) walk_log();
  send_messages(cycle);
}

}  // namespace heddle::tm
