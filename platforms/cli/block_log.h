// A log of basic blocks, written by the kernel itself: which lanes of a warp came to which block in which order. It needs
// nothing of the device but activemask and an atomic, so a card writes the same log as the model.
//
// At the begin of each block the lowest active lane of the warp appends {block, active lanes}, 4 bytes each, to its warp's
// part of the log. A block begins at a function's entry, at a label, and behind a guarded branch. Blocks are numbered in
// order of the text, over all of the module's functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::cli {

/// The variables that an instrumented module has: a counter of 4 bytes for each logged warp, and its entries.
inline constexpr const char* kBlockCounts = "hwlog_cnt";
inline constexpr const char* kBlockEntries = "hwlog_buf";
inline constexpr std::uint32_t kBlockEntryBytes = 8;

/// How much is logged. Warps are numbered through the grid, CTA by CTA; those from `warps` on are not logged. Entries of a
/// warp from `entries` on are counted only.
struct BlockLogShape {
  std::uint32_t warps = 64;
  std::uint32_t entries = 2048;
  [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{warps} * entries * kBlockEntryBytes; }
};
/// The most bytes of a log: a variable of a module.
inline constexpr std::uint64_t kMostBlockLogBytes = std::uint64_t{1} << 30;

struct LoggedBlock {
  std::string function;
  std::string label;       ///< empty: the function's entry, or what follows a guarded branch
  std::uint32_t line = 0;  ///< of the text, from 1
};

struct InstrumentedText {
  std::string text;  ///< lines keep their numbers
  std::vector<LoggedBlock> blocks;
};

/// `name` identifies the PTX text in messages. Throws base::InputError if it is no PTX, or PTX without activemask (before
/// 6.2) or with addresses of 32 bits, and for a shape beyond kMostBlockLogBytes.
[[nodiscard]] InstrumentedText with_block_log(const std::string& text, const std::string& name,
                                              const BlockLogShape& shape);

}  // namespace heddle::cli
