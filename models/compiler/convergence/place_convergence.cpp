#include "compiler/convergence/place_convergence.h"

#include <algorithm>
#include <optional>

#include "analysis/delayed_reconvergence.h"
#include "compiler/convergence/emission.h"
#include "compiler/convergence/function_flow.h"

namespace heddle::compiler {
namespace {

using analysis::CodeRange;
using base::Pc;
using isa::Opcode;

/// Where branches meet elsewhere than usual, and loops whose lanes may wait for others.
struct Waiting {
  struct Meeting {
    Pc at = base::kNoPc;
    std::uint32_t loop = 0;  ///< number of the loop, from 1
  };
  std::map<std::uint32_t, Meeting> branches;  ///< by PC
  std::set<std::uint32_t> headers;            ///< first instructions
  std::set<std::uint32_t> splits;             ///< meeting places
};

class Placement {
 public:
  Placement(isa::Kernel& kernel, const ConvergenceOptions& options) : kernel_(kernel), options_(options) {}

  PlacementReport run() {
    for (const CodeRange& range : analysis::code_ranges(kernel_))
      if (!is_recursive(range) && range.function != 0) merge_returns(kernel_, range);
    const std::vector<CodeRange> ranges = analysis::code_ranges(kernel_);
    ranges_ = &ranges;
    find_waiting();
    const analysis::ControlFlowGraph cfg(kernel_.code, kernel_.targets);
    const analysis::Uniformity uniformity(kernel_, cfg);
    cfg_ = &cfg;
    uniformity_ = &uniformity;
    uses_.resize(kernel_.functions.size() + 1);
    const isa::Kernel before = kernel_;
    before_ = &before;
    KernelEditor editor(kernel_);
    editor_ = &editor;
    for (const CodeRange& range : ranges) use_of(range.function);
    editor.finish();
    for (PlacementReport::Region& region : report_.regions) {
      region.opens = editor.now_at(region.opens);
      region.meets = editor.now_at(region.meets);
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool is_recursive(const CodeRange& range) const {
    return range.function != 0 && kernel_.functions[range.function - 1].recursion != 0;
  }

  [[nodiscard]] bool excepted(std::uint32_t pc) const {
    if (!options_.excepted) return false;
    const isa::FunctionCode* const function = kernel_.function_at(Pc(pc));
    return function == nullptr ? options_.excepted(kernel_.name, true)
                               : options_.excepted(function->name, false);
  }

  void find_waiting() {
    if (options_.delay == DelayedMeeting::kOff && !options_.yields) return;
    analysis::CodeAnalysis code(kernel_);
    analysis::DeadlockOptions rules;
    rules.writes_within_loop = options_.delay != DelayedMeeting::kNear;
    rules.strong_reads_only = !options_.waits_by_weak_loads;
    const analysis::DelayedReconvergence delayed = analysis::delay_reconvergence(code, rules);
    std::uint32_t number = 0;
    for (const analysis::LoopFinding& finding : delayed.loops) {
      if (!finding.flagged()) continue;
      const std::uint32_t header = code.cfg().block(finding.loop.header).first;
      if (excepted(header)) continue;
      ++number;
      waiting_.headers.insert(header);
      for (const std::uint32_t branch : finding.exit_branches) waiting_.branches[branch].loop = number;
    }
    for (const analysis::ReconvergencePoint& point : delayed.points) {
      const Pc usual = code.places().behind(point.branch);
      const auto found = waiting_.branches.find(point.branch);
      if (options_.delay == DelayedMeeting::kOff || excepted(point.branch) || point.rpc == usual) {
        if (found != waiting_.branches.end()) found->second.at = usual;
      } else {
        waiting_.branches[point.branch].at = point.rpc;
      }
    }
    for (const auto& [branch, meeting] : waiting_.branches)
      if (meeting.at != base::kNoPc) waiting_.splits.insert(meeting.at.value());
  }

  // ---- Functions, those that are called first

  [[nodiscard]] std::vector<std::uint32_t> called(std::uint32_t call) const {
    const isa::Instruction& instruction = before_->code[call];
    std::vector<std::uint32_t> functions;
    const auto add = [&](Pc target) {
      for (std::uint32_t f = 0; f < before_->functions.size(); ++f)
        if (target == Pc(before_->functions[f].first) || target == Pc(before_->functions[f].entry))
          functions.push_back(f + 1);
    };
    if (!instruction.src[0].present) add(instruction.target);
    for (std::uint32_t i = 0; instruction.src[0].present && i < instruction.table_count; ++i)
      add(before_->targets[instruction.table_first + i]);
    return functions;
  }

  [[nodiscard]] static FunctionUse either(FunctionUse a, const FunctionUse& b) {
    a.overwrites.insert(b.overwrites.begin(), b.overwrites.end());
    a.entries = std::max(a.entries, b.entries);
    a.may_exit = a.may_exit || b.may_exit;
    a.returns_apart = a.returns_apart || b.returns_apart;
    a.waits = a.waits || b.waits;
    return a;
  }

  FunctionUse use_of_call(std::uint32_t call) {
    FunctionUse use;
    for (const std::uint32_t function : called(call)) use = either(use, use_of(function));
    return use;
  }

  const FunctionUse& use_of(std::uint32_t function) {
    if (!uses_[function]) {
      const auto range = std::find_if(ranges_->begin(), ranges_->end(),
                                      [&](const CodeRange& each) { return each.function == function; });
      if (range == ranges_->end())
        uses_[function] = FunctionUse{};
      else
        uses_[function] = is_recursive(*range) ? use_of_recursion(*range) : place(*range);
    }
    return *uses_[function];
  }

  /// Its lanes go each their own way; none of its calls returns to another depth.
  FunctionUse use_of_recursion(const CodeRange& range) {
    const std::uint32_t recursion = kernel_.functions[range.function - 1].recursion;
    FunctionUse use;
    use.returns_apart = true;
    for (const CodeRange& each : *ranges_) {
      if (each.function == 0 || before_->functions[each.function - 1].recursion != recursion) continue;
      for (std::uint32_t pc = each.first; pc < each.end; ++pc) {
        if (before_->code[pc].op == Opcode::kExit) use.may_exit = true;
        if (may_wait(before_->code[pc])) use.waits = true;
        if (before_->code[pc].op != Opcode::kCall) continue;
        for (const std::uint32_t function : called(pc))
          if (before_->functions[function - 1].recursion != recursion) use = either(use, use_of(function));
      }
    }
    return use;
  }

  FunctionUse place(const CodeRange& range) {
    const FunctionFlow flow = function_flow(*before_, *cfg_, *uniformity_, range, waiting_.splits,
                                            [this](std::uint32_t call) { return use_of_call(call); });
    std::vector<NodeId> loops;
    for (const std::uint32_t header : waiting_.headers) {
      const auto node = flow.starting.find(header);
      if (node != flow.starting.end()) loops.push_back(node->second);
    }
    Regions regions(flow.graph, options_.regions);
    regions.find(meeting_places(flow, regions), flow.call_regions);
    const Allocation allocation =
        allocate(std::move(regions), flow.calls, loops, range.function != 0, options_.allocation);
    const std::vector<EmittedRegion> emitted =
        emit_regions(*before_, flow, allocation, loops, {options_.yields, options_.breaks}, *editor_);
    for (std::size_t i = 0; i < emitted.size(); ++i) {
      const PlacedRegion& placed = allocation.regions[i];
      report_.regions.push_back({emitted[i].bssy, emitted[i].bsync, placed.number(), placed.spilled(),
                                 placed.region.early, placed.region.waits, placed.region.leaving.size()});
    }
    report_.dropped += allocation.dropped;
    return allocation.use;
  }

  [[nodiscard]] std::map<NodeId, MeetingPlace> meeting_places(const FunctionFlow& flow,
                                                              const Regions& regions) const {
    std::map<NodeId, MeetingPlace> places;
    for (const auto& [branch, meeting] : waiting_.branches) {
      const NodeId node = flow.ending_at(branch);
      if (node == kNoNode || branch < flow.entry || branch >= flow.end) continue;
      places[node] = {place_at(flow, regions, node, meeting.at), meeting.loop};
    }
    return places;
  }

  /// On the way to a loop its lanes meet before they enter it.
  [[nodiscard]] static NodeId place_at(const FunctionFlow& flow, const Regions& regions, NodeId branch,
                                       Pc at) {
    if (at == base::kNoPc) return kNoNode;
    const auto found = flow.starting.find(at.value());
    if (found == flow.starting.end()) return kNoNode;
    for (NodeId next = regions.post_dominator(branch); next != kNoNode; next = regions.post_dominator(next))
      if (flow.code[next].kind == NodeCode::Kind::kBefore && flow.code[next].header == found->second)
        return next;
    return found->second;
  }

  isa::Kernel& kernel_;
  const ConvergenceOptions& options_;
  Waiting waiting_;
  const std::vector<CodeRange>* ranges_ = nullptr;
  const analysis::ControlFlowGraph* cfg_ = nullptr;
  const analysis::Uniformity* uniformity_ = nullptr;
  const isa::Kernel* before_ = nullptr;  ///< while the editor changes it
  KernelEditor* editor_ = nullptr;
  std::vector<std::optional<FunctionUse>> uses_;
  PlacementReport report_;
};

}  // namespace

bool has_convergence(const isa::Kernel& kernel) {
  return std::any_of(kernel.code.begin(), kernel.code.end(),
                     [](const isa::Instruction& each) { return each.op == Opcode::kConvergence; });
}

PlacementReport place_convergence(isa::Kernel& kernel, const ConvergenceOptions& options) {
  return Placement(kernel, options).run();
}

void PlaceConvergence::run(isa::Kernel& kernel) const {
  if (!kernel.code.empty() && !has_convergence(kernel)) place_convergence(kernel, options_);
}

}  // namespace heddle::compiler
