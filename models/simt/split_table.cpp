#include "simt/split_table.h"

#include <bit>
#include <stdexcept>

#include "sim/twin_difference.h"
#include "simt/record_words.h"

namespace heddle::simt {
namespace {

std::uint32_t bit(SplitId id) { return 1u << id.value(); }

}  // namespace

bool SplitTableModel::room(const Warp& warp) const { return LaneMask(warp.resident).count() < physical_; }

std::uint32_t SplitTableModel::cost(const SplitTableRequest& request) const {
  return request.op == SplitTableRequest::Op::kMatch ? cost(match(warps_[request.warp.value()], request)) : 1;
}

void SplitTableModel::serve(SplitTableRequest& request) {
  Warp& warp = warps_[request.warp.value()];
  request.clocks = 1;
  switch (request.op) {
    case SplitTableRequest::Op::kReset:
      warp.valid = warp.resident = 0;
      break;
    case SplitTableRequest::Op::kInsert:
      // At most one split per lane.
      if (~warp.valid == 0) throw std::logic_error("SplitTable: more splits than lanes");
      request.id = SplitId{static_cast<std::uint8_t>(std::countr_one(warp.valid))};
      request.ok = room(warp);
      warp.valid |= bit(request.id);
      if (request.ok) warp.resident |= bit(request.id);
      warp.entries[request.id.value()] = request.split;
      break;
    case SplitTableRequest::Op::kRead:
      inspect(request);
      break;
    case SplitTableRequest::Op::kWrite:
      warp.entries[request.id.value()] = request.split;
      break;
    case SplitTableRequest::Op::kFree:
      warp.valid &= ~bit(request.id);
      warp.resident &= ~bit(request.id);
      break;
    case SplitTableRequest::Op::kEvict:
      request.words = pack(warp.entries[request.id.value()]);
      warp.resident &= ~bit(request.id);
      break;
    case SplitTableRequest::Op::kFill:
      request.ok = room(warp);
      if (!request.ok) break;
      unpack(request.words, warp.entries[request.id.value()]);
      warp.resident |= bit(request.id);
      break;
    case SplitTableRequest::Op::kMatch:
      const Match found = match(warp, request);
      request.clocks = cost(found);
      request.id = found.id;
      request.ok = request.id != kNoSplit;
      if (request.ok) request.split = warp.entries[request.id.value()];
      break;
  }
}

void SplitTableModel::inspect(SplitTableRequest& request) const {
  const Warp& warp = warps_[request.warp.value()];
  request.valid = (warp.valid & bit(request.id)) != 0;
  request.ok = (warp.resident & bit(request.id)) != 0;
  request.split = warp.entries[request.id.value()];
}

SplitTableModel::Match SplitTableModel::match(const Warp& warp, const SplitTableRequest& request) {
  std::uint32_t visited = 0;
  for (std::uint32_t rest = warp.resident; rest != 0; rest &= rest - 1) {
    const SplitId id{static_cast<std::uint8_t>(std::countr_zero(rest))};
    const Split& split = warp.entries[id.value()];
    if (id == request.id || split.blocked) continue;
    ++visited;
    if (split.pc == request.split.pc && split.frame == request.split.frame && split.rpc == request.split.rpc)
      return {id, visited};
  }
  return {kNoSplit, visited};
}

// ---- Beside its twin

namespace {

nlohmann::ordered_json show(const Split& split) {
  nlohmann::ordered_json json{{"pc", split.pc.value()}, {"mask", split.mask.to_string()}};
  if (split.frame != 0) json["frame"] = split.frame;
  if (split.rpc.exists()) {
    json["rpc"] =
        split.rpc.pc == kNoPc ? nlohmann::ordered_json("-") : nlohmann::ordered_json(split.rpc.pc.value());
    json["r_index"] = split.rpc.index.value();
    json["rpc_frame"] = split.rpc.frame;
    json["rpc_kind"] = static_cast<unsigned>(split.rpc.kind);
  }
  if (split.blocked) json["blocked"] = true;
  return json;
}

}  // namespace

SplitTableBlock::Answer SplitTableBlock::answer_of(const Request& request) {
  using Op = Request::Op;
  Answer answer;
  answer.clocks = request.clocks;
  switch (request.op) {
    case Op::kInsert:
      answer.id = request.id;
      answer.ok = request.ok;
      break;
    case Op::kRead:
      answer.valid = request.valid;
      answer.ok = request.ok && request.valid;
      if (answer.ok) answer.split = request.split;
      break;
    case Op::kEvict:
      answer.words = request.words;
      break;
    case Op::kFill:
      answer.ok = request.ok;
      break;
    case Op::kMatch:
      answer.id = request.id;
      answer.ok = request.ok;
      if (request.ok) answer.split = request.split;
      break;
    case Op::kReset:
    case Op::kWrite:
    case Op::kFree:
      break;
  }
  return answer;
}

nlohmann::ordered_json SplitTableBlock::show_request(const Request& request) {
  using Op = Request::Op;
  nlohmann::ordered_json json{{"op", Request::kOpNames[static_cast<unsigned>(request.op)]},
                              {"warp", request.warp.value()}};
  if (request.op != Op::kReset && request.op != Op::kInsert) json["id"] = request.id.value();
  if (request.op == Op::kInsert || request.op == Op::kWrite || request.op == Op::kMatch)
    json["split"] = show(request.split);
  if (request.op == Op::kFill) json["words"] = request.words;
  return json;
}

nlohmann::ordered_json SplitTableBlock::show_answer(const Answer& answer) {
  nlohmann::ordered_json json{{"ok", answer.ok}, {"valid", answer.valid}, {"clocks", answer.clocks}};
  if (answer.id != kNoSplit) json["id"] = answer.id.value();
  if (answer.split.mask.any()) json["split"] = show(answer.split);
  if (answer.words != std::array<std::uint32_t, 3>{}) json["words"] = answer.words;
  return json;
}

nlohmann::ordered_json SplitTableBlock::show_tables(const Request& of,
                                                    const std::function<void(Request&)>& inspect) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (std::uint8_t id = 0; id < kTableEntries; ++id) {
    Request request{.op = Request::Op::kRead, .warp = of.warp, .id = SplitId{id}};
    inspect(request);
    if (!request.valid) continue;
    nlohmann::ordered_json entry{{"id", id}};
    if (request.ok)
      entry.update(show(request.split));
    else
      entry["spilled"] = true;
    entries.push_back(entry);
  }
  return entries;
}

std::array<std::uint32_t, 3> pack(const Split& split) {
  const std::uint32_t index = index_bits(split.rpc.index);
  return {pc_word(split.pc, index & 7), pc_word(split.rpc.pc, index >> 3), split.mask.bits()};
}

void unpack(const std::array<std::uint32_t, 3>& words, Split& split) {
  split.pc = pc_of(words[0]);
  split.rpc.pc = pc_of(words[1]);
  split.rpc.index = index_of(words[0], words[1]);
  split.mask = LaneMask(words[2]);
}

}  // namespace heddle::simt

template void heddle::sim::Twinned<heddle::simt::SplitTableBlock>::serve_both(
    heddle::simt::SplitTableRequest&);
