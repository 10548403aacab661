#include "determinism/log_accesses.h"

#include <utility>

namespace heddle::determinism {

LogAccesses::LogAccesses(LogCost cost, base::StatGroup& stats, Answered answered,
                         std::function<void()> displaced)
    : cost_(cost),
      traffic_("traffic", stats),
      answered_(std::move(answered)),
      displaced_(std::move(displaced)) {
  traffic_.answer_isock.bind(answer_tsock_);
}

bool LogAccesses::offer(base::Cycle cycle) {
  if (cost_ == LogCost::kNone) return answer_for_nothing();
  if (waiting_.empty()) return false;
  const LogAccess& access = waiting_.front();
  const std::uint32_t tag = on_their_way_.next();
  const bool taken =
      access.purpose == LogAccess::Purpose::kAppend
          ? traffic_.store(access.warp, access.address, {access.data.data(), access.words}, tag, cycle)
          : traffic_.load(access.warp, access.address, access.words, tag, cycle);
  if (!taken) return false;
  on_their_way_.put(access);
  waiting_.pop_front();
  return true;
}

/// Those that follow from them, too.
bool LogAccesses::answer_for_nothing() {
  const bool any = !waiting_.empty();
  while (!waiting_.empty()) {
    const LogAccess access = waiting_.front();
    waiting_.pop_front();
    if (access.purpose == LogAccess::Purpose::kAppend)
      shadow_.store(access.address, {access.data.data(), access.words});
    answered_(access, shadow_.load(access.address, access.words));
  }
  return any;
}

void LogAccesses::take(warp_log::LogAnswer& answer) {
  if (answer.displaced_line) return displaced_();
  const LogAccess access = on_their_way_.take(static_cast<std::uint32_t>(answer.tag));
  answered_(access, answer.words);
}

}  // namespace heddle::determinism
