// A Z-buffer unit's model with a memory, a network and cores around it whose delays are random.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "blocks/determinism/commit_fold.h"
#include "determinism/z_buffer_model.h"

namespace heddle::determinism::testing {

using tb::LogEntry;
using tb::Memory;

struct RigDelays {
  std::uint64_t seed = 0;    ///< 0: no delays but the model's own
  unsigned most_accept = 0;  ///< clocks until L2 accepts
  unsigned most_fill = 8;    ///< from there to the depths
  unsigned stall_percent =
      0;  ///< clocks in which the network brings nothing, and in which it takes no answer
};

class Rig {
 public:
  explicit Rig(const ZBufferConfig& config, const RigDelays& delays = {})
      : model(config), waves_(config.request_entries), delays_(delays), random_(delays.seed) {}

  /// To arrive in this order, behind what was given before.
  void arrive(const LogEntry& entry) { arriving_.push_back(entry); }

  /// Until everything is acknowledged; false: nothing moves any more.
  bool run() {
    unsigned still = 0;
    while (!arriving_.empty() || model.entries_in_use() != 0 || model.resetting()) {
      still = clock() ? 0 : still + 1;
      if (still > 2000) return false;
    }
    return true;
  }
  /// The same for what no acknowledgement waits for: write-backs of depths.
  bool drain() {
    for (unsigned i = 0; i < 5000; ++i) {
      if (model.idle() && !link_) return true;
      clock();
    }
    return false;
  }

  /// What memory and Z-cache together hold.
  [[nodiscard]] DepthLine depths(std::uint64_t chunk) {
    const std::uint32_t line = model.cache().find(chunk);
    return line == ZCache::kNone ? memory.depth_line(chunk) : model.cache().depths(line);
  }

  ZBufferModel model;
  Memory memory;
  base::Cycle now = 0;
  std::vector<ByteMask> result_masks;  ///< of the colours that reached L2, in order
  std::vector<std::uint32_t> acks;     ///< wavefronts

 private:
  struct Filling {
    std::uint32_t entry = 0;
    DepthLine depths{};
    base::Cycle at = 0;
  };
  unsigned upto(unsigned most) {
    return delays_.seed == 0 ? most : static_cast<unsigned>(random_() % (most + 1));
  }
  bool stalled() { return random_() % 100 < delays_.stall_percent; }

  bool clock() {
    ++now;
    bool moved = false;
    if (!arriving_.empty() && model.can_accept() && !stalled()) {
      waves_[model.accept(arriving_.front().update, now)] = arriving_.front().wave;
      arriving_.pop_front();
      moved = true;
    }
    const auto filled =
        std::find_if(filling_.begin(), filling_.end(), [this](const Filling& f) { return f.at <= now; });
    if (filled != filling_.end()) {
      model.fill(filled->entry, filled->depths, now);
      filling_.erase(filled);
      moved = true;
    }
    moved |= model.clock(now);
    if (const ZBufferModel::L2Request* request = model.l2_request(now); request != nullptr && !link_) {
      link_ = *request;
      accept_at_ = now + upto(delays_.most_accept);
      model.l2_sent();
      moved = true;
    }
    if (link_ && accept_at_ <= now) {
      perform(*link_);
      link_.reset();
      moved = true;
    }
    if (!stalled())
      if (const auto entry = model.acknowledge(now)) {
        acks.push_back(waves_[*entry]);
        moved = true;
      }
    return moved || !filling_.empty() || link_;
  }

  void perform(const ZBufferModel::L2Request& request) {
    using Op = ZBufferModel::L2Request::Op;
    switch (request.op) {
      case Op::kDepthRead:
        filling_.push_back(
            {request.entry, memory.depth_line(request.chunk), now + 1 + upto(delays_.most_fill)});
        break;
      case Op::kDepthWrite:
        memory.depth_line(request.chunk) = request.depths;
        break;
      case Op::kColorWrite:
        memory.write(request.chunk, request.color, request.mask);
        result_masks.push_back(request.mask);
        model.accepted(request.entry, now);
        break;
    }
  }

  std::vector<std::uint32_t> waves_;  ///< by entry of the request buffer
  RigDelays delays_;
  std::mt19937_64 random_;
  std::deque<LogEntry> arriving_;
  std::vector<Filling> filling_;
  std::optional<ZBufferModel::L2Request> link_;
  base::Cycle accept_at_ = 0;
};

}  // namespace heddle::determinism::testing
