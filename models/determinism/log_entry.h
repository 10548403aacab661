// An entry of a wavefront's log as it lies in memory ([GPUDet:A22]): 128 bytes of data, and beside them eight words: the
// chunk's number, the byte mask, padding.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "determinism/chunk.h"

namespace heddle::determinism {

inline constexpr unsigned kMetaBytes = 32;
inline constexpr unsigned kMetaWords = kMetaBytes / 4;
using MetaWords = std::array<std::uint32_t, kMetaWords>;
using DataWords = std::array<std::uint32_t, kChunkWords>;

/// What a load looks at.
struct EntryMeta {
  std::uint64_t chunk = 0;  ///< byte address, a multiple of kChunkBytes
  ByteMask mask;
};

[[nodiscard]] constexpr MetaWords meta_words(const EntryMeta& meta) {
  return {static_cast<std::uint32_t>(meta.chunk / kChunkBytes), static_cast<std::uint32_t>(meta.mask.half[0]),
          static_cast<std::uint32_t>(meta.mask.half[0] >> 32), static_cast<std::uint32_t>(meta.mask.half[1]),
          static_cast<std::uint32_t>(meta.mask.half[1] >> 32)};
}
/// The `at`-th entry of those whose words these are.
[[nodiscard]] constexpr EntryMeta entry_meta(std::span<const std::uint32_t> words, unsigned at) {
  const std::size_t first = std::size_t{at} * kMetaWords;
  const auto half = [&](std::size_t i) {
    return std::uint64_t{words[first + i]} | std::uint64_t{words[first + i + 1]} << 32;
  };
  EntryMeta meta;
  meta.chunk = std::uint64_t{words[first]} * kChunkBytes;
  meta.mask.half = {half(1), half(3)};
  return meta;
}
[[nodiscard]] inline DataWords data_words(const ChunkData& data) {
  DataWords words;
  std::memcpy(words.data(), data.data(), sizeof words);
  return words;
}
[[nodiscard]] inline ChunkData chunk_data(std::span<const std::uint32_t> words) {
  ChunkData data{};
  std::memcpy(data.data(), words.data(), data.size());
  return data;
}
/// What an entry must give back whenever it is read: digests of its words.
struct EntrySeal {
  std::uint64_t meta = 0;
  std::uint64_t data = 0;
};
/// FNV-1a, by words.
[[nodiscard]] constexpr std::uint64_t seal_of(std::span<const std::uint32_t> words) {
  std::uint64_t seal = 0xcbf2'9ce4'8422'2325ull;
  for (const std::uint32_t word : words) seal = (seal ^ word) * 0x100'0000'01b3ull;
  return seal;
}

[[nodiscard]] constexpr ByteMask operator&(const ByteMask& a, const ByteMask& b) {
  return {{a.half[0] & b.half[0], a.half[1] & b.half[1]}};
}
[[nodiscard]] constexpr ByteMask operator|(const ByteMask& a, const ByteMask& b) {
  return {{a.half[0] | b.half[0], a.half[1] | b.half[1]}};
}
[[nodiscard]] constexpr ByteMask without(const ByteMask& a, const ByteMask& b) {
  return {{a.half[0] & ~b.half[0], a.half[1] & ~b.half[1]}};
}

/// Bytes of a chunk, some of which are known.
struct PartialChunk {
  ChunkData data{};
  ByteMask known;
  void add(const ChunkData& from, const ByteMask& bytes) {
    for (unsigned i = 0; i < kChunkBytes; ++i)
      if (bytes.test(i)) data[i] = from[i];
    known = known | bytes;
  }
};

}  // namespace heddle::determinism
