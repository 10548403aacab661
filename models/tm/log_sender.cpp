#include "tm/log_sender.h"

#include <algorithm>
#include <utility>

namespace heddle::tm {

void LogSender::begin() {
  touched_.assign(map_.partitions(), LaneMask{});
  reads_.assign(map_.partitions(), 0);
  writes_.assign(map_.partitions(), 0);
}

LogWord LogSender::word_of_row(const LogWalker::Row& row, unsigned lane, WarpId id) const {
  const std::uint64_t address = device_address(row.addresses[lane]);
  LogWord word;
  word.address = word_of(address);
  word.value = row.values[lane];
  word.row = static_cast<std::uint16_t>(row.row);
  word.lane = static_cast<std::uint8_t>(lane);
  if (row.write)
    word.bytes =
        static_cast<std::uint8_t>(((1u << log_.bytes_of(id, row.row)) - 1u) << (address % kWordBytes));
  return word;
}

void LogSender::send(const LogWalk& walk, const LogWalker::Row& row, const Source& source) {
  if (walk.by_lane) return send_lane(walk, row, source);
  LaneMask lanes = walk.lanes;
  if (row.write) lanes = LaneMask::difference(lanes, source.faulted);
  std::vector<std::pair<std::uint32_t, UnitMessage>> messages;
  lanes.for_each([&](unsigned lane) {
    if (row.addresses[lane] == kVoidAddress) return;
    const LogWord word = word_of_row(row, lane, walk.warp);
    const std::uint32_t partition = map_.partition(word.address).value();
    if (walk.why == LogWalk::Why::kAgain && partition != walk.partition) return;
    const auto known = std::ranges::find(messages, partition, &std::pair<std::uint32_t, UnitMessage>::first);
    UnitMessage& message =
        known != messages.end() ? known->second : messages.emplace_back(partition, UnitMessage{}).second;
    message.words.push_back(word);
    touched_[partition] |= lane_bit(lane);
    ++(row.write ? writes_ : reads_)[partition];
  });
  for (auto& [partition, message] : messages) {
    message.kind = walk.why == LogWalk::Why::kAgain ? UnitMessage::Kind::kResentRow
                   : row.write                      ? UnitMessage::Kind::kWriteLog
                                                    : UnitMessage::Kind::kReadLog;
    message.group = source.group;
    port_.send(partition, std::move(message));
  }
}

/// Of a set that a commit unit had no room for: the word of its lane, a few in a message.
void LogSender::send_lane(const LogWalk& walk, const LogWalker::Row& row, const Source& source) {
  constexpr std::size_t kWordsOfAMessage = 8;
  if (row.addresses[row.lane] != kVoidAddress && !(row.write && source.faulted.test(row.lane))) {
    const LogWord word = word_of_row(row, row.lane, walk.warp);
    if (map_.partition(word.address).value() == walk.partition) again_.words.push_back(word);
  }
  const bool last = row.row + 1 == log_.rows(walk.warp, row.write);
  if (!last && again_.words.size() < kWordsOfAMessage) return;
  again_.kind = UnitMessage::Kind::kResentRow;
  again_.group = source.group;
  again_.touched = lane_bit(row.lane);
  again_.writes = row.write;
  again_.last = last;
  port_.send(walk.partition, std::exchange(again_, {}));
}

const std::vector<LaneMask>& LogSender::done(const CommitGroup& group) {
  for (std::uint32_t p = 0; p < map_.partitions(); ++p) {
    UnitMessage end;
    end.kind = UnitMessage::Kind::kDoneFill;
    end.group = group;
    end.touched = touched_[p];
    end.read_words = reads_[p];
    end.write_words = writes_[p];
    port_.send(p, std::move(end));
  }
  return touched_;
}

void LogSender::done_again(const LogWalk& walk, const CommitGroup& group) {
  UnitMessage end;
  end.kind = UnitMessage::Kind::kResentRow;
  end.group = group;
  end.last = true;
  port_.send(walk.partition, std::move(end));
}

}  // namespace heddle::tm
