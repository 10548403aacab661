#include "tm/commit_accesses.h"

#include <algorithm>

#include "tm/tx_log.h"

namespace heddle::tm {

const CommitAccesses::Request* CommitAccesses::next() const {
  for (const Kind kind : {Kind::kWrite, Kind::kSecondRead, Kind::kRead})
    if (!queue(kind).empty()) return &queue(kind).front();
  return nullptr;
}

void CommitAccesses::sent() {
  for (const Kind kind : {Kind::kWrite, Kind::kSecondRead, Kind::kRead})
    if (!queue(kind).empty()) return queue(kind).pop_front();
}

std::uint32_t CommitAccesses::begin(CommitRow& row, std::uint64_t block, Kind kind) {
  if (free_accesses_.empty()) {
    free_accesses_.push_back(static_cast<std::uint32_t>(accesses_.size()));
    accesses_.emplace_back();
  }
  const std::uint32_t tag = free_accesses_.back();
  free_accesses_.pop_back();
  Access& access = accesses_[tag];
  access.row = &row;
  access.kind = kind;
  access.block = block;
  access.words.clear();
  const bool write = kind == Kind::kWrite;
  queue(kind).push_back({.write = write, .block = block, .tag = tag});
  ++(write ? row.writing : row.reading);
  ++(write                       ? counters_.writes
     : kind == Kind::kSecondRead ? counters_.second_reads
                                 : counters_.speculative_reads);
  return tag;
}

void CommitAccesses::add(CommitRow& row, const LogWord* words, std::size_t count, LaneMask lanes, Kind kind) {
  std::array<std::uint32_t, base::kLanes> made{};
  std::size_t made_count = 0;
  const std::size_t queued = queue(kind).size();
  for (std::size_t i = 0; i < count; ++i) {
    const LogWord& word = words[i];
    if (!lanes.test(word.lane)) continue;
    const std::uint64_t block = word.address / config_.access_bytes * config_.access_bytes;
    const auto index = static_cast<std::uint8_t>((word.address - block) / kWordBytes);
    std::size_t found = 0;
    while (found < made_count && accesses_[made[found]].block != block) ++found;
    if (found == made_count) made[made_count++] = begin(row, block, kind);
    accesses_[made[found]].words.push_back({word.lane, index, word.value});
    Request& request = queue(kind)[queued + found];
    request.words |= 1u << index;
    const Cid cid = row.group.cid_of(word.lane);
    if (kind == Kind::kWrite) {
      request.cid = std::max(request.cid, cid);
      request.values[index] = word.value;
      request.bytes[index] = word.bytes;
    }
    if (observer_ == nullptr) continue;
    if (kind == Kind::kWrite)
      observer_->write_issued(cid, word.address);
    else
      observer_->read_issued(cid, word.address, kind == Kind::kSecondRead);
  }
}

void CommitAccesses::ends(std::uint32_t tag) {
  const Access& access = accesses_[tag];
  --(access.kind == Kind::kWrite ? access.row->writing : access.row->reading);
  free_accesses_.push_back(tag);
}

}  // namespace heddle::tm
