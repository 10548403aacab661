#include "compiler/convergence/emission.h"

#include <algorithm>
#include <string>

#include "isa/convergence.h"

namespace heddle::compiler {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;
using Kind = NodeCode::Kind;

class Emitter {
 public:
  Emitter(const isa::Kernel& kernel, const FunctionFlow& flow, const Allocation& allocation,
          const std::vector<NodeId>& yields, const EmissionOptions& options, KernelEditor& editor)
      : kernel_(kernel),
        flow_(flow),
        regions_(allocation.regions),
        options_(options),
        editor_(editor),
        yields_(flow.graph.none()),
        emitted_(regions_.size()),
        lands_(flow.graph.size()) {
    for (const NodeId header : yields) yields_.set(header);
  }

  std::vector<EmittedRegion> run() {
    tail(0, [&](const Instruction& each) {
      if (options_.opens_behind == base::kNoPc)
        editor_.insert_before(Pc(flow_.entry), Entry::kFallThrough, each);
      else
        editor_.insert_after(options_.opens_behind, each);
    });
    for (const auto& [first, node] : flow_.starting) {
      if (flow_.graph[node].predecessors.empty()) continue;
      head_of_code(node);
      tail_of_code(node);
    }
    for (const auto& [header, loop] : flow_.loops)
      for (std::size_t i = 0; i < loop.latches.size(); ++i)
        if (loop.latches[i] != kNoNode) latch(loop, i);
    for (const auto& [first, node] : flow_.starting)
      if (!flow_.graph[node].predecessors.empty()) jumps_of(node);
    for (const EmittedRegion& each : emitted_) editor_.inserted(each.bssy).target = each.bsync;
    return std::move(emitted_);
  }

 private:
  [[nodiscard]] Instruction guarded(Instruction instruction) const {
    if (!options_.guard.present) return instruction;
    (instruction.guard.present ? instruction.guard2 : instruction.guard) = options_.guard;
    isa::list_registers(instruction);
    return instruction;
  }

  // ---- What a node begins and ends with

  /// BSYNCs, inner first. `insert` takes one instruction after the other.
  template <class Insert>
  void head(NodeId node, const Insert& insert) {
    for (std::size_t i = regions_.size(); i-- > 0;) {
      const PlacedRegion& placed = regions_[i];
      if (placed.region.to != node) continue;
      if (placed.spilled()) insert(isa::write_barrier(0, spill_register(placed)));
      insert(guarded(isa::bsync(placed.number())));
      emitted_[i].bsync = editor_.last_inserted();
    }
    if (yields_.test(node)) insert(isa::yield());
  }

  /// BSSYs, outer first.
  template <class Insert>
  void tail(NodeId node, const Insert& insert) {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const PlacedRegion& placed = regions_[i];
      if (placed.region.from != node) continue;
      insert(guarded(isa::bssy(placed.number(), base::kNoPc)));
      emitted_[i].bssy = editor_.last_inserted();
      if (placed.spilled()) insert(isa::read_barrier(spill_register(placed), 0, true));
    }
  }

  [[nodiscard]] isa::Operand spill_register(const PlacedRegion& placed) {
    while (spill_registers_.size() <= placed.spill_register)
      spill_registers_.push_back(
          editor_.new_register(isa::RowWidth::k32, "%convergence" + std::to_string(spill_registers_.size())));
    return spill_registers_[placed.spill_register];
  }

  /// Where those land that enter at the start of a node, and whether something is inserted before it that they pass by.
  struct Landing {
    Pc target = base::kNoPc;
    bool passes_by = false;
  };

  /// The nodes between outside and a loop's header come before it, one behind the other.
  void head_of_code(NodeId node) {
    const Pc first(flow_.code[node].first);
    std::vector<NodeId> waiting;  // for the next inserted instruction, where they land
    bool any = false;
    const auto begin = [&](NodeId each) {
      waiting.push_back(each);
      lands_[each].passes_by = any;
    };
    const auto insert = [&](const Instruction& each) {
      editor_.insert_before(first, Entry::kJumpsToo, each);
      for (const NodeId lands : waiting) lands_[lands].target = editor_.last_inserted();
      waiting.clear();
      any = true;
    };
    const auto loop = flow_.loops.find(node);
    if (loop != flow_.loops.end())
      for (const NodeId before : loop->second.before) {
        begin(before);
        head(before, insert);
        tail(before, insert);
      }
    begin(node);
    head(node, insert);
    for (const NodeId lands : waiting) lands_[lands].target = KernelEditor::itself(first);
  }

  void tail_of_code(NodeId node) {
    const NodeCode& code = flow_.code[node];
    const Pc last(code.end - 1);
    const Instruction& terminator = kernel_.code[code.end - 1];
    const bool calls = flow_.calls[node].behind;
    const bool jumps = terminator.op == Opcode::kBranch || terminator.op == Opcode::kIndirect;
    const auto before = [&](const Instruction& each) { editor_.insert_before(last, Entry::kJumpsToo, each); };
    const auto behind = [&](const Instruction& each) { editor_.insert_after(last, each); };
    if (calls || jumps)
      tail(node, before);
    else
      tail(node, behind);
    if (calls) {
      head(node + 1, behind);
      tail(node + 1, behind);
    }
    if (terminator.op != Opcode::kBranch || !terminator.guard.present || code.end >= kernel_.code.size())
      return;
    break_before(node, Pc(terminator.target), terminator, false, before);
    if (terminator.guard2.present)
      break_before(node, Pc(code.end), Instruction{}, false, behind);
    else
      break_before(node, Pc(code.end), terminator, true, before);
  }

