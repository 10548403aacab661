// What must hold of a store buffer whatever the timing (preconditions.h): looked at while it runs.
#include <fmt/format.h>

#include <algorithm>

#include "determinism/store_buffer.h"

namespace heddle::determinism {

std::string StoreBuffer::wavefront_name(WarpId warp) const {
  return fmt::format("core {}, warp slot {}", site_.core.value(), warp.value());
}

void StoreBuffer::check_winner(const core::LsuRequest& request, const core::LineAccess& access,
                               const std::array<unsigned char, kChunkBytes>& data) {
  const core::LaneOffsets offsets = op_.offsets(access);
  std::array<bool, kChunkBytes> decided{};
  for (unsigned lane = core::kLanes; lane-- != 0;) {
    if (!access.lanes.test(lane)) continue;
    const auto first = static_cast<unsigned>(offsets.offset(lane, op_.bytes));
    for (unsigned i = 0; i < op_.bytes; ++i) {
      if (decided[first + i]) continue;
      decided[first + i] = true;
      if (data[first + i] == op_.data[std::size_t{lane} * op_.bytes + i]) continue;
      return preconditions_.broken(
          "[GPUDet:D1]", place_of(*launch_, request.pc),
          fmt::format("lane {} is the highest that stores to {:#x}, and another lane's value won", lane,
                      access.line + first + i));
    }
  }
}

void StoreBuffer::check_read(const LogAccess& access, std::span<const std::uint32_t> words) {
  const Wave& of = wave(access.warp);
  std::uint32_t entries = of.entries;
  unsigned stride = kChunkWords;
  bool searches = false;
  switch (access.purpose) {
    case Purpose::kSearchMeta: {
      const Held& held = *held_[access.owner];
      const LogSearch& search = held.searches[held.current];
      entries = search.meta_wish().end;  // younger ones may be there or not
      if (entries > search.latched())
        preconditions_.broken(
            "[GPUDet:D2]", place_of(*launch_, held.operation.pc()),
            fmt::format("the load looks at entry {} of the log, which is younger", entries - 1));
      stride = kMetaWords;
      searches = true;
      break;
    }
    case Purpose::kSearchData:
      searches = true;
      break;
    case Purpose::kReplayMeta:
      stride = kMetaWords;
      break;
    case Purpose::kReplayData:
      break;
    case Purpose::kAppend:
      if (!core::is_in(own_, access.address))
        preconditions_.broken("[GPUDet:D7]", wavefront_name(access.warp),
                              fmt::format("a log access stores to {:#x}, which is no log's", access.address));
      return;
  }
  for (unsigned i = 0; (i + 1) * stride <= words.size() && access.entry + i < entries; ++i) {
    const EntrySeal& seal = of.seals[access.entry + i];
    if (seal_of(words.subspan(std::size_t{i} * stride, stride)) ==
        (stride == kMetaWords ? seal.meta : seal.data))
      continue;
    return preconditions_.broken(
        "[GPUDet:D2]",
        searches ? place_of(*launch_, held_[access.owner]->operation.pc()) : wavefront_name(access.warp),
        fmt::format("entry {} of the log of {} is not read as it was appended", access.entry + i,
                    wavefront_name(access.warp)));
  }
}

void StoreBuffer::check_order(WarpId warp, std::uint32_t index) {
  const std::uint32_t next = wave(warp).replay.given();
  if (index == next) return;
  preconditions_.broken("[GPUDet:D5]", wavefront_name(warp),
                        fmt::format("entry {} of its log is committed in front of entry {}", index, next));
}

void StoreBuffer::check_passed(const core::LsuRequest& request) {
  const bool changes =
      request.instruction->op == isa::Opcode::kStore || request.instruction->op == isa::Opcode::kAtomic;
  if (!changes || preconditions_.memory_open()) return;
  preconditions_.broken("[GPUDet:D7]", place_of(*launch_, request.pc),
                        "changes global memory while wavefronts run in parallel mode");
}

void StoreBuffer::check_caches() {
  const core::LsuInspection look = lsu_isock.ask({.ask = core::LsuInspection::Ask::kForeignLine}, &own_);
  if (!look.yes) return;
  preconditions_.broken(
      "[GPUDet:D8]", fmt::format("core {}", site_.core.value()),
      fmt::format("a parallel mode begins, and a cache holds line {:#x} from before it", look.address));
}

}  // namespace heddle::determinism
