#include "compaction/lockstep_order.h"

#include <algorithm>
#include <stdexcept>

namespace heddle::compaction {

using base::LaneMask;
using base::Pc;
using base::WarpId;
using isa::Instruction;
using isa::Opcode;

namespace {

bool is_strong_store(const Instruction& instruction) {
  return instruction.op == Opcode::kStore && instruction.cache_op == isa::CacheOp::kVolatile;
}

}  // namespace

LockstepOrder::LockstepOrder(std::uint32_t warps) : threads_(warps * std::size_t{base::kLanes}) {}

void LockstepOrder::begin_launch(const std::shared_ptr<const isa::Kernel>& kernel) {
  auto known = programs_.find(kernel);
  if (known == programs_.end())
    known = programs_.emplace_hint(known, std::piecewise_construct, std::forward_as_tuple(kernel),
                                   std::forward_as_tuple(*kernel));
  program_ = known->second.exchanges() ? &known->second : nullptr;
  kernel_ = kernel.get();
  if (program_ == nullptr) return;
  index_.clear();
  std::fill(threads_.begin(), threads_.end(), Thread{});
  words_.assign(kPlaces, {});
  now_ = 0;
}

void LockstepOrder::start(WarpId home) {
  for (unsigned lane = 0; lane < base::kLanes; ++lane) thread(home, lane) = {};
}

bool LockstepOrder::wants(Pc pc) const {
  if (program_ == nullptr) return false;
  const Instruction& instruction = kernel_->code[pc.value()];
  return program_->parts_or_joins(pc) || program_->learns(pc) || synchronises(instruction) ||
         is_strong_store(instruction) || instruction.op == Opcode::kFence ||
         instruction.op == Opcode::kAtomic;
}

void LockstepOrder::issue(const core::IssueTapRequest& issue) {
  if (program_ == nullptr) return;
  ++now_;
  const Instruction& instruction = *issue.instruction;
  // All lanes of a group arrive at a barrier, whatever its guard says.
  const LaneMask orders = instruction.op == Opcode::kBarrier ? issue.mask : issue.exec;
  issue.mask.for_each([&](unsigned lane) {
    Thread& of = thread(issue.operands->home(lane), lane);
    if (of.region != kLost) of.region = index_.at(of.region, issue.pc);
    if (orders.test(lane)) note_order(instruction, of);
  });
  if (program_->parts_or_joins(issue.pc)) part(issue);
  if (index_.full()) forget_regions();
}

void LockstepOrder::forget_regions() {
  index_.clear();
  words_.assign(kPlaces, {});
  for (Thread& thread : threads_) thread.region = kLost;
}

void LockstepOrder::note_order(const Instruction& instruction, Thread& thread) const {
  const bool atomic = instruction.op == Opcode::kAtomic;
  if (synchronises(instruction)) thread.synchronised = now_;
  if (atomic || instruction.op == Opcode::kFence || is_strong_store(instruction)) thread.released = now_;
  if (atomic && instruction.dst[0].present) thread.acquired = now_;
}

void LockstepOrder::part(const core::IssueTapRequest& issue) {
  const Instruction& instruction = *issue.instruction;
  const bool by_data = program_->by_data(issue.pc);
  const ExecutionIndex::Branch branch{issue.pc, instruction.rpc, by_data};
  // Lanes of a group mostly come from one region and go to one of two.
  struct Known {
    ExecutionIndex::Region from = 0, to = 0;
    std::uint64_t outcome = ~std::uint64_t{0};
  } known;
  issue.mask.for_each([&](unsigned lane) {
    ExecutionIndex::Region& region = thread(issue.operands->home(lane), lane).region;
    const bool executes = issue.exec.test(lane);
    if (region == kLost) return;
    switch (instruction.op) {
      case Opcode::kBranch:
      case Opcode::kIndirect: {
        if (!instruction.guard.present && instruction.op == Opcode::kBranch) return;
        // Side 0 goes on.
        std::uint64_t outcome = executes ? 1 : 0;
        if (executes && instruction.op == Opcode::kIndirect)
          outcome += issue.operands->value(instruction.src[0], lane);
        if (known.outcome != outcome || known.from != region)
          known = {region, index_.enter(region, branch, outcome), outcome};
        region = known.to;
        return;
      }
      case Opcode::kCall:
        if (executes) region = index_.enter_function(region, issue.pc, by_data);
        return;
      case Opcode::kReturn:
        if (executes) region = index_.leave_function(region);
        return;
      default:
        return;
    }
  });
}

bool LockstepOrder::deviates(const Touch& before, const Access& access) {
  const Thread& first = thread(access.home, before.lane);
  const Thread& second = thread(access.home, access.lane);
  if (before.lane == access.lane || (before.bytes & access.bytes) == 0) return false;
  if (first.synchronised > before.at || (first.released >= before.at && second.acquired > before.at))
    return false;
  if (program_->by_data(before.pc) || program_->polls(before.pc)) return false;
  const auto meeting = index_.meet(before.region, before.pc, second.region, access.pc);
  return !meeting.by_data && program_->in_order(meeting.second, meeting.first);
}

LockstepOrder::Word& LockstepOrder::place(const Access& access) {
  Word& word = words_[access.word % kPlaces];
  if (word.word != access.word) word.value.reset();
  if (word.word != access.word || word.warp != access.warp) {
    word.word = access.word;
    word.warp = access.warp;
    word.written.reset();
    word.read.clear();
  }
  return word;
}

std::optional<LockstepOrder::Deviation> LockstepOrder::access(const Access& access) {
  Thread& self = thread(access.home, access.lane);
  if (self.region == kLost) return std::nullopt;
  self.region = index_.at(self.region, access.pc);
  Word& word = place(access);
  const bool compares = !program_->by_data(access.pc) && !program_->polls(access.pc);
  const bool same = access.writes && word.value_bytes == access.bytes && access.value.has_value() &&
                    access.value == word.value;
  std::optional<Deviation> found;
  if (compares && !same && word.written && deviates(*word.written, access))
    found = {word.written->lane, word.written->pc, true};
  if (compares && !same && !found && access.writes)
    for (const Touch& read : word.read)
      if (deviates(read, access)) {
        found = {read.lane, read.pc, false};
        break;
      }
  const Touch touch{access.lane, access.bytes, access.pc, self.region, now_};
  if (access.writes) {
    word.written = touch;
    word.value = access.value;
    word.value_bytes = access.bytes;
    word.read.clear();
    return found;
  }
  // What it has learned orders what follows.
  if (program_->learns(access.pc)) self.acquired = now_;
  const auto again = std::find_if(word.read.begin(), word.read.end(),
                                  [&](const Touch& read) { return read.lane == access.lane; });
  if (again == word.read.end())
    word.read.push_back(touch);
  else
    *again = touch;
  return found;
}

}  // namespace heddle::compaction
