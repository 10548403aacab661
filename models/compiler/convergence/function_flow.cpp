#include "compiler/convergence/function_flow.h"

#include <algorithm>

namespace heddle::compiler {
namespace {

using isa::Instruction;
using isa::Opcode;

bool is_jump(const Instruction& instruction) {
  return instruction.op == Opcode::kBranch || instruction.op == Opcode::kIndirect;
}

class FlowBuilder {
 public:
  FlowBuilder(const isa::Kernel& kernel, const analysis::ControlFlowGraph& cfg,
              const analysis::Uniformity& uniformity, const analysis::CodeRange& range,
              const UseOfCall& use_of)
      : kernel_(kernel), cfg_(cfg), uniformity_(uniformity), range_(range), use_of_(use_of) {}

  FunctionFlow build(const FlowOptions& options) {
    flow_.entry = range_.entries.back();
    flow_.end = range_.end;
    add_node({NodeCode::Kind::kEntry, flow_.entry, flow_.entry});
    add_code(options.splits);
    connect();
    flow_.graph.remove_unreachable();
    for (LoopNodes& loop : separate_loops(flow_.graph, options.one_loop_a_header)) {
      for (std::size_t i = 0; i < loop.before.size(); ++i)
        note(loop.before[i], NodeCode::Kind::kBefore, loop);
      for (const NodeId latch : loop.latches)
        if (latch != kNoNode) note(latch, NodeCode::Kind::kLatch, loop);
      flow_.loops.emplace(loop.header, std::move(loop));
    }
    flow_.calls.resize(flow_.graph.size());
    std::erase_if(flow_.call_regions, [&](NodeId call) { return flow_.graph[call].predecessors.empty(); });
    return std::move(flow_);
  }

 private:
  NodeId add_node(const NodeCode& code) {
    flow_.code.push_back(code);
    return flow_.graph.add_node();
  }
  void note(NodeId node, NodeCode::Kind kind, const LoopNodes& loop) {
    flow_.code.resize(flow_.graph.size());
    flow_.code[node] = {kind, 0, 0, loop.header};
  }

  [[nodiscard]] bool parts_lanes(std::uint32_t call, const FunctionUse& use) const {
    const Instruction& instruction = kernel_.code[call];
    return use.returns_apart ||
           (instruction.src[0].present && instruction.table_count > 1 && !uniformity_.uniform(call));
  }

  void add_code(const std::set<std::uint32_t>& splits) {
    for (std::uint32_t at = flow_.entry; at < flow_.end;) {
      const std::uint32_t block_end = cfg_.block(cfg_.block_of(at)).end;
      NodeCode piece{NodeCode::Kind::kCode, at, at};
      NodeCalls calls;
      FlowNode traits;
      while (piece.end < block_end) {
        const std::uint32_t pc = piece.end++;
        const Instruction& instruction = kernel_.code[pc];
        if (instruction.op == Opcode::kExit && instruction.guard.present) traits.may_exit = true;
        if (may_wait(instruction)) calls.waits = true;
        if (!is_jump(instruction)) ++traits.instructions;
        if (instruction.op == Opcode::kStore || instruction.op == Opcode::kAtomic) ++traits.stores;
        if (instruction.op == Opcode::kCall) {
          const FunctionUse use = use_of_(pc);
          calls.behind = parts_lanes(pc, use);
          calls.waits = calls.waits || use.waits;
          calls.use.add(use);
        }
        if (calls.behind || splits.contains(piece.end)) break;
      }
      const std::uint32_t last = piece.end - 1;
      const Instruction& terminator = kernel_.code[last];
      if (piece.end == block_end) {
        traits.ends = cfg_.block(cfg_.block_of(last)).successors == std::vector{cfg_.exit()};
        traits.only_exits = traits.ends && terminator.op == Opcode::kExit && piece.end == piece.first + 1;
        if (traits.ends && terminator.op == Opcode::kExit) traits.may_exit = true;
        traits.parts = is_jump(terminator) && !uniformity_.uniform(last);
      }
      traits.parts = traits.parts || calls.behind;
      const NodeId node = add_node(piece);
      flow_.graph[node] = traits;
      flow_.starting.emplace(piece.first, node);
      flow_.calls.resize(flow_.graph.size());
      flow_.calls[node] = calls;
      if (calls.behind) {
        flow_.call_regions.push_back(node);
        add_node({NodeCode::Kind::kBehindCall, last, last + 1});
      }
      at = piece.end;
    }
  }

  void connect() {
    flow_.graph.add_edge(0, flow_.starting.at(flow_.entry));
    for (const auto& [first, node] : flow_.starting) {
      const std::uint32_t end = flow_.code[node].end;
      NodeId from = node;
      if (flow_.calls[node].behind) {
        from = node + 1;
        flow_.graph.add_edge(node, from);
      }
      const auto& block = cfg_.block(cfg_.block_of(end - 1));
      if (end < block.end) {
        flow_.graph.add_edge(from, flow_.starting.at(end));
        continue;
      }
      for (const analysis::BlockId to : block.successors)
        if (to != cfg_.exit()) flow_.graph.add_edge(from, flow_.starting.at(cfg_.block(to).first));
    }
  }

  const isa::Kernel& kernel_;
  const analysis::ControlFlowGraph& cfg_;
  const analysis::Uniformity& uniformity_;
  const analysis::CodeRange& range_;
  const UseOfCall& use_of_;
  FunctionFlow flow_;
};

}  // namespace

bool may_wait(const isa::Instruction& instruction) {
  return instruction.op == Opcode::kWarpSync || instruction.op == Opcode::kBarrier;
}

NodeId FunctionFlow::side(NodeId from, NodeId to) const {
  for (const NodeId next : graph[from].successors)
    if (next == to || code[next].header == to) return next;
  return kNoNode;
}

NodeId FunctionFlow::ending_at(std::uint32_t last) const {
  const auto behind = starting.upper_bound(last);
  if (behind == starting.begin()) return kNoNode;
  const NodeId node = std::prev(behind)->second;
  return code[node].end == last + 1 ? node : kNoNode;
}

FunctionFlow function_flow(const isa::Kernel& kernel, const analysis::ControlFlowGraph& cfg,
                           const analysis::Uniformity& uniformity, const analysis::CodeRange& range,
                           const FlowOptions& options, const UseOfCall& use_of) {
  return FlowBuilder(kernel, cfg, uniformity, range, use_of).build(options);
}

isa::Instruction jump(base::Pc target) {
  Instruction out;
  out.op = Opcode::kBranch;
  out.unit = isa::Unit::kControl;
  out.latency_class = isa::LatencyClass::kControl;
  out.transfer = isa::Transfer::kJump;
  out.stops_fetch = true;
  out.uniform = true;
  out.target = target;
  isa::list_registers(out);
  return out;
}

void merge_returns(isa::Kernel& kernel, const analysis::CodeRange& range) {
  std::uint32_t last = range.end;
  for (std::uint32_t pc = range.first; pc < range.end; ++pc)
    if (kernel.code[pc].op == Opcode::kReturn && !kernel.code[pc].guard.present) last = pc;
  for (std::uint32_t pc = range.first; pc < range.end && last != range.end; ++pc) {
    Instruction& instruction = kernel.code[pc];
    if (instruction.op != Opcode::kReturn || pc == last) continue;
    Instruction to_it = jump(base::Pc(last));
    to_it.guard = instruction.guard;
    to_it.guard2 = instruction.guard2;
    to_it.uniform = !instruction.guard.present;
    to_it.where = instruction.where;
    isa::list_registers(to_it);
    instruction = to_it;
  }
}

}  // namespace heddle::compiler
