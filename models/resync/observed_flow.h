// Compiler marks for traces that have none: what the compiler's pass of the thesis marks - branches and their nearest
// post-dominators ([Resync] §3.2.1), priorities of blocks ([Resync] §3.2.3) - computed on the control flow that the
// traces themselves take.
//
// Edges that no thread takes do not exist for it, so a point may post-dominate here what it would not in the program; for
// the replay of these traces that is exact. Functions are the parts of the graph that only calls connect.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "resync/pc_table.h"
#include "resync/trace.h"

namespace heddle::resync {

struct ObservedMarks {
  std::uint32_t priority = 0;                 ///< of the instruction's block; longest path, exit = 1
  bool begins_block = false;                  ///< block of the compiler: joins included
  std::unique_ptr<PostDominatorMarks> marks;  ///< null: none
};

class ObservedFlow {
 public:
  ObservedFlow();
  ~ObservedFlow();
  /// Reads a set from its beginning to its end. May be called for several sets of one program.
  void add(TraceSet& traces);
  /// After the last set.
  void analyse();
  [[nodiscard]] const ObservedMarks* at(std::uint64_t pc) const { return marks_.find(pc); }
  [[nodiscard]] std::size_t instructions() const { return nodes_.size(); }
  /// Functions whose longest paths are approximated by a tree ([Resync] §3.2.3).
  [[nodiscard]] std::size_t approximated() const { return approximated_; }

 private:
  struct Node {
    std::vector<std::uint32_t> successors;  ///< numbers of nodes; kExit: the function or the thread ends
    std::vector<std::uint64_t> callees;     ///< PCs that calls from here lead to
    bool entry = false;                     ///< of a function or a thread
  };
  static constexpr std::uint32_t kExit = 0xffff'ffffu;
  std::uint32_t node_at(std::uint64_t pc);
  void link(std::uint32_t from, std::uint32_t to);
  class Function;

  PcTable<std::uint32_t> number_;  ///< plus 1
  std::vector<std::uint64_t> pc_;  ///< by node
  std::vector<Node> nodes_;
  PcTable<ObservedMarks> marks_;
  std::size_t approximated_ = 0;
};

/// A set with the marks of an analysed flow in place of its own.
class MarkedTraces final : public TraceSet {
 public:
  /// `joins`: blocks that begin at joins are shown as well, as if the compiler had marked them.
  MarkedTraces(TraceSet& traces, const ObservedFlow& flow, bool joins)
      : traces_(traces), flow_(flow), joins_(joins) {}
  [[nodiscard]] unsigned threads() const override { return traces_.threads(); }
  std::size_t read(unsigned thread, std::span<TraceRecord> records) override;
  void rewind() override { traces_.rewind(); }
  [[nodiscard]] std::uint64_t size_hint() const override { return traces_.size_hint(); }

 private:
  TraceSet& traces_;
  const ObservedFlow& flow_;
  bool joins_;
};

}  // namespace heddle::resync
