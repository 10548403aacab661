#include "simt/split_work.h"

#include <algorithm>
#include <stdexcept>

namespace heddle::simt {

void SplitWork::use(unsigned ports, std::uint32_t from) {
  wait_until(from);
  if ((used_ & ports) != 0) wait_until(clock_ + 1);
  used_ |= ports;
  end_ = std::max(end_, clock_ + 1);
}

void SplitWork::wait_until(std::uint32_t clock) {
  if (clock_ >= clock) return;
  clock_ = clock;
  used_ = 0;
  end_ = std::max(end_, clock);
}

void SplitWork::look(SplitId id) {
  if (split_ == id || (several_paths_ && (written_ >> id.value() & 1u) != 0)) return;
  use(kSplitLook, front_known_);
  last_look_ = clock_;
  split_ = id;
  wait_until(clock_ + 1);
}

void SplitWork::look(ReconvergenceId id) {
  if (point_ == id) return;
  use(kPointLook);
  point_ = id;
  wait_until(clock_ + 1);
}

void SplitWork::front_moves() {
  front_known_ = clock_ + 1;
  end_ = std::max(end_, front_known_);
}

void SplitWork::add(const SplitTableRequest& request) {
  using Op = SplitTableRequest::Op;
  switch (request.op) {
    case Op::kReset:
      return;
    case Op::kRead:
      return look(request.id);
    case Op::kInsert:
    case Op::kFill:
      if (!request.ok) return;
      [[fallthrough]];
    case Op::kWrite:
      use(kSplitWrite);
      split_ = request.id;
      written_ |= 1u << request.id.value();
      return;
    case Op::kEvict:
      look(request.id);
      [[fallthrough]];
    case Op::kFree:
      if (split_ == request.id) split_ = kNoSplit;
      written_ &= ~(1u << request.id.value());
      return;
    case Op::kMatch:
      throw std::logic_error("SplitWork: MATCH has no cost");
  }
}

void SplitWork::add(const ReconvergenceTableRequest& request) {
  using Op = ReconvergenceTableRequest::Op;
  switch (request.op) {
    case Op::kReset:
    case Op::kFired:
    case Op::kHasFired:
      return;
    case Op::kRead:
      if (request.ok) look(request.id);
      return;
    case Op::kArrive:
    case Op::kLeave:
    case Op::kGoAlone:
      look(request.id);
      return use(kPointWrite);
    case Op::kInsert:
    case Op::kFill:
      if (!request.ok) return;
      [[fallthrough]];
    case Op::kWrite:
      use(kPointWrite);
      point_ = request.id;
      return;
    case Op::kEvict:
      look(request.id);
      [[fallthrough]];
    case Op::kFree:
      if (point_ == request.id) point_ = kNoReconvergence;
      return;
  }
}

void SplitWork::add(const SplitFifoRequest& request) {
  using Op = SplitFifoRequest::Op;
  switch (request.op) {
    case Op::kReset:
    case Op::kSpilled:
    case Op::kFilling:
    case Op::kResident:
    case Op::kFilled:
      return;
    case Op::kPush:
      use(kBack);
      if (request.count == 1) front_moves();
      return;
    case Op::kPop:
      use(kFront);
      return front_moves();
    case Op::kRotate:
      use(kFront | kBack, std::max(1u, front_known_));
      return front_moves();
    case Op::kBlock:
      return use(kLanes);
    case Op::kUnblock:
      for (; blocked_ != 0; --blocked_) use(kLanes);
      return wait_until(clock_ + 1);
    case Op::kVictim:
      use(kFront | kBack);
      return wait_until(clock_ + 1);
    case Op::kRead:
      return wait_until(front_known_);
  }
}

}  // namespace heddle::simt
