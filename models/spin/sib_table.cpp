#include "spin/sib_table.h"

#include <algorithm>

#include "sim/twin_difference.h"

namespace heddle::spin {

SibCounts::SibCounts(base::StatGroup& stats) {
  stats.counter("look_ups", "backward branches", "taken by a warp and looked up", &look_ups);
  stats.counter("hits", "backward branches", "predicted to be spin-inducing", &hits);
  stats.counter("confirmed", "branches", "whose confidence reached the threshold", &confirmed);
  stats.counter("full", "branches", "not entered, the table was full", &full);
  stats.counter("port_conflicts", "backward branches", "found the table's port taken (timing: contract)",
                &conflicts);
  stats.counter("port_wait_cycles", "core cycles", "until the port was free", &wait_cycles);
  stats.maximum("most_entries", "branches", "in the table at one time", &most);
}

SibTable::SibTable(const sc_core::sc_module_name& name, const SpinConfig& config, base::StatGroup& stats,
                   sim::Twins* twins)
    : sc_module(name),
      block_(config.sib_table.impl, twins, {config.ddos.table_entries, config.ddos.threshold}, this->name(),
             SibTableModel(config.ddos)),
      counts_(stats) {}

void SibTable::serve(SibRequest& request) {
  block_.serve(request);
  if (request.op != SibRequest::Op::kLookUp) return;
  request.known = request.cycle;
  ++counts_.look_ups;
  counts_.hits += request.predicted;
  counts_.confirmed += request.confirmed;
  counts_.full += request.full;
  counts_.most = std::max<std::uint64_t>(counts_.most, request.entries);
}

// ---- Beside its twin

SibTableBlock::Answer SibTableBlock::answer_of(const Request& request) {
  Answer answer{request.predicted, request.confirmed, request.full, request.entries, {}};
  if (request.op != Request::Op::kRead || !request.entry.valid) return answer;
  answer.entry = request.entry;
  if (answer.entry.predicted) answer.entry.confidence = 0;
  return answer;
}

namespace {

nlohmann::ordered_json show(const SibEntry& entry) {
  nlohmann::ordered_json json{{"pc", entry.pc.value()}};
  if (entry.predicted)
    json["predicted"] = true;
  else
    json["confidence"] = entry.confidence;
  return json;
}

}  // namespace

nlohmann::ordered_json SibTableBlock::show_request(const Request& request) {
  nlohmann::ordered_json json{{"op", Request::kOpNames[static_cast<unsigned>(request.op)]}};
  switch (request.op) {
    case Request::Op::kLookUp:
      json["pc"] = request.pc.value();
      json["spinning"] = request.spinning;
      break;
    case Request::Op::kFlush:
      break;
    case Request::Op::kRead:
      json["slot"] = request.slot;
      break;
    case Request::Op::kPost:
    case Request::Op::kStep:
    case Request::Op::kForget:
      break;  // of timing: contract
  }
  return json;
}

nlohmann::ordered_json SibTableBlock::show_answer(const Answer& answer) {
  nlohmann::ordered_json json{{"entries", answer.entries}};
  if (answer.predicted) json["predicted"] = true;
  if (answer.confirmed) json["confirmed"] = true;
  if (answer.full) json["full"] = true;
  if (answer.entry.valid) json["entry"] = show(answer.entry);
  return json;
}

nlohmann::ordered_json SibTableBlock::show_tables(const Request& /*of*/,
                                                  const std::function<void(Request&)>& inspect) {
  nlohmann::ordered_json table = nlohmann::ordered_json::array();
  Request request{.op = Request::Op::kRead};
  for (; request.slot < kMostSibEntries; ++request.slot) {
    inspect(request);
    if (table.size() == request.entries) break;
    if (request.entry.valid) table.push_back(show(request.entry));
  }
  return table;
}

}  // namespace heddle::spin

template void heddle::sim::Twinned<heddle::spin::SibTableBlock>::serve_both(heddle::spin::SibRequest&);
