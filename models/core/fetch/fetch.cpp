#include "core/fetch/fetch.h"

#include <algorithm>
#include <bit>

namespace heddle::core {

FetchModel::FetchModel(const FetchConfig& config, const InstructionCacheConfig& l1i, std::uint32_t groups)
    : config_(config),
      instruction_shift_(static_cast<unsigned>(std::countr_zero(l1i.instruction_bytes))),
      line_bytes_(l1i.line_bytes),
      buffers_(groups),
      wanting_(groups),
      missing_(groups),
      in_flight_(config.latency_cycles + std::size_t{1}) {}

void FetchModel::set_code(const std::vector<isa::Instruction>& code, std::uint64_t base) {
  code_base_ = base;
  run_length_.assign(code.size(), 0);
  for (std::size_t pc = code.size(); pc-- != 0;) {
    const bool last = code[pc].stops_fetch || pc + 1 == code.size();
    run_length_[pc] = last ? 1 : run_length_[pc + 1] + 1;
  }
}

void FetchModel::redirect(GroupId group, Pc pc) {
  Buffer& buffer = buffers_[group.value()];
  buffer.head = pc;
  buffer.count = 0;
  buffer.sealed = false;
  ++buffer.epoch;
  missing_.erase(group.value());
  wanting_.insert(group.value());
}

void FetchModel::stop(GroupId group) {
  Buffer& buffer = buffers_[group.value()];
  buffer.count = 0;
  ++buffer.epoch;
  wanting_.erase(group.value());
  missing_.erase(group.value());
}

void FetchModel::refill(std::uint64_t line) {
  missing_.for_each([&](std::uint32_t group) {
    if (buffers_[group].missing != line) return;
    missing_.erase(group);
    wanting_.insert(group);
  });
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

void FetchModel::arrive(FetchRequest& request) {
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
}

bool FetchModel::choose(std::uint64_t& line) {
  const auto chosen = wanting_.next_cyclic(last_);
  if (!chosen) return false;
  last_ = *chosen;
  line = address(buffers_[last_].head) & ~(line_bytes_ - 1);
  return true;
}

void FetchModel::answer(FetchRequest& request, std::uint64_t line, L1iRequest::Result result) {
  Buffer& buffer = buffers_[last_];
  switch (result) {
    case L1iRequest::Result::kHit: {
      wanting_.erase(last_);
      const auto in_line =
          static_cast<std::uint32_t>((line + line_bytes_ - address(buffer.head)) >> instruction_shift_);
      const std::uint32_t most = std::min({config_.width_instructions, config_.ibuffer_slots, in_line});
      const std::uint32_t run = run_length_[buffer.head.value()];
      const std::uint32_t count = std::min(most, run);
      buffer.sealed = count == run;
      ++fetches;
      in_flight_.push_back({GroupId{last_}, buffer.epoch, count, request.cycle + config_.latency_cycles});
      break;
    }
    case L1iRequest::Result::kMiss:
      wanting_.erase(last_);
      missing_.insert(last_);
      buffer.missing = line;
      request.missed[request.missed_count++] = GroupId{last_};
      break;
    case L1iRequest::Result::kStall:
      break;
  }
}

Cycle FetchModel::next_due(Cycle now) const {
  if (!wanting_.empty()) return now + 1;
  return in_flight_.empty() ? kNever : in_flight_.front().ready;
}

Fetch::Fetch(const sc_core::sc_module_name& name, const FetchConfig& config,
             const InstructionCacheConfig& l1i, std::uint32_t groups, base::StatGroup& stats)
    : sc_module(name),
      launch_lines_(l1i),
      instruction_bytes_(l1i.instruction_bytes),
      model_(config, l1i, groups) {
  stats.counter("fetches", "fetches", "cycles in which the fetch unit was used", &model_.fetches);
  stats.counter("instructions", "warp-instructions", "instructions delivered into I-buffers",
                &model_.instructions);
}

void Fetch::begin_launch(LaunchNotice& notice) {
  const LaunchContext& launch = *notice.launch;
  model_.set_code(launch.kernel->code, launch.code_base);
  launch_lines_.begin(launch, launch.code_base + launch.kernel->code.size() * instruction_bytes_, l1i_isock);
}

void Fetch::tick(FetchRequest& request) {
  model_.arrive(request);
  std::uint64_t line = 0;
  if (model_.choose(line)) model_.answer(request, line, l1i_isock.fetch(line, request.cycle).result);
  request.next_due = model_.next_due(request.cycle);
}

void Fetch::serve(FetchRequest& request) {
  switch (request.op) {
    case FetchRequest::Op::kRedirect:
      return redirect(request);
    case FetchRequest::Op::kStop:
      return stop(request);
    case FetchRequest::Op::kPop:
      return pop(request);
    case FetchRequest::Op::kTick:
      return tick(request);
    case FetchRequest::Op::kAppears:
      return;
  }
}

}  // namespace heddle::core
