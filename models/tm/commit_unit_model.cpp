#include "tm/commit_unit_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "tm/h3_hash.h"
#include "tm/tx_log.h"

namespace heddle::tm {
namespace {

bool has(LaneMask lanes, unsigned lane) { return (lanes & lane_bit(lane)).any(); }

RecencyBloomFilter::Hash h3(const CommitUnitConfig& config) {
  const auto bits = static_cast<unsigned>(std::countr_zero(config.history.buckets));
  return [hash = H3Hash(config.history.arrays, bits, config.hash_seed)](unsigned array, std::uint64_t key) {
    return hash(array, key);
  };
}

}  // namespace

CommitUnitModel::CommitUnitModel(const CommitUnitConfig& config, const CommitRules& rules)
    : config_(config), rules_(rules), history_(config.history, h3(config), rules.history) {}

// ---- entries

void CommitUnitModel::know(const CommitGroup& group) {
  youngest_ = std::max(youngest_, group.end());
  counters_.most_rows = std::max(counters_.most_rows, youngest_ - retire_);
  if (!config_.unlimited() && youngest_ - retire_ > config_.ring_entries)
    throw std::logic_error(
        fmt::format("commit unit: ring overflow: entry {} while {} has not retired, of {} entries",
                    youngest_ - 1, retire_, config_.ring_entries));
  if (rows_.size() < youngest_ - retire_) rows_.resize(youngest_ - retire_, nullptr);
  if (row(group.base) != nullptr) return;
  const auto make = [&](Cid first, std::uint32_t count, LaneMask lanes) {
    if (free_rows_.empty()) {
      storage_.push_back(std::make_unique<Row>());
      free_rows_.push_back(storage_.back().get());
    }
    Row& made = *free_rows_.back();
    free_rows_.pop_back();
    std::vector<LogWord> reads = std::move(made.reads), writes = std::move(made.writes);
    reads.clear();
    writes.clear();
    made = Row{};
    made.reads = std::move(reads);
    made.writes = std::move(writes);
    made.group = group;
    made.first = first;
    made.count = count;
    made.lanes = lanes;
    rows_[first - retire_] = &made;
    ++begun_rows_;
    ++counters_.rows;
    if (config_.buffer_scheme == BufferScheme::kAll) take_buffer(made, 2);
  };
  if (config_.by_warp)
    make(group.base, group.count(), group.lanes);
  else
    group.lanes.for_each([&](unsigned lane) { make(group.cid_of(lane), 1, lane_bit(lane)); });
}

CommitUnitModel::Row& CommitUnitModel::row_of(const CommitGroup& group, unsigned lane) {
  Row* const found = row(config_.by_warp ? group.base : group.cid_of(lane));
  if (found == nullptr) throw std::logic_error("commit unit: a message about nobody");
  return *found;
}

void CommitUnitModel::begin(Row& row) {
  if (row.begun) return;
  row.begun = true;
  row.rcid = retire_;
  begun_.emplace_back(retire_, row.first);
}

void CommitUnitModel::free_row(Row& row) {
  give_back_buffers(row);
  --begun_rows_;
  free_rows_.push_back(&row);
}

CidWindow CommitUnitModel::window(const Row& row) const {
  // RCIDs are given in ascending order of time: the first that has not passed hazard detection has the oldest.
  const auto oldest =
      std::ranges::find_if(begun_, [this](const auto& begun) { return begun.second >= hazard_; });
  const Cid base = oldest == begun_.end() ? retire_ : oldest->first;
  return {base, rules_.window_ends_here ? row.first : youngest_, config_.stored_bits()};
}

void CommitUnitModel::take_buffer(Row& row, unsigned buffers) {
  row.buffers += buffers;
  counters_.buffers += buffers;
  counters_.most_buffers = std::max(counters_.most_buffers, counters_.buffers);
}

void CommitUnitModel::give_back_buffers(Row& row) {
  counters_.buffers -= row.buffers;
  row.buffers = 0;
}

/// A stage has nothing to do with entries whose words are elsewhere.
void CommitUnitModel::pass_over(Cid& pointer, Cid limit, bool& happened) {
  while (pointer < limit) {
    const Row* const at = row(pointer);
    if (at == nullptr || !at->skip()) return;
    pointer += at->count;
    happened = true;
  }
}

// ---- logs arrive

void CommitUnitModel::accept(UnitMessage message) {
  message_ = std::move(message);
  absorbing_ = true;
  absorbed_ = 0;
  if (message_.kind != UnitMessage::Kind::kFinal && message_.kind != UnitMessage::Kind::kResentRow)
    know(message_.group);
}

void CommitUnitModel::store_word(Row& row, const LogWord& word, bool write) {
  std::uint16_t& count = write ? row.write_count[word.lane] : row.read_count[word.lane];
  LaneMask& overflow = write ? row.write_overflow : row.read_overflow;
  ++count;
  ++(write ? counters_.write_words : counters_.read_words);
  if (has(overflow, word.lane)) return;
  const bool full = config_.set_buffers != 0 && counters_.buffers >= config_.set_buffers;
  bool room = config_.set_buffers == 0 || count <= config_.set_words;
  if (config_.buffer_scheme == BufferScheme::kAccessed && row.buffers == 0) {
    room = room && !full;
    if (!full) take_buffer(row, 2);
  } else if (count == 1 && config_.buffer_scheme != BufferScheme::kAll &&
             config_.buffer_scheme != BufferScheme::kAccessed) {
    room = room && !full;
    if (!full) take_buffer(row, 1);
  }
  if (!room) {
    overflow |= lane_bit(word.lane);
    ++counters_.overflows;
    return;
  }
  (write ? row.writes : row.reads).push_back(word);
}

void CommitUnitModel::take_words(std::size_t count) {
  const bool resent = message_.kind == UnitMessage::Kind::kResentRow;
  const bool write = message_.kind == UnitMessage::Kind::kWriteLog;
  for (std::size_t i = absorbed_; i < absorbed_ + count; ++i) {
    const LogWord& word = message_.words[i];
    Row& row = row_of(message_.group, word.lane);
    if (resent) {
      switch (resend_.stage) {
        case Stage::kHazardReads:
          look_up(row, word);
          break;
        case Stage::kHazardWrites:
          insert(row, word);
          break;
        case Stage::kRevalidate:
          access(row, &word, 1, resend_.lanes, false, true);
          break;
        case Stage::kCommit:
          access(row, &word, 1, resend_.lanes, true, false);
          break;
      }
      continue;
    }
    if (rules_.rcid_at_first_word) begin(row);
    store_word(row, word, write);
    if (!write && !config_.by_warp) access(row, &word, 1, row.lanes, false, false);
  }
  absorbed_ += count;
}

void CommitUnitModel::take_end() {
  switch (message_.kind) {
    case UnitMessage::Kind::kReadLog:
      if (config_.by_warp && !message_.words.empty()) {
        Row& row = row_of(message_.group, message_.words.front().lane);
        access(row, message_.words.data(), message_.words.size(), row.lanes, false, false);
      }
      break;
    case UnitMessage::Kind::kDoneFill: {
      const CommitGroup& group = message_.group;
      std::uint32_t reads = 0, writes = 0;
      const auto complete = [&](Row& row) {
        row.touched = message_.touched & row.lanes;
        row.complete = true;
        if (row.touched.any())
          begin(row);
        else
          ++counters_.skipped;
        for (unsigned lane = 0; lane < base::kLanes; ++lane) {
          reads += row.read_count[lane];
          writes += row.write_count[lane];
        }
      };
      if (config_.by_warp)
        complete(*row(group.base));
      else
        group.lanes.for_each([&](unsigned lane) { complete(*row(group.cid_of(lane))); });
      if (reads != message_.read_words || writes != message_.write_words)
        throw std::logic_error("commit unit: words of a log are missing at its DONE-FILL");
      break;
    }
    case UnitMessage::Kind::kFinal:
      message_.touched.for_each([&](unsigned lane) {
        Row& row = row_of(message_.group, lane);
        row.finals |= lane_bit(lane);
        const bool pass = has(message_.pass, lane);
        if (pass) row.passes |= lane_bit(lane);
        if (observer_ != nullptr) observer_->final_received(message_.group.cid_of(lane), pass);
      });
      break;
    case UnitMessage::Kind::kResentRow:
      if (message_.last) {
        resend_.active = false;
        resend_.row->resent = true;
      }
      break;
    default:
      break;
  }
  absorbing_ = false;
}

bool CommitUnitModel::absorb() {
  if (!absorbing_) return false;
  const std::size_t left = message_.words.size() - absorbed_;
  if (left != 0) {
    // L2 always goes on, so this is no wait for anybody's turn (E6).
    if (first_reads_.size() >= config_.l2_queue) return false;
    const std::size_t count = std::min<std::size_t>(left, config_.gathered_words);
    const bool log =
        message_.kind == UnitMessage::Kind::kReadLog || message_.kind == UnitMessage::Kind::kWriteLog;
    if (!rules_.never_blocks && log && counters_.buffers >= config_.set_buffers) {
      const LogWord& word = message_.words[absorbed_];
      const Row& row = row_of(message_.group, word.lane);
      const bool write = message_.kind == UnitMessage::Kind::kWriteLog;
      if ((write ? row.write_count : row.read_count)[word.lane] == 0) return false;
    }
    take_words(count);
    if (absorbed_ != message_.words.size()) return true;
  }
  take_end();
  return true;
}

// ---- hazard detection

void CommitUnitModel::look_up(Row& row, const LogWord& word) {
  const std::optional<Cid> writer = history_.lookup(word.address / kWordBytes, window(row));
  const Cid since = rules_.hazard_against_rcid ? row.rcid : retire_;
  if (!writer || *writer < since) return;
  if (!has(row.hazard, word.lane)) ++counters_.hazards;
  row.hazard |= lane_bit(word.lane);
  if (*writer >= row.ycid) row.hazard_word = word.address;
  row.ycid = std::max(row.ycid, *writer);
}

void CommitUnitModel::insert(Row& row, const LogWord& word) {
  const Cid cid = row.group.cid_of(word.lane);
  // Earlier words of its own row are somebody's: the window ends behind it.
  history_.insert(word.address / kWordBytes, cid,
                  {window(row).base(), rules_.window_ends_here ? row.first + row.count : youngest_,
                   config_.stored_bits()},
                  retire_);
}

bool CommitUnitModel::resent(Row& row, Stage stage, LaneMask lanes, bool& happened) {
  if (row.resent || lanes.none()) {
    row.resent = false;  // the next stage asks for itself
    return true;
  }
  if (!resend_.active) {
    resend_ = {true, &row, stage, lanes};
    const bool writes = stage == Stage::kHazardWrites || stage == Stage::kCommit;
    to_cores_.push_back(
        {writes ? CoreMessage::Kind::kResendWrites : CoreMessage::Kind::kResendReads, row.group, lanes, {}});
    ++counters_.resends;
    happened = true;
  }
  return false;
}

bool CommitUnitModel::hazard_stage() {
  bool happened = false;
  pass_over(hazard_, youngest_, happened);
  Row* const at = row(hazard_);
  if (at == nullptr || hazard_ >= youngest_ || !at->complete) return happened;
  Row& r = *at;
  ++counters_.hazard_clocks;
  if (!rules_.two_passes) {
    r.lanes.for_each([&](unsigned lane) {
      Row alone = r;
      alone.first = r.group.cid_of(lane);
      for (const LogWord& word : r.reads)
        if (word.lane == lane) look_up(alone, word);
      r.hazard |= alone.hazard;
      r.ycid = std::max(r.ycid, alone.ycid);
      for (const LogWord& word : r.writes)
        if (word.lane == lane) insert(r, word);
    });
    r.next = r.reads.size() + r.writes.size();
  }
  if (!look_for_hazards(r, happened)) return happened;
  r.next = 0;
  hazard_ += r.count;
  while (!begun_.empty() && begun_.front().second < hazard_) begun_.pop_front();
  return true;
}

/// As many words of a row as a clock allows: reads, then writes (E1). Whether that was all.
bool CommitUnitModel::look_for_hazards(Row& r, bool& happened) {
  const LaneMask failed = rules_.failure_is_final ? r.failed : LaneMask{};
  const std::size_t words = r.reads.size() + r.writes.size();
  const LaneMask reads_again = LaneMask::difference(r.read_overflow, failed);
  const LaneMask writes_again = LaneMask::difference(r.write_overflow, failed);
  std::uint32_t budget = config_.hazard_words;
  if (comes_again(r)) return false;
  while (true) {
    if (r.next == r.reads.size() && !r.reads_looked_up) {
      if (!resent(r, Stage::kHazardReads, reads_again, happened)) return false;
      r.reads_looked_up = true;
    }
    if (r.next == words) break;
    if (budget-- == 0) return false;
    happened = true;
    const bool read = r.next < r.reads.size();
    const LogWord& word = read ? r.reads[r.next] : r.writes[r.next - r.reads.size()];
    ++r.next;
    if (has((read ? r.read_overflow : r.write_overflow) | failed, word.lane)) continue;
    if (read)
      look_up(r, word);
    else
      insert(r, word);
  }
  return resent(r, Stage::kHazardWrites, writes_again, happened);
}

// ---- validation

std::size_t CommitUnitModel::gather(const std::vector<LogWord>& words, std::size_t from) const {
  if (!config_.by_warp) return 1;
  std::size_t to = from;
  while (to < words.size() && words[to].row == words[from].row) ++to;
  return to - from;
}

void CommitUnitModel::access(Row& row, const LogWord* words, std::size_t count, LaneMask lanes, bool write,
                             bool again) {
  std::array<std::uint32_t, base::kLanes> made{};
  std::size_t made_count = 0;
  auto& queue = write ? writes_ : again ? second_reads_ : first_reads_;
  const std::size_t queued = queue.size();
  for (std::size_t i = 0; i < count; ++i) {
    const LogWord& word = words[i];
    if (!has(lanes, word.lane)) continue;
    const std::uint64_t block = word.address / config_.access_bytes * config_.access_bytes;
    const auto index = static_cast<std::uint8_t>((word.address - block) / kWordBytes);
    std::size_t found = 0;
    while (found < made_count && accesses_[made[found]].block != block) ++found;
    if (found == made_count) {
      if (free_accesses_.empty()) {
        free_accesses_.push_back(static_cast<std::uint32_t>(accesses_.size()));
        accesses_.emplace_back();
      }
      const std::uint32_t tag = free_accesses_.back();
      free_accesses_.pop_back();
      Access& access = accesses_[tag];
      access.row = &row;
      access.write = write;
      access.again = again;
      access.block = block;
      access.words.clear();
      L2Request request;
      request.write = write;
      request.block = block;
      request.tag = tag;
      queue.push_back(request);
      made[made_count++] = tag;
      ++(write ? row.writing : row.reading);
      ++(write ? counters_.writes : again ? counters_.second_reads : counters_.speculative_reads);
    }
    accesses_[made[found]].words.push_back({word.lane, index, word.value});
    L2Request& request = queue[queued + found];
    request.words |= 1u << index;
    if (write) {
      request.cid = std::max(request.cid, row.group.cid_of(word.lane));
      request.values[index] = word.value;
      request.bytes[index] = word.bytes;
    }
    if (observer_ != nullptr) {
      const Cid cid = row.group.cid_of(word.lane);
      if (write)
        observer_->write_issued(cid, word.address);
      else
        observer_->read_issued(cid, word.address, again);
    }
  }
}

const CommitUnitModel::L2Request* CommitUnitModel::l2_request() const {
  if (!writes_.empty()) return &writes_.front();
  if (!second_reads_.empty()) return &second_reads_.front();
  return first_reads_.empty() ? nullptr : &first_reads_.front();
}

void CommitUnitModel::l2_sent() {
  auto& queue = !writes_.empty() ? writes_ : !second_reads_.empty() ? second_reads_ : first_reads_;
  queue.pop_front();
}

void CommitUnitModel::returned(std::uint32_t tag, const std::uint32_t* block) {
  Access& access = accesses_[tag];
  Row& row = *access.row;
  for (const Access::Word& word : access.words) {
    if (block[word.index] != word.value) fails(row, word.lane, access.block + word.index * kWordBytes, access.again);
    if (observer_ != nullptr)
      observer_->read_returned(row.group.cid_of(word.lane), access.block + word.index * kWordBytes);
  }
  --row.reading;
  free_accesses_.push_back(tag);
}

void CommitUnitModel::fails(Row& row, unsigned lane, std::uint64_t word, bool again) {
  if (has(row.failed, lane)) return;
  row.failed |= lane_bit(lane);
  const Cid writer = again ? row.ycid : history_.lookup(word / kWordBytes, window(row)).value_or(0);
  failures_[std::uint64_t{row.group.core} << 32 | row.group.warp] = {row.group.cid_of(lane), writer, word};
}

const CommitUnitModel::Failure* CommitUnitModel::last_failure(std::uint32_t core, std::uint32_t warp) const {
  const auto known = failures_.find(std::uint64_t{core} << 32 | warp);
  return known == failures_.end() ? nullptr : &known->second;
}

const CommitGroup* CommitUnitModel::group_of(Cid cid) const {
  for (Cid first = cid; first >= retire_ && first + base::kLanes > cid; --first)
    if (const Row* const live = row(first)) return &live->group;
  const auto known = std::find_if(retired_.rbegin(), retired_.rend(), [cid](const CommitGroup& group) {
    return cid >= group.base && cid < group.end();
  });
  return known == retired_.rend() ? nullptr : &*known;
}

void CommitUnitModel::ordered(std::uint32_t tag) {
  --accesses_[tag].row->writing;
  free_accesses_.push_back(tag);
}

bool CommitUnitModel::wait_stage() {
  bool happened = false;
  pass_over(wait_, hazard_, happened);
  if (wait_ >= hazard_) return happened;
  Row& r = *row(wait_);
  if (comes_again(r) || (r.next == 0 && r.reading != 0))
    return happened;  // speculative reads are on their way
  LaneMask again = r.hazard;
  if (rules_.failure_is_final) {
    again = LaneMask::difference(again, r.failed);
  } else if (r.next == 0) {
    // As published: the second result replaces the first, though the buffers of what has failed are free.
    std::erase_if(r.reads, [&](const LogWord& word) { return has(r.failed & r.hazard, word.lane); });
    r.failed = LaneMask::difference(r.failed, r.hazard);
  }
  if (again.any() && rules_.revalidates) {
    if (retire_ <= r.ycid) return happened;
    const LaneMask stored = LaneMask::difference(again, r.read_overflow);
    while (r.next < r.reads.size()) {
      if (!has(stored, r.reads[r.next].lane)) {
        ++r.next;
        continue;
      }
      const std::size_t count = gather(r.reads, r.next);
      const auto clocks =
          static_cast<std::uint32_t>((count + config_.gathered_words - 1) / config_.gathered_words);
      if (++gathering_again_ < clocks) return true;
      gathering_again_ = 0;
      access(r, &r.reads[r.next], count, stored, false, true);
      r.next += count;
      if (r.next < r.reads.size()) return true;
    }
    r.next = r.reads.size() + 1;  // what comes back from L2 is of the second reads
    if (!resent(r, Stage::kRevalidate, again & r.read_overflow, happened)) return happened;
  }
  r.resent = false;
  r.next = 0;
  wait_ += r.count;
  return true;
}

bool CommitUnitModel::outcome_stage() {
  bool happened = false;
  pass_over(outcome_, wait_, happened);
  if (outcome_ >= wait_) return happened;
  Row& r = *row(outcome_);
  if (r.reading != 0) return happened;
  const LaneMask pass = LaneMask::difference(r.touched, r.failed);
  to_cores_.push_back({CoreMessage::Kind::kLocalOutcome, r.group, r.touched, pass});
  counters_.failed += (r.touched & r.failed).count();
  counters_.second_chances += (r.hazard & pass).count();
  if (observer_ != nullptr)
    r.touched.for_each([&](unsigned lane) { observer_->outcome_sent(r.group.cid_of(lane)); });
  if (config_.buffer_scheme == BufferScheme::kNeeded) {
    // Reads are not needed any more, and nothing is of those that have failed.
    const std::uint32_t writes = (pass & r.touched).any() && !r.writes.empty() ? std::min(r.buffers, 1u) : 0;
    counters_.buffers -= r.buffers - writes;
    r.buffers = writes;
  }
  outcome_ += r.count;
  return true;
}

// ---- commit

bool CommitUnitModel::final_stage() {
  bool happened = false;
  pass_over(final_, outcome_, happened);
  if (final_ >= outcome_) return happened;
  const Row& r = *row(final_);
  if ((r.finals & r.touched) != r.touched) return happened;
  final_ += r.count;
  return true;
}

bool CommitUnitModel::commit_stage() {
  bool happened = false;
  pass_over(commit_, final_, happened);
  if (commit_ >= final_) return happened;
  Row& r = *row(commit_);
  if (comes_again(r)) return happened;
  const LaneMask stored = LaneMask::difference(r.passes, r.write_overflow);
  while (r.next < r.writes.size()) {
    if (!has(stored, r.writes[r.next].lane)) {
      ++r.next;
      continue;
    }
    const std::size_t count = gather(r.writes, r.next);
    const auto clocks =
        static_cast<std::uint32_t>((count + config_.gathered_words - 1) / config_.gathered_words);
    if (++gathering_ < clocks) return true;
    gathering_ = 0;
    access(r, &r.writes[r.next], count, stored, true, false);
    r.next += count;
    if (r.next < r.writes.size()) return true;
  }
  if (!resent(r, Stage::kCommit, r.passes & r.write_overflow, happened)) return happened;
  r.next = 0;
  commit_ += r.count;
  return true;
}

bool CommitUnitModel::retire_stage() {
  bool happened = false;
  bool stepped = false;
  while (retire_ < commit_) {
    Row& r = *rows_.front();
    if (!r.skip()) {
      if (stepped || r.writing != 0) return happened;
      stepped = true;
      if (retired_.empty() || retired_.back().base != r.group.base) retired_.push_back(r.group);
      if (retired_.size() > kRemembered) retired_.pop_front();
      to_cores_.push_back({CoreMessage::Kind::kDone, r.group, r.touched, r.passes});
      if (observer_ != nullptr)
        r.touched.for_each([&](unsigned lane) { observer_->retired(r.group.cid_of(lane)); });
    }
    rows_.erase(rows_.begin(), rows_.begin() + r.count);
    retire_ += r.count;
    free_row(r);
    happened = true;
  }
  return happened;
}

bool CommitUnitModel::clock(Cycle /*now*/) {
  bool happened = retire_stage();
  happened |= commit_stage();
  happened |= final_stage();
  happened |= outcome_stage();
  happened |= wait_stage();
  happened |= hazard_stage();
  happened |= absorb();
  return happened;
}

std::optional<CommitUnitModel::Conflict> CommitUnitModel::conflict() const {
  if (wait_ >= hazard_) return std::nullopt;
  const Row* const r = row(wait_);
  if (r == nullptr || r->hazard.none() || retire_ > r->ycid) return std::nullopt;
  return Conflict{r->first, r->ycid, r->hazard_word};
}

std::string CommitUnitModel::describe() const {
  return fmt::format(
      "commit unit: oldest entry {}, youngest {}; stages retire {}, commit {}, final {}, outcome {}, wait "
      "{}, hazard {}",
      retire_, youngest_ - 1, retire_, commit_, final_, outcome_, wait_, hazard_);
}

}  // namespace heddle::tm
