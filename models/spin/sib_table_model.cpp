#include "spin/sib_table_model.h"

#include <algorithm>
#include <stdexcept>

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
    case SibRequest::Op::kPost:
    case SibRequest::Op::kStep:
    case SibRequest::Op::kForget:
      throw std::logic_error("sib_table: a request of timing: contract");
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

}  // namespace heddle::spin
