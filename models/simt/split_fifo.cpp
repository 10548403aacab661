#include "simt/split_fifo.h"

#include <stdexcept>

namespace heddle::simt {

QueuedSplit SplitFifoModel::Warp::pop() {
  const QueuedSplit popped = entries[front];
  front = (front + 1) % kTableEntries;
  --count;
  return popped;
}

QueuedSplit& SplitFifoModel::Warp::find(SplitId id) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (at(i).id == id) return at(i);
  throw std::logic_error("SplitFifo: no such split");
}

void SplitFifoModel::serve(SplitFifoRequest& request) {
  Warp& warp = warps_[request.warp.value()];
  switch (request.op) {
    case SplitFifoRequest::Op::kReset:
      warp.front = warp.count = 0;
      break;
    case SplitFifoRequest::Op::kPush:
      warp.push({request.id, false, request.spilled, false, {}});
      break;
    case SplitFifoRequest::Op::kPop:
      warp.pop();
      break;
    case SplitFifoRequest::Op::kRotate:
      warp.push(warp.pop());
      break;
    case SplitFifoRequest::Op::kBlock:
      warp.at(0).blocked = true;
      warp.at(0).lanes = request.lanes;
      break;
    case SplitFifoRequest::Op::kUnblock:
      for (std::uint32_t i = 0; i < warp.count; ++i)
        if (warp.at(i).blocked && request.lanes.contains(warp.at(i).lanes)) warp.at(i).blocked = false;
      break;
    case SplitFifoRequest::Op::kSpilled:
      warp.find(request.id).spilled = true;
      break;
    case SplitFifoRequest::Op::kFilling:
      warp.find(request.id).transient = true;
      break;
    case SplitFifoRequest::Op::kResident:
      warp.find(request.id).spilled = warp.find(request.id).transient = false;
      break;
    case SplitFifoRequest::Op::kVictim:
      request.id = kNoSplit;
      for (std::uint32_t i = warp.count; i-- > (request.keep_front ? 1u : 0u) && request.id == kNoSplit;)
        if (!warp.at(i).spilled) request.id = warp.at(i).id;
      break;
    case SplitFifoRequest::Op::kRead:
      inspect(request);
      return;
  }
  request.queued = warp.at(0);
  request.count = warp.count;
}

void SplitFifoModel::inspect(SplitFifoRequest& request) const {
  const Warp& warp = warps_[request.warp.value()];
  request.queued = warp.at(request.position);
  request.count = warp.count;
}

}  // namespace heddle::simt
