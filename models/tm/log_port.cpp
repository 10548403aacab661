#include "tm/log_port.h"

namespace heddle::tm {

LogPort::LogPort(base::StatGroup& stats, CoreSignals& signals)
    : signals_(signals), traffic_("traffic", stats.child("log_traffic", "accesses to logs")) {
  traffic_.answer_isock.bind(log_answer_tsock_);
}

void LogPort::tick(Cycle cycle) {
  if (waiting_.empty()) return;
  const Access& access = waiting_.front();
  const std::uint32_t tag = under_way_.next();
  const bool taken = access.store ? traffic_.store(access.warp, access.address,
                                                   {access.line.data(), access.line.size()}, tag, cycle)
                                  : traffic_.load(access.warp, access.address, base::kLanes, tag, cycle);
  if (!taken) return;
  signals_.again();
  under_way_.put(access);
  waiting_.pop_front();
}

void LogPort::take(warp_log::LogAnswer& answer) {
  if (answer.displaced_line) return;
  const Access access = under_way_.take(static_cast<std::uint32_t>(answer.tag));
  if (access.store)
    access.client->stored(access.tag);
  else
    access.client->loaded(access.tag, access.half, answer.words);
}

}  // namespace heddle::tm
