#include "spin/sib_table.h"

#include <algorithm>

namespace heddle::spin {

SibTable::SibTable(const sc_core::sc_module_name& name, const DdosConfig& config, Timing timing,
                   base::StatGroup& stats)
    : sc_module(name), config_(config), timing_(timing) {
  stats.counter("look_ups", "backward branches", "taken by a warp and looked up", &look_ups_);
  stats.counter("hits", "backward branches", "predicted to be spin-inducing", &hits_);
  stats.counter("confirmed", "branches", "whose confidence reached the threshold", &confirmed_);
  stats.counter("full", "branches", "not entered, the table was full", &full_);
  stats.counter("port_conflicts", "backward branches", "found the table's port taken (timing: contract)",
                &conflicts_);
  stats.counter("port_wait_cycles", "core cycles", "until the port was free", &wait_cycles_);
  stats.maximum("most_entries", "branches", "in the table at one time", &most_);
}

void SibTable::serve(SibRequest& request) {
  if (request.op == SibRequest::Op::kFlush) {
    entries_.clear();
    return;
  }
  request.known = request.cycle;
  if (timing_ == Timing::kContract) {
    if (port_free_ > request.cycle) {
      ++conflicts_;
      if (config_.port_conflict == PortConflict::kDrop) {
        request.dropped = true;
        return;
      }
      wait_cycles_ += port_free_ - request.cycle;
    }
    const Cycle served = std::max(request.cycle, port_free_);
    port_free_ = served + 1;
    request.known = served + 1;
  }
  look_up(request);
}

void SibTable::look_up(SibRequest& request) {
  ++look_ups_;
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& each) { return each.pc == request.pc; });
  if (entry != entries_.end() && entry->predicted) {
    ++hits_;
    request.predicted = true;
  } else if (request.spinning) {
    learn(request);
  } else if (entry != entries_.end() && --entry->confidence == 0) {
    entries_.erase(entry);
  }
}

void SibTable::learn(SibRequest& request) {
  auto entry = std::find_if(entries_.begin(), entries_.end(),
                            [&](const Entry& each) { return each.pc == request.pc; });
  if (entry == entries_.end()) {
    if (entries_.size() == config_.table_entries) {
      ++full_;
      return;
    }
    entry = entries_.insert(entries_.end(), {request.pc, 0, false});
    most_ = std::max<std::uint64_t>(most_, entries_.size());
  }
  if (++entry->confidence < config_.threshold) return;
  entry->predicted = true;
  request.confirmed = true;
  ++confirmed_;
}

}  // namespace heddle::spin
