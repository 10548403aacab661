// A random kernel as a tree of statements, before it becomes PTX text: the form that the shrinker reduces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/device.h"

namespace heddle::generator {

struct Node;
using Block = std::vector<Node>;

enum class NodeKind : std::uint8_t {
  kLines,     ///< straight-line instructions
  kGuarded,   ///< the same, each under a predicate
  kIf,        ///< blocks: then, else (may be empty)
  kLoop,      ///< blocks: body; trip count from data
  kUniform,   ///< blocks: body; the same constant trip count in all threads, so barriers may be inside
  kSwitch,    ///< blocks: one per case, the last is the default
  kBreak,     ///< of the nearest kLoop, conditional; no effect outside of one
  kContinue,  ///< likewise
  kExit,      ///< the thread ends, conditional; in a function: it returns
  kExchange,  ///< shared memory between two barriers; only where all live threads of the CTA pass
  kCall,      ///< of function `count` of the tree, or with style 1 of one selected by data
};

struct Node {
  NodeKind kind = NodeKind::kLines;
  std::vector<std::string> lines;  ///< instructions without guard
  std::vector<std::string>
      conditions;  ///< comparisons with '@' for the predicate they set; several: all must hold
  std::vector<Block> blocks;
  /// kUniform: trips; kLoop: mask of the trip count; kExchange: distance; kCall: the function
  unsigned count = 0;
  std::string source;  ///< register that provides a trip count, a case, an argument or an exchanged value
  unsigned style = 0;  ///< selects one of the equivalent ways to write it
};

/// A device function: a few values in, a few out. It calls functions after it in the tree's list, and itself
/// until its depth argument is used up.
struct FunctionTree {
  Block body;
};

struct KernelTree {
  std::uint64_t seed = 0;
  host::Launch shape;
  /// Shared memory and barriers are used. Without them, threads may exit anywhere.
  bool barriers = true;
  Block body;
  std::vector<FunctionTree> functions;
};

struct TreeOptions {
  unsigned statements = 10;         ///< at the top level
  unsigned depth = 4;               ///< of nesting
  std::uint32_t max_threads = 160;  ///< per CTA
  std::uint32_t max_ctas = 4;
  /// Votes and shuffles at uniform points, only in kernels without exits and with full warps.
  bool warp_operations = true;
  /// Data instructions from the table of operations and types, reductions at barriers.
  bool operations = true;
  bool indexed_branches = true;  ///< switches by brx.idx as well as by chains of comparisons
  bool calls = true;             ///< direct, indirect and recursive
};

/// The tree of a seed. Race-free by construction: threads write only their own slots; they read only their
/// own slots, read-only inputs and data separated by a barrier; and they update shared counters with
/// commutative atomics whose results are never read. Terminates by construction: every loop has a trip count
/// fixed on entry.
[[nodiscard]] KernelTree generate_tree(std::uint64_t seed, const TreeOptions& options = {});

}  // namespace heddle::generator
