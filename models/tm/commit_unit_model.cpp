#include "tm/commit_unit_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "tm/tx_log.h"

namespace heddle::tm {

CommitUnitModel::CommitUnitModel(const CommitUnitConfig& config, const CommitRules& rules,
                                 HazardModel* hazards)
    : config_(config),
      rules_(rules),
      own_hazards_(hazards == nullptr ? make_hazard_model(config, hazard_rules(rules)) : nullptr),
      hazards_(hazards == nullptr ? *own_hazards_ : *hazards) {}

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
  HazardEvent event = hazard_event(HazardEvent::Op::kBegin, row, 0);
  event.since = retire_;
  hazards_.serve(event);
}

void CommitUnitModel::free_row(Row& row) {
  give_back_buffers(row);
  --begun_rows_;
  free_rows_.push_back(&row);
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

// ---- L2

const CommitUnitModel::L2Request* CommitUnitModel::l2_request() const {
  if (!writes_.empty()) return &writes_.front();
  if (!second_reads_.empty()) return &second_reads_.front();
  return first_reads_.empty() ? nullptr : &first_reads_.front();
}

void CommitUnitModel::l2_sent() {
  auto& queue = !writes_.empty() ? writes_ : !second_reads_.empty() ? second_reads_ : first_reads_;
  queue.pop_front();
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
    if (!stored.test(r.writes[r.next].lane)) {
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
