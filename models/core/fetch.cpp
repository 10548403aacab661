#include "core/fetch.h"

#include <algorithm>

namespace heddle::core {
namespace {

bool ends_fetch(const isa::Instruction& instruction) { return instruction.unit == isa::Unit::kControl; }

}  // namespace

FetchModel::FetchModel(const FetchConfig& config, std::uint32_t groups)
    : config_(config), buffers_(groups), wanting_(groups) {}

void FetchModel::redirect(GroupId group, Pc pc) {
  Buffer& buffer = buffers_[group.value()];
  buffer.head = pc;
  buffer.count = 0;
  buffer.sealed = false;
  ++buffer.epoch;
  wanting_.insert(group.value());
}

void FetchModel::stop(GroupId group) {
  Buffer& buffer = buffers_[group.value()];
  buffer.count = 0;
  ++buffer.epoch;
  wanting_.erase(group.value());
}

bool FetchModel::pop(GroupId group, Pc& head) {
  Buffer& buffer = buffers_[group.value()];
  ++buffer.head;
  if (--buffer.count != 0) {
    head = buffer.head;
    return true;
  }
  // After a control instruction the branch unit's answer decides: redirect() or stop(), or resume below.
  if (!buffer.sealed) wanting_.insert(group.value());
  return false;
}

void FetchModel::tick(FetchRequest& request) {
  request.filled_count = 0;
  while (!in_flight_.empty() && in_flight_.front().ready <= request.cycle) {
    const InFlight arrived = in_flight_.front();
    in_flight_.pop_front();
    Buffer& buffer = buffers_[arrived.group.value()];
    if (buffer.epoch != arrived.epoch) continue;
    buffer.count = arrived.count;
    instructions += arrived.count;
    request.filled[request.filled_count++] = arrived.group;
  }
  if (const auto chosen = wanting_.next_cyclic(last_)) {
    last_ = *chosen;
    wanting_.erase(last_);
    Buffer& buffer = buffers_[last_];
    const std::uint32_t most = std::min(config_.width_instructions, config_.ibuffer_slots);
    std::uint32_t count = 0;
    while (count < most && !buffer.sealed) {
      buffer.sealed = ends_fetch((*code_)[buffer.head.value() + count]);
      ++count;
    }
    ++fetches;
    in_flight_.push_back({GroupId{last_}, buffer.epoch, count, request.cycle + config_.latency_cycles});
  }
  request.next_due = in_flight_.empty() ? kNoCycle : in_flight_.front().ready;
  if (!wanting_.empty()) request.next_due = request.cycle + 1;
}

Fetch::Fetch(const sc_core::sc_module_name& name, const FetchConfig& config, std::uint32_t groups,
             sim::StatGroup& stats)
    : sc_module(name), model_(config, groups) {
  stats.counter("fetches", "fetches", "cycles in which the fetch unit was used", &model_.fetches);
  stats.counter("instructions", "warp-instructions", "instructions delivered into I-buffers",
                &model_.instructions);
}

void Fetch::serve(FetchRequest& request) {
  switch (request.op) {
    case FetchRequest::Op::kRedirect:
      model_.redirect(request.group, request.pc);
      break;
    case FetchRequest::Op::kStop:
      model_.stop(request.group);
      break;
    case FetchRequest::Op::kPop:
      request.head_valid = model_.pop(request.group, request.head);
      break;
    case FetchRequest::Op::kTick:
      model_.tick(request);
      break;
  }
}

}  // namespace heddle::core
