#include "resync/observed_flow.h"

#include <algorithm>
#include <array>
#include <set>

#include "analysis/dominators.h"
#include "resync/longest_paths.h"

namespace heddle::resync {

ObservedFlow::ObservedFlow() = default;
ObservedFlow::~ObservedFlow() = default;

std::uint32_t ObservedFlow::node_at(std::uint64_t pc) {
  std::uint32_t& number = number_.at(pc);
  if (number == 0) {
    nodes_.emplace_back();
    pc_.push_back(pc);
    number = static_cast<std::uint32_t>(nodes_.size());
  }
  return number - 1;
}

void ObservedFlow::link(std::uint32_t from, std::uint32_t to) {
  auto& successors = nodes_[from].successors;
  if (std::find(successors.begin(), successors.end(), to) == successors.end()) successors.push_back(to);
}

void ObservedFlow::add(TraceSet& traces) {
  traces.rewind();
  std::array<TraceRecord, 256> records;
  for (unsigned t = 0; t < traces.threads(); ++t) {
    std::vector<std::uint32_t> callers;  // nodes of the calls that the thread is in
    constexpr std::uint32_t kNobody = kExit;
    std::uint32_t from = kNobody;
    bool called = false, returned = false;
    while (const std::size_t n = traces.read(t, records)) {
      for (std::size_t i = 0; i < n; ++i) {
        const TraceRecord& record = records[i];
        const std::uint32_t here = node_at(record.pc);
        if (called) {
          auto& callees = nodes_[from].callees;
          if (std::find(callees.begin(), callees.end(), record.pc) == callees.end())
            callees.push_back(record.pc);
          callers.push_back(from);
          nodes_[here].entry = true;
        } else if (returned) {
          link(from, kExit);
          if (!callers.empty()) {
            link(callers.back(), here);
            callers.pop_back();
          } else {
            nodes_[here].entry = true;
          }
        } else if (from == kNobody) {
          nodes_[here].entry = true;
        } else {
          link(from, here);
        }
        from = here;
        called = record.is(TraceRecord::kCall);
        returned = record.is(TraceRecord::kReturn);
      }
    }
    if (from != kNobody) link(from, kExit);
    for (const std::uint32_t caller : callers) link(caller, kExit);
  }
  traces.rewind();
}

/// One part of the graph that calls alone connect, as blocks.
class ObservedFlow::Function {
 public:
  Function(const ObservedFlow& flow, std::vector<std::uint32_t> nodes,
           const std::vector<std::uint32_t>& predecessors)
      : flow_(flow), nodes_(std::move(nodes)) {
    std::unordered_map<std::uint32_t, std::uint32_t> only_predecessor;
    for (const std::uint32_t n : nodes_)
      for (const std::uint32_t to : flow.nodes_[n].successors)
        if (to != kExit) only_predecessor[to] = n;
    const auto leads = [&](std::uint32_t n) {
      if (flow.nodes_[n].entry || predecessors[n] != 1) return true;
      return flow.nodes_[only_predecessor[n]].successors.size() != 1;
    };
    for (const std::uint32_t n : nodes_)
      if (leads(n)) {
        block_of_[n] = static_cast<std::uint32_t>(leader_.size());
        leader_.push_back(n);
      }
    successors_.resize(leader_.size());
    last_.resize(leader_.size());
    for (std::uint32_t b = 0; b < leader_.size(); ++b) {
      std::uint32_t n = leader_[b];
      for (;;) {
        block_of_[n] = b;
        const auto& next = flow.nodes_[n].successors;
        if (next.size() != 1 || next[0] == kExit || leads(next[0])) break;
        n = next[0];
      }
      last_[b] = n;
    }
    for (std::uint32_t b = 0; b < leader_.size(); ++b)
      for (const std::uint32_t to : flow.nodes_[last_[b]].successors)
        successors_[b].push_back(to == kExit ? kExit : block_of_.at(to));
  }

