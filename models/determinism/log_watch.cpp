#include "determinism/log_watch.h"

#include <fmt/format.h>

#include "core/memory/register_transfer.h"
#include "core/warp_context.h"

namespace heddle::determinism {

using Purpose = LogAccess::Purpose;

std::string LogWatch::wavefront_name(core::WarpId warp) const {
  return fmt::format("core {}, warp slot {}", core_.value(), warp.value());
}

void LogWatch::check_winner(core::Pc pc, const core::MemoryInstruction& op, const core::LineAccess& access,
                            std::span<const unsigned char> data) const {
  if (!on()) return;
  const core::LaneOffsets offsets = op.offsets(access);
  std::array<bool, kChunkBytes> decided{};
  for (unsigned lane = core::kLanes; lane-- != 0;) {
    if (!access.lanes.test(lane)) continue;
    const auto first = static_cast<unsigned>(offsets.offset(lane, op.bytes));
    for (unsigned i = 0; i < op.bytes; ++i) {
      if (decided[first + i]) continue;
      decided[first + i] = true;
      if (data[first + i] == op.data[std::size_t{lane} * op.bytes + i]) continue;
      return preconditions_.broken(
          "[GPUDet:D1]", place_of(*launch_, pc),
          fmt::format("lane {} is the highest that stores to {:#x}, and another lane's value won", lane,
                      access.line + first + i));
    }
  }
}

void LogWatch::check_access(const LogAccess& access, std::span<const std::uint32_t> words,
                            const Reader* reader) const {
  if (!on()) return;
  auto entries = static_cast<std::uint32_t>(seals_[access.warp.value()].size());
  switch (access.purpose) {
    case Purpose::kAppend:
      if (!core::is_in(own_, access.address))
        preconditions_.broken("[GPUDet:D7]", wavefront_name(access.warp),
                              fmt::format("a log access stores to {:#x}, which is no log's", access.address));
      return;
    case Purpose::kSearchMeta:
      entries = reader->search->meta_wish().end;  // younger ones may be there or not
      break;
    case Purpose::kSearchData:
      if (access.entry >= reader->search->latched())
        return preconditions_.broken(
            "[GPUDet:D2]", place_of(*launch_, reader->pc),
            fmt::format("the load looks at entry {} of the log, which is younger", access.entry));
      break;
    case Purpose::kReplayMeta:
    case Purpose::kReplayData:
      break;
  }
  check_words(access, words, entries, reader);
}

void LogWatch::check_words(const LogAccess& access, std::span<const std::uint32_t> words,
                           std::uint32_t entries, const Reader* reader) const {
  const std::vector<EntrySeal>& seals = seals_[access.warp.value()];
  const bool meta = access.purpose == Purpose::kSearchMeta || access.purpose == Purpose::kReplayMeta;
  const unsigned stride = meta ? kMetaWords : kChunkWords;
  for (unsigned i = 0; (i + 1) * stride <= words.size() && access.entry + i < entries; ++i) {
    const EntrySeal& seal = seals[access.entry + i];
    if (seal_of(words.subspan(std::size_t{i} * stride, stride)) == (meta ? seal.meta : seal.data)) continue;
    return preconditions_.broken(
        "[GPUDet:D2]", reader != nullptr ? place_of(*launch_, reader->pc) : wavefront_name(access.warp),
        fmt::format("entry {} of the log of {} is not read as it was appended", access.entry + i,
                    wavefront_name(access.warp)));
  }
}

void LogWatch::check_order(core::WarpId warp, std::uint32_t index, std::uint32_t given) const {
  if (!on() || index == given) return;
  preconditions_.broken("[GPUDet:D5]", wavefront_name(warp),
                        fmt::format("entry {} of its log is committed in front of entry {}", index, given));
}

void LogWatch::check_passed(const core::LsuRequest& request) const {
  const bool changes =
      request.instruction->op == isa::Opcode::kStore || request.instruction->op == isa::Opcode::kAtomic;
  if (!on() || !changes || preconditions_.memory_open()) return;
  preconditions_.broken("[GPUDet:D7]", place_of(*launch_, request.pc),
                        "changes global memory while wavefronts run in parallel mode");
}

void LogWatch::check_caches(core::LsuPort& lsu, bool constants) const {
  if (!on()) return;
  const core::LsuInspection look =
      lsu.ask({.ask = core::LsuInspection::Ask::kForeignLine, .constants = constants}, &own_);
  if (!look.yes) return;
  preconditions_.broken(
      "[GPUDet:D8]", fmt::format("core {}", core_.value()),
      fmt::format("a parallel mode begins, and a cache holds line {:#x} from before it", look.address));
}

}  // namespace heddle::determinism
