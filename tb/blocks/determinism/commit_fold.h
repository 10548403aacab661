// What memory has to be after a commit, whatever the timing ([GPUDet:F1]).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "determinism/z_buffer_model.h"

namespace heddle::tb {

using determinism::ByteMask;
using determinism::ChunkData;
using determinism::ColorUpdate;
using determinism::Depth;
using determinism::DepthLine;
using determinism::kChunkBytes;
using determinism::kChunkWords;
using determinism::kNoDepth;
using determinism::WordMask;

/// An entry of a wavefront's log, already with its depth.
struct LogEntry {
  std::uint32_t wave = 0;
  ColorUpdate update;
};

inline ColorUpdate color_update(std::uint64_t chunk, Depth depth) {
  ColorUpdate update;
  update.chunk = chunk;
  update.depth = depth;
  return update;
}
inline void set_word(ColorUpdate& update, unsigned word, std::uint32_t value) {
  update.mask.set_word(word);
  for (unsigned i = 0; i < 4; ++i) update.color[word * 4 + i] = static_cast<std::byte>(value >> (8 * i));
}

/// Colours and depths; what was never written is zero, and kNoDepth.
struct Memory {
  std::map<std::uint64_t, ChunkData> colors;
  std::map<std::uint64_t, DepthLine> depths;

  DepthLine& depth_line(std::uint64_t chunk) {
    const auto [at, fresh] = depths.try_emplace(chunk);
    if (fresh) at->second.fill(kNoDepth);
    return at->second;
  }
  void write(std::uint64_t chunk, const ChunkData& color, const ByteMask& mask) {
    ChunkData& to = colors[chunk];
    for (unsigned i = 0; i < kChunkBytes; ++i)
      if (mask.test(i)) to[i] = color[i];
  }
  [[nodiscard]] std::uint32_t word(std::uint64_t chunk, unsigned word) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i)
      value |= std::to_integer<std::uint32_t>(colors[chunk][word * 4 + i]) << (8 * i);
    return value;
  }
};

/// The functional fold of a commit ([GPUDet:F1]): for each word the smallest depth, and of equal ones the last in its
/// log.
/// `logs`: by wavefront, each in log order.
inline void fold(Memory& memory, const std::vector<std::vector<LogEntry>>& logs) {
  for (const auto& log : logs)
    for (const LogEntry& entry : log) {
      DepthLine& depths = memory.depth_line(entry.update.chunk);
      const WordMask words = touched_words(entry.update.mask);
      ByteMask wins;
      for (unsigned w = 0; w < kChunkWords; ++w)
        if ((words >> w & 1u) != 0 && entry.update.depth <= depths[w]) {
          depths[w] = entry.update.depth;
          wins.set_word(w);
        }
      memory.write(entry.update.chunk, entry.update.color, wins);
    }
}

}  // namespace heddle::tb
