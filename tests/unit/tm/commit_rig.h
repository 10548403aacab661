// Commit units' models with a memory and messages that a test gives by hand: for goldens.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "tm/commit_checker.h"
#include "tm/commit_unit_model.h"

namespace heddle::tm::testing {

inline CommitUnitConfig small_config() {
  CommitUnitConfig config;
  config.ring_entries = 256;
  config.set_buffers = 0;
  return config;
}

/// A transaction of one thread, as one unit sees it.
struct Log {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> reads, writes;  ///< address, value
};

class CommitRig {
 public:
  explicit CommitRig(const CommitUnitConfig& config = small_config(), const CommitBlocks* blocks = nullptr)
      : checker_(1),
        model(blocks != nullptr ? CommitUnitModel(config, *blocks) : CommitUnitModel(config)),
        config_(config),
        observer_(checker_.of_unit(0)) {
    model.observe(observer_.get());
  }

  static CommitGroup group(Cid cid) { return {cid, LaneMask(1), static_cast<std::uint32_t>(cid), 0, 0}; }
  /// Ids up to `cid`, which concern other partitions.
  void skip_to(Cid cid) {
    for (Cid i = model.retire_pointer(); i < cid; ++i) done_fill(i, {});
    settle();
  }
  void reads(Cid cid, const Log& log) { words(cid, UnitMessage::Kind::kReadLog, log.reads); }
  void writes(Cid cid, const Log& log) { words(cid, UnitMessage::Kind::kWriteLog, log.writes); }
  void done_fill(Cid cid, const Log& log) {
    UnitMessage message;
    message.kind = UnitMessage::Kind::kDoneFill;
    message.group = group(cid);
    if (!log.reads.empty() || !log.writes.empty()) message.touched = LaneMask(1);
    message.read_words = static_cast<std::uint32_t>(log.reads.size());
    message.write_words = static_cast<std::uint32_t>(log.writes.size());
    give(message);
  }
  void transfer(Cid cid, const Log& log) {
    reads(cid, log);
    writes(cid, log);
    done_fill(cid, log);
  }
  void final(Cid cid, bool pass) {
    UnitMessage message;
    message.kind = UnitMessage::Kind::kFinal;
    message.group = group(cid);
    message.touched = LaneMask(1);
    message.pass = LaneMask(pass ? 1u : 0u);
    give(message);
  }
  /// Clocks until nothing moves.
  void settle() {
    unsigned still = 0;
    while (still < 4) still = clock() ? 0 : still + 1;
  }
  bool clock() {
    bool moved = false;
    if (!to_unit_.empty() && model.can_accept()) {
      model.accept(to_unit_.front());
      to_unit_.pop_front();
      moved = true;
    }
    moved |= model.clock(++now_);
    while (const CommitUnitModel::L2Request* const request = model.l2_request()) {
      const CommitUnitModel::L2Request served = *request;
      model.l2_sent();
      serve(served);
      moved = true;
    }
    while (const CoreMessage* const message = model.message()) {
      if (message->kind == CoreMessage::Kind::kLocalOutcome)
        outcome[message->group.base] = message->pass.any();
      if (message->kind == CoreMessage::Kind::kDone) done.push_back(message->group.base);
      model.message_sent();
      moved = true;
    }
    return moved;
  }

 private:
  CommitChecker checker_;

 public:
  CommitUnitModel model;
  std::map<std::uint64_t, std::uint32_t> memory;
  std::map<Cid, bool> outcome;  ///< local ones that have been sent
  std::vector<Cid> done;
  bool queues = false;      ///< messages wait for clock()
  bool hold_reads = false;  ///< L2 does not answer them yet
  void release_reads() {
    hold_reads = false;
    for (const CommitUnitModel::L2Request& request : held_) serve(request);
    held_.clear();
    settle();
  }

 private:
  void give(const UnitMessage& message) {
    to_unit_.push_back(message);
    if (!queues) settle();
  }
  void words(Cid cid, UnitMessage::Kind kind,
             const std::vector<std::pair<std::uint64_t, std::uint32_t>>& log) {
    for (std::size_t i = 0; i < log.size(); ++i) {
      UnitMessage message;
      message.kind = kind;
      message.group = group(cid);
      message.words.push_back({log[i].first, log[i].second, static_cast<std::uint16_t>(i), 0, 0xf});
      give(message);
    }
  }
  void serve(const CommitUnitModel::L2Request& request) {
    if (hold_reads && !request.write) return held_.push_back(request);
    std::array<std::uint32_t, CommitUnitModel::kMostBlockWords> block{};
    for (unsigned w = 0; w < config_.access_bytes / 4; ++w) {
      std::uint32_t& word = memory[request.block + w * 4];
      if (request.write && (request.words >> w & 1u) != 0) word = request.values[w];
      block[w] = word;
    }
    if (request.write)
      model.ordered(request.tag);
    else
      model.returned(request.tag, block.data());
  }

  CommitUnitConfig config_;
  std::unique_ptr<CommitObserver> observer_;
  std::deque<UnitMessage> to_unit_;
  std::vector<CommitUnitModel::L2Request> held_;
  base::Cycle now_ = 0;
};

}  // namespace heddle::tm::testing