  /// Code apart for several back edges.
  void latch(const LoopNodes& loop, std::size_t i) {
    const NodeId node = loop.latches[i];
    const Landing next = lands_[i + 1 < loop.before.size() ? loop.before[i + 1] : loop.header];
    bool any = false;
    const auto insert = [&](const Instruction& each) {
      editor_.insert_apart(Pc(flow_.end), each);
      if (!any) lands_[node] = {editor_.last_inserted(), true};
      any = true;
    };
    head(node, insert);
    tail(node, insert);
    if (any)
      insert(jump(next.target));
    else
      lands_[node] = next;
  }

  // ---- Edges

  /// Registers of the regions that an edge leaves.
  [[nodiscard]] std::vector<std::uint8_t> left(NodeId from, NodeId to) const {
    std::vector<std::uint8_t> barriers;
    if (!options_.breaks || flow_.graph[to].only_exits) return barriers;  // EXIT is enough
    for (const PlacedRegion& placed : regions_) {
      const auto& leaving = placed.region.leaving;
      if (std::find(leaving.begin(), leaving.end(), std::pair(from, to)) != leaving.end())
        barriers.push_back(placed.number());
    }
    return barriers;
  }

  [[nodiscard]] NodeId side(NodeId from, Pc to) const {
    const auto starting = flow_.starting.find(to.value());
    return starting == flow_.starting.end() ? kNoNode : flow_.side(from, starting->second);
  }

  template <class Insert>
  void break_before(NodeId from, Pc to, const Instruction& branch, bool fall_through, const Insert& insert) {
    const NodeId next = side(from, to);
    if (next == kNoNode) return;
    for (const std::uint8_t barrier : left(from, next)) {
      Instruction out = isa::break_barrier(barrier);
      out.guard = branch.guard;
      out.guard2 = branch.guard2;
      if (fall_through) out.guard.negated = !out.guard.negated;
      isa::list_registers(out);
      insert(guarded(out));
    }
  }

  /// Leads the edges of a node past what is inserted for others.
  void jumps_of(NodeId node) {
    const NodeCode& code = flow_.code[node];
    const Pc last(code.end - 1);
    const Instruction& terminator = kernel_.code[code.end - 1];
    if (terminator.op == Opcode::kIndirect) {
      table_of(node, last);
      return;
    }
    if (terminator.op == Opcode::kBranch) {
      const NodeId taken = side(node, terminator.target);
      if (taken != kNoNode && lands_[taken].passes_by) editor_.retarget(last, lands_[taken].target);
      if (!terminator.guard.present) return;
    }
    if (flow_.graph[node].ends) return;
    const NodeId next = side(flow_.calls[node].behind ? node + 1 : node, Pc(code.end));
    if (next != kNoNode && lands_[next].passes_by) editor_.insert_after(last, jump(lands_[next].target));
  }

  void table_of(NodeId node, Pc branch) {
    const Instruction& instruction = kernel_.code[branch.value()];
    std::vector<Pc> table;
    bool changed = false;
    for (std::uint32_t i = 0; i < instruction.table_count; ++i) {
      const Pc target = kernel_.targets[instruction.table_first + i];
      const NodeId next = side(node, target);
      Pc there = next != kNoNode && lands_[next].passes_by ? lands_[next].target : target;
      if (next != kNoNode) {
        const std::vector<std::uint8_t> barriers = left(node, next);
        bool first = true;
        Pc apart = there;
        for (const std::uint8_t barrier : barriers) {
          editor_.insert_apart(Pc(flow_.end), guarded(isa::break_barrier(barrier)));
          if (first) apart = editor_.last_inserted();
          first = false;
        }
        if (!barriers.empty()) editor_.insert_apart(Pc(flow_.end), jump(there));
        there = apart;
      }
      changed = changed || there != target;
      table.push_back(there);
    }
    if (changed) editor_.retarget(branch, table);
  }

  const isa::Kernel& kernel_;
  const FunctionFlow& flow_;
  const std::vector<PlacedRegion>& regions_;
  EmissionOptions options_;
  KernelEditor& editor_;
  NodeSet yields_;
  std::vector<EmittedRegion> emitted_;  ///< by region
  std::vector<Landing> lands_;          ///< by node
  std::vector<isa::Operand> spill_registers_;
};

}  // namespace

std::vector<EmittedRegion> emit_regions(const isa::Kernel& kernel, const FunctionFlow& flow,
                                        const Allocation& allocation, const std::vector<NodeId>& yields,
                                        const EmissionOptions& options, KernelEditor& editor) {
  return Emitter(kernel, flow, allocation, yields, options, editor).run();
}

}  // namespace heddle::compiler
