#include "tm/hazard_detection.h"

#include <algorithm>

#include "tm/comparison/bf_array.h"

namespace heddle::tm {

std::unique_ptr<EventPort<HazardEvent>> make_hazard_model(const CommitUnitConfig& config,
                                                          EventPort<HistoryEvent>* history) {
  if (!has_history(config)) return std::make_unique<BfArray>(config);
  return std::make_unique<HazardDetection>(*history);
}

HazardBlock::HazardBlock(const sc_core::sc_module_name& name, const CommitUnitConfig& config)
    : sc_module(name),
      history_port(has_history(config) ? std::make_unique<EventSocket<HistoryEvent>>("history_isock")
                                       : nullptr),
      model_(make_hazard_model(config, history_port.get())) {}

Cid HazardWindow::base(Cid retired) const {
  // RCIDs are given in ascending order of time: the first that has not passed has the oldest.
  const auto oldest =
      std::ranges::find_if(begun_, [this](const auto& begun) { return begun.second >= passed_; });
  return oldest == begun_.end() ? retired : oldest->first;
}

HistoryEvent HazardDetection::history_event(HistoryEvent::Op op, const HazardEvent& event, Cid end) const {
  return {.op = op, .word = event.word, .base = window_.base(event.retired), .end = end};
}

void HazardDetection::serve(HazardEvent& event) {
  switch (event.op) {
    case HazardEvent::Op::kBegin:
      window_.begin(event.since, event.row);
      break;
    case HazardEvent::Op::kLookUp:
    case HazardEvent::Op::kExplain: {
      HistoryEvent look = history_event(
          event.op == HazardEvent::Op::kLookUp ? HistoryEvent::Op::kLookUp : HistoryEvent::Op::kExplain,
          event, event.row);
      history_.serve(look);
      event.writer = look.writer;
      if (event.writer && *event.writer < event.since) event.writer.reset();
      break;
    }
    case HazardEvent::Op::kReadsEnd:
      break;
    case HazardEvent::Op::kInsert: {
      // Earlier words of its own row are somebody's: the window ends behind it.
      HistoryEvent insert = history_event(HistoryEvent::Op::kInsert, event, event.row + event.count);
      insert.cid = *event.writer;
      history_.serve(insert);
      break;
    }
    case HazardEvent::Op::kPass:
      window_.pass(event.row);
      break;
  }
}

}  // namespace heddle::tm
