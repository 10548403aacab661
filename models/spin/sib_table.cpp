#include "spin/sib_table.h"

#include <algorithm>

#include "sim/twin_difference.h"

namespace heddle::spin {

void SibTableModel::serve(SibRequest& request) {
  switch (request.op) {
    case SibRequest::Op::kLookUp:
      look_up(request);
      break;
    case SibRequest::Op::kFlush:
      slots_.clear();
      used_ = 0;
      break;
    case SibRequest::Op::kRead:
      inspect(request);
      break;
  }
  request.entries = used_;
}

void SibTableModel::inspect(SibRequest& request) const {
  request.entry = request.slot < slots_.size() ? slots_[request.slot] : SibEntry{};
  request.entries = used_;
}

void SibTableModel::look_up(SibRequest& request) {
  SibEntry* entry = find(request.pc);
  if (entry != nullptr && entry->predicted) {
    request.predicted = true;
  } else if (request.spinning) {
    learn(entry, request);
  } else if (entry != nullptr && --entry->confidence == 0) {
    entry->valid = false;
    --used_;
  }
}

void SibTableModel::learn(SibEntry* entry, SibRequest& request) {
  if (entry == nullptr) {
    if (used_ == capacity_) {
      request.full = true;
      return;
    }
    entry = free_slot();
    *entry = {true, request.pc, 0, false};
    ++used_;
  }
  if (++entry->confidence < threshold_) return;
  entry->predicted = true;
  request.confirmed = true;
}

SibEntry* SibTableModel::find(Pc pc) {
  const auto found =
      std::find_if(slots_.begin(), slots_.end(), [&](const SibEntry& e) { return e.valid && e.pc == pc; });
  return found == slots_.end() ? nullptr : &*found;
}

SibEntry* SibTableModel::free_slot() {
  const auto free =
      std::find_if(slots_.begin(), slots_.end(), [](const SibEntry& entry) { return !entry.valid; });
  return free == slots_.end() ? &slots_.emplace_back() : &*free;
}

SibTable::SibTable(const sc_core::sc_module_name& name, const SpinConfig& config, base::StatGroup& stats,
                   sim::Twins* twins)
    : sc_module(name),
      block_(config.sib_table.impl, twins, {config.ddos.table_entries, config.ddos.threshold}, this->name(),
             SibTableModel(config.ddos)),
      timing_(config.timing),
      port_conflict_(config.ddos.port_conflict) {
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
  if (request.op == SibRequest::Op::kLookUp && !admit(request)) return;
  block_.serve(request);
  if (request.op != SibRequest::Op::kLookUp) return;
  ++look_ups_;
  hits_ += request.predicted;
  confirmed_ += request.confirmed;
  full_ += request.full;
  most_ = std::max<std::uint64_t>(most_, request.entries);
}

bool SibTable::admit(SibRequest& request) {
  request.known = request.cycle;
  if (timing_ == Timing::kIdeal) return true;
  if (port_free_ > request.cycle) {
    ++conflicts_;
    if (port_conflict_ == PortConflict::kDrop) {
      request.dropped = true;
      return false;
    }
    wait_cycles_ += port_free_ - request.cycle;
  }
  const Cycle served = std::max(request.cycle, port_free_);
  port_free_ = served + 1;
  request.known = served + 1;
  return true;
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
