#include "core/fetch/sub_core_fetch.h"

#include <algorithm>
#include <utility>

namespace heddle::core {

void FetchedCode::set(const std::vector<isa::Instruction>& code, std::uint64_t at,
                      FetchBehindControl behind_control) {
  const bool waits = behind_control == FetchBehindControl::kWaits;
  base = at;
  run_length.assign(code.size(), 0);
  branch_to.resize(code.size());
  for (std::size_t pc = code.size(); pc-- != 0;) {
    const bool last = (waits && code[pc].stops_fetch) || pc + 1 == code.size();
    const Pc here{static_cast<std::uint32_t>(pc)};
    branch_to[pc] = code[pc].op == isa::Opcode::kBranch ? code[pc].target : here;
    run_length[pc] = last ? 1 : run_length[pc + 1] + 1;
  }
}

SubCoreFetchModel::SubCoreFetchModel(const FetchConfig& config, const FetchedCode& code, std::uint32_t groups,
                                     LineSupplyModel supply, FetchCounters& counters)
    : config_(config),
      code_(code),
      supply_(std::move(supply)),
      counters_(&counters),
      buffers_(groups),
      age_(groups, 0),
      wanting_(groups),
      missing_(groups),
      in_flight_(config.latency_cycles + std::size_t{1}),
      redirect_cycles_{config.redirect_cycles, config.near_redirect_cycles,
                       config.near_back_redirect_cycles} {}

void SubCoreFetchModel::begin_launch(bool keeps_lines) {
  supply_.begin_launch(code_.end(), keeps_lines);
  std::fill_n(buffers_.begin(), used_, Buffer{});
  used_ = 0;
  wanting_.clear();
  missing_.clear();
  buffered_.clear();
  while (!in_flight_.empty()) in_flight_.pop_front();
  for (auto& list : redirected_)
    while (!list.empty()) list.pop_front();
}

void SubCoreFetchModel::appears(GroupId group) {
  age_[group.value()] = ++ages_;
  used_ = std::max(used_, group.value() + 1);
  Buffer& buffer = buffers_[group.value()];
  buffer = {.epoch = buffer.epoch + 1};
  wanting_.erase(group.value());
  missing_.erase(group.value());
}

void SubCoreFetchModel::redirect(GroupId group, Pc pc, Cycle now) {
  Buffer& buffer = buffers_[group.value()];
  issued_ = group.value();
  buffer.stopped = false;
  const bool goes_on = buffer.count != 0 && pc == Pc{buffer.head.value() + 1};
  if (goes_on && !(buffer.sealed && buffer.count == 1)) {
    buffer.head = pc;
    if (--buffer.count != 0) buffered_.push_back(group);
    return want(group.value());
  }
  const bool had_some = buffer.count + buffer.flying != 0;
  const unsigned kind = redirection(buffer.head, pc);
  buffer = {.head = pc, .next = pc, .epoch = buffer.epoch + 1};
  std::erase(buffered_, group);
  wanting_.erase(group.value());
  missing_.erase(group.value());
  if (had_some && redirect_cycles_[kind] != 0)
    redirected_[kind].push_back({group, buffer.epoch, now + redirect_cycles_[kind]});
  else
    wanting_.insert(group.value());
}

unsigned SubCoreFetchModel::redirection(Pc from, Pc to) const {
  enum : unsigned { kFar, kNear, kNearBack };
  if (to != code_.branch_to[from.value()]) return kFar;
  const auto [first, last] = std::minmax({code_.line(from), code_.line(to)});
  if (last >= first + config_.near_lines * code_.line_bytes) return kFar;
  return to > from ? kNear : kNearBack;
}

void SubCoreFetchModel::stop(GroupId group) {
  // What it has stays: it may go on behind its head.
  buffers_[group.value()].stopped = true;
  std::erase(buffered_, group);
  wanting_.erase(group.value());
}

bool SubCoreFetchModel::pop(GroupId group) {
  Buffer& buffer = buffers_[group.value()];
  ++buffer.head;
  --buffer.count;
  issued_ = group.value();
  want(group.value());
  return buffer.count != 0;
}

void SubCoreFetchModel::line_arrives(std::uint64_t line) {
  if (!supply_.arrived(line)) return;
  missing_.for_each([&](std::uint32_t group) {
    if (buffers_[group].missing != line) return;
    missing_.erase(group);
    want(group);
  });
}

void SubCoreFetchModel::arrive(Cycle now, FetchReport& report) {
  // One a cycle, since no more than one can issue.
  if (!buffered_.empty()) {
    report.fill(buffered_.front());
    buffered_.erase(buffered_.begin());
  }
  for (auto& list : redirected_)
    for (; !list.empty() && list.front().at <= now; list.pop_front()) {
      const GroupId group = list.front().group;
      if (buffers_[group.value()].epoch == list.front().epoch) want(group.value());
    }
  while (!in_flight_.empty() && in_flight_.front().ready <= now) {
    const InFlight arrived = in_flight_.front();
    in_flight_.pop_front();
    Buffer& buffer = buffers_[arrived.group.value()];
    if (buffer.epoch != arrived.epoch) continue;
    if (buffer.count == 0 && !buffer.stopped) report.fill(arrived.group);
    buffer.count += arrived.count;
    buffer.flying -= arrived.count;
    counters_->instructions += arrived.count;
  }
}

std::uint32_t SubCoreFetchModel::choose() const {
  if (config_.policy == FetchPolicy::kRoundRobin) return *wanting_.next_cyclic(served_);
  if (config_.policy == FetchPolicy::kEmptyFirst) {
    const std::uint32_t turn = *wanting_.next_cyclic(served_);
    std::uint32_t group = turn;
    do {
      if (buffers_[group].count + buffers_[group].flying == 0) return group;
      group = *wanting_.next_cyclic(group);
    } while (group != turn);
    return wanting_.contains(issued_) ? issued_ : turn;
  }
  if (wanting_.contains(issued_)) return issued_;
  if (wanting_.contains(served_)) return served_;
  std::uint32_t youngest = *wanting_.next(0);
  wanting_.for_each([&](std::uint32_t group) {
    if (age_[group] > age_[youngest]) youngest = group;
  });
  return youngest;
}

void SubCoreFetchModel::fetch(Cycle now, FetchReport& report, std::uint32_t group) {
  Buffer& buffer = buffers_[group];
  served_ = group;
  const std::uint64_t line = code_.line(buffer.next);
  if (!supply_.look_up(line)) {
    wanting_.erase(group);
    missing_.insert(group);
    buffer.missing = line;
    if (buffer.count + buffer.flying == 0) report.miss(GroupId{group});
    return;
  }
  const auto in_line = static_cast<std::uint32_t>((line + code_.line_bytes - code_.address(buffer.next)) >>
                                                  code_.instruction_shift);
  const std::uint32_t run = code_.run_length[buffer.next.value()];
  const std::uint32_t count = std::min({config_.width_instructions, free_slots(buffer), in_line, run});
  buffer.sealed = count == run;
  buffer.flying += count;
  buffer.next = Pc{buffer.next.value() + count};
  if (buffer.sealed || free_slots(buffer) == 0) wanting_.erase(group);
  ++counters_->fetches;
  in_flight_.push_back({GroupId{group}, buffer.epoch, count, now + config_.latency_cycles});
}

void SubCoreFetchModel::tick(Cycle now, FetchReport& report) {
  arrive(now, report);
  if (!wanting_.empty()) fetch(now, report, choose());
}

}  // namespace heddle::core