  /// Gives the marks of its instructions; branches get ids from `next_id` on.
  void mark(PcTable<ObservedMarks>& marks, std::uint32_t& next_id, bool& approximated) const {
    const std::vector<std::uint32_t> priority = longest_paths(successors_, kExit, approximated);
    for (const std::uint32_t n : nodes_) {
      ObservedMarks& here = marks.at(flow_.pc_[n]);
      here.priority = priority[block_of_.at(n)];
      here.begins_block = leader_[block_of_.at(n)] == n;
    }
    const std::vector<std::uint32_t> behind = post_dominators();
    for (std::uint32_t b = 0; b < leader_.size(); ++b)
      if (successors_[b].size() > 1 && behind[b] != kExit)
        pair(marks, flow_.pc_[last_[b]], flow_.pc_[leader_[behind[b]]], next_id++);
    // Calls that lead to several functions; they meet behind it.
    for (const std::uint32_t n : nodes_) {
      const auto& node = flow_.nodes_[n];
      if (node.callees.size() < 2 || node.successors.size() != 1 || node.successors[0] == kExit) continue;
      pair(marks, flow_.pc_[n], flow_.pc_[node.successors[0]], next_id++);
    }
  }

 private:
  static void pair(PcTable<ObservedMarks>& marks, std::uint64_t branch, std::uint64_t end, std::uint32_t id) {
    for (const std::uint64_t pc : {branch, end}) {
      auto& list = marks.at(pc).marks;
      if (!list) list = std::make_unique<PostDominatorMarks>();
      if (pc == branch && list->begin == PostDominatorMarks::kNone) list->begin = id;
    }
    marks.at(end).marks->ends.push_back(marks.at(branch).marks->begin);
  }

  /// By block; kExit: none within the function.
  [[nodiscard]] std::vector<std::uint32_t> post_dominators() const {
    const auto blocks = static_cast<std::uint32_t>(leader_.size());
    std::vector<std::uint32_t> result(blocks, kExit);
    if (blocks + 1 > analysis::DominatorTree::kMostBlocks) return result;
    std::vector<std::vector<analysis::BlockId>> reversed(blocks + 1);  // the last one is the exit
    for (std::uint32_t b = 0; b < blocks; ++b) {
      if (successors_[b].empty()) reversed[blocks].push_back(b);
      for (const std::uint32_t to : successors_[b]) reversed[to == kExit ? blocks : to].push_back(b);
    }
    // Every instruction of a trace leads to the trace's end, so every block is reached from the exit.
    const auto tree = analysis::DominatorTree::of(reversed, blocks);
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const auto up = tree.parent(b);
      if (up < blocks) result[b] = up;
    }
    return result;
  }

  const ObservedFlow& flow_;
  std::vector<std::uint32_t> nodes_;
  std::unordered_map<std::uint32_t, std::uint32_t> block_of_;
  std::vector<std::uint32_t> leader_, last_;  ///< by block: its first and last node
  std::vector<std::vector<std::uint32_t>> successors_;
};

void ObservedFlow::analyse() {
  marks_.clear();
  approximated_ = 0;
  std::vector<std::uint32_t> predecessors(nodes_.size(), 0), part(nodes_.size());
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) part[n] = n;
  const auto root = [&part](std::uint32_t n) {
    while (part[n] != n) n = part[n] = part[part[n]];
    return n;
  };
  for (std::uint32_t n = 0; n < nodes_.size(); ++n)
    for (const std::uint32_t to : nodes_[n].successors)
      if (to != kExit) {
        ++predecessors[to];
        part[root(n)] = root(to);
      }
  std::map<std::uint32_t, std::vector<std::uint32_t>> functions;
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) functions[root(n)].push_back(n);
  std::uint32_t next_id = 1;
  for (auto& [first, nodes] : functions) {
    bool approximated = false;
    Function(*this, std::move(nodes), predecessors).mark(marks_, next_id, approximated);
    approximated_ += approximated ? 1 : 0;
  }
}

std::size_t MarkedTraces::read(unsigned thread, std::span<TraceRecord> records) {
  const std::size_t n = traces_.read(thread, records);
  for (TraceRecord& record : records.first(n)) {
    const ObservedMarks* const marks = flow_.at(record.pc);
    if (marks == nullptr) continue;
    record.priority = marks->priority;
    record.marks = marks->marks.get();
    if (joins_ && marks->begins_block) record.flags |= TraceRecord::kBlockBegin;
  }
  return n;
}

}  // namespace heddle::resync
