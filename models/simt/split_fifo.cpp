#include "simt/split_fifo.h"

#include <stdexcept>

#include "sim/twin_difference.h"

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

std::uint32_t SplitFifoModel::cost(const SplitFifoRequest& request) const {
  std::uint32_t visited = 0;
  const Warp& warp = warps_[request.warp.value()];
  for (std::uint32_t i = 0; request.op == SplitFifoRequest::Op::kUnblock && i < warp.count; ++i)
    if (warp.at(i).blocked) ++visited;
  return 1 + visited;
}

void SplitFifoModel::serve(SplitFifoRequest& request) {
  Warp& warp = warps_[request.warp.value()];
  request.clocks = 1;
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
      request.clocks = cost(request);
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
        if (!warp.at(i).spilled && !warp.at(i).transient) request.id = warp.at(i).id;
      break;
    case SplitFifoRequest::Op::kFilled:
      warp.find(request.id).spilled = false;
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

// ---- Beside its twin

SplitFifoBlock::Answer SplitFifoBlock::answer_of(const Request& request) {
  Answer answer;
  answer.count = request.count;
  answer.clocks = request.clocks;
  if (request.op == Request::Op::kVictim) answer.victim = request.id;
  const bool there = request.op == Request::Op::kRead ? request.position < request.count : request.count != 0;
  if (!there) return answer;
  answer.split = request.queued;
  if (!answer.split.blocked) answer.split.lanes = {};
  return answer;
}

namespace {

nlohmann::ordered_json show(const QueuedSplit& split) {
  nlohmann::ordered_json json{{"split", split.id.value()}};
  if (split.blocked) json["blocked"] = split.lanes.to_string();
  if (split.spilled) json["spilled"] = true;
  if (split.transient) json["transient"] = true;
  return json;
}

}  // namespace

nlohmann::ordered_json SplitFifoBlock::show_request(const Request& request) {
  nlohmann::ordered_json json{{"op", Request::kOpNames[static_cast<unsigned>(request.op)]},
                              {"warp", request.warp.value()}};
  switch (request.op) {
    case Request::Op::kPush:
      json["split"] = request.id.value();
      json["spilled"] = request.spilled;
      break;
    case Request::Op::kSpilled:
    case Request::Op::kFilling:
    case Request::Op::kResident:
    case Request::Op::kFilled:
      json["split"] = request.id.value();
      break;
    case Request::Op::kBlock:
    case Request::Op::kUnblock:
      json["lanes"] = request.lanes.to_string();
      break;
    case Request::Op::kVictim:
      json["keep_front"] = request.keep_front;
      break;
    case Request::Op::kRead:
      json["position"] = request.position;
      break;
    case Request::Op::kReset:
    case Request::Op::kPop:
    case Request::Op::kRotate:
      break;
  }
  return json;
}

nlohmann::ordered_json SplitFifoBlock::show_answer(const Answer& answer) {
  nlohmann::ordered_json json{{"count", answer.count}, {"clocks", answer.clocks}};
  if (answer.victim != kNoSplit) json["victim"] = answer.victim.value();
  if (answer.split.id != kNoSplit) json["entry"] = show(answer.split);
  return json;
}

nlohmann::ordered_json SplitFifoBlock::show_tables(const Request& of,
                                                   const std::function<void(Request&)>& inspect) {
  nlohmann::ordered_json queue = nlohmann::ordered_json::array();
  Request request{.op = Request::Op::kRead, .warp = of.warp};
  do {
    inspect(request);
    if (request.position < request.count) queue.push_back(show(request.queued));
  } while (++request.position < request.count);
  return queue;
}

}  // namespace heddle::simt

template void heddle::sim::Twinned<heddle::simt::SplitFifoBlock>::serve_both(heddle::simt::SplitFifoRequest&);
