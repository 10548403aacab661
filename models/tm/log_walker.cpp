#include "tm/log_walker.h"

#include <algorithm>

namespace heddle::tm {

LogWalker::LogWalker(TransactionLog& log, CoreSignals& signals, Reader& reader, bool two_phases)
    : log_(log), signals_(signals), reader_(reader), two_phases_(two_phases) {
  for (std::uint32_t slot = 0; slot < kLaneWindow; ++slot) free_.push_back(slot);
}

void LogWalker::add_next(const LogWalk& walk) { walks_.insert(walks_.begin() + (under_way() ? 1 : 0), walk); }

LogWalker::Place LogWalker::place_of(const LogWalk& walk, std::uint32_t index) const {
  const std::uint32_t read_rows = log_.rows(walk.warp, false), write_rows = log_.rows(walk.warp, true);
  if (walk.by_lane) {
    for (unsigned lane = 0; lane < base::kLanes; ++lane) {
      const std::uint32_t reads = walk.lanes.test(lane) ? read_rows : 0;
      const std::uint32_t writes = walk.writers.test(lane) ? write_rows : 0;
      if (index < reads) return {false, index, lane};
      if (index < reads + writes) return {true, index - reads, lane};
      index -= reads + writes;
    }
  }
  if (walk.why == LogWalk::Why::kAgain) return {walk.writes_only, index};
  if (walk.why == LogWalk::Why::kResolve) {
    if (index < write_rows) return {true, index};
    index -= write_rows;
  }
  return {index >= read_rows, index >= read_rows ? index - read_rows : index};
}

std::uint32_t LogWalker::rows_of(const LogWalk& walk) const {
  const std::uint32_t read_rows = log_.rows(walk.warp, false), write_rows = log_.rows(walk.warp, true);
  if (walk.by_lane) return walk.lanes.count() * read_rows + walk.writers.count() * write_rows;
  switch (walk.why) {
    case LogWalk::Why::kValidate:
      return read_rows;
    case LogWalk::Why::kAgain:
      return walk.writes_only ? write_rows : read_rows;
    case LogWalk::Why::kResolve:
      return read_rows + (two_phases_ ? 2 : 1) * write_rows;
    case LogWalk::Why::kTransfer:
      break;
  }
  return read_rows + write_rows;
}

void LogWalker::tick() {
  const LogWalk& walk = walks_.front();
  const std::uint32_t rows = rows_of(walk);
  const std::size_t window = walk.by_lane ? kLaneWindow : kWindow;
  if (!under_way()) reader_.begins(walk);
  while (next_ < rows && order_.size() < window) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    const Place place = place_of(walk, next_++);
    Row& row = window_[slot];
    row.write = place.write;
    row.row = place.row;
    row.lane = place.lane;
    row.missing = walk.why == LogWalk::Why::kResolve ? 1 : 2;
    log_.read(*this, slot, walk.warp, row.write, row.row, LogHalf::kAddresses);
    if (row.missing == 2) log_.read(*this, slot, walk.warp, row.write, row.row, LogHalf::kValues);
    order_.push_back(slot);
  }
  while (!order_.empty() && window_[order_.front()].missing == 0) {
    const std::uint32_t slot = order_.front();
    order_.pop_front();
    free_.push_back(slot);
    reader_.takes(walk, window_[slot]);
  }
  if (next_ != rows || !order_.empty()) return;
  const LogWalk over = walk;
  walks_.pop_front();
  next_ = 0;
  reader_.ends(over);
}

void LogWalker::loaded(std::uint32_t tag, LogHalf half, std::span<const std::uint32_t> words) {
  Row& row = window_[tag];
  std::ranges::copy(words, (half == LogHalf::kAddresses ? row.addresses : row.values).begin());
  --row.missing;
  signals_.wake();
}

}  // namespace heddle::tm
