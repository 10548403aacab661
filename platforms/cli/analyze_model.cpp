#include "cli/analyze_model.h"

#include <algorithm>

#include "analysis/spin_branches.h"
#include "compiler/facts.h"

namespace heddle::cli {

using base::Pc;
using nlohmann::ordered_json;

AnalyzedKernel::AnalyzedKernel(std::shared_ptr<const isa::Kernel> kernel,
                               const analysis::DeadlockOptions& options, bool not_transformed)
    : kernel_(std::move(kernel)),
      not_transformed_(not_transformed),
      code_(*kernel_),
      findings_(analysis::find_simt_deadlocks(code_, options)),
      delayed_(analysis::delayed_reconvergence(code_, options)),
      lines_(kernel_->source ? *kernel_->source : isa::SourceText{}) {}

std::size_t AnalyzedKernel::flagged() const {
  return static_cast<std::size_t>(
      std::count_if(findings_.begin(), findings_.end(), [](const auto& f) { return f.flagged(); }));
}

/// The instruction's PTX line, with runs of white space replaced by single blanks.
std::string ptx_line(const isa::Kernel& kernel, Pc pc) {
  std::string out;
  for (const char c : kernel.source_line(pc)) {
    const char plain = c == '\t' ? ' ' : c;
    if (plain != ' ' || (!out.empty() && out.back() != ' ')) out += plain;
  }
  return out;
}

/// {"line", "ptx"[, "cuda"][, "function"]}, or {"end": true}.
ordered_json AnalyzedKernel::place(Pc pc) const {
  if (pc == base::kNoPc) return {{"end", true}};
  const isa::Instruction& instruction = kernel_->code[pc.value()];
  ordered_json out{{"line", instruction.where.line}, {"ptx", ptx_line(*kernel_, pc)}};
  const isa::FunctionCode* const function = kernel_->function_at(pc);
  if (function != nullptr) {
    out["function"] = function->name;
    if (function->source != kernel_->source) return out;
  }
  if (const auto cuda = lines_.of(instruction.where))
    out["cuda"] = cuda->file.substr(cuda->file.find_last_of('/') + 1) + ":" + std::to_string(cuda->line);
  return out;
}

ordered_json AnalyzedKernel::write(const analysis::RedefiningWrite& write) const {
  ordered_json out{{"write", place(Pc(write.write))}, {"read", place(Pc(write.read))}};
  out["reachable"] = write.reachable;
  out["parallel"] = write.parallel;
  out["branches"] = ordered_json::array();
  for (const std::uint32_t branch : write.branches)
    out["branches"].push_back(kernel_->code[branch].where.line);
  if (!write.path.empty()) {
    out["path"] = ordered_json::array();
    for (const analysis::BlockId block : write.path)
      out["path"].push_back(kernel_->code[code_.cfg().block(block).first].where.line);
  }
  return out;
}

ordered_json AnalyzedKernel::loop(const analysis::LoopFinding& finding) const {
  const analysis::ControlFlowGraph& cfg = code_.cfg();
  ordered_json out{{"begin", place(Pc(cfg.block(finding.loop.header).first))},
                   {"end", place(Pc(cfg.block(finding.loop.latch).end - 1))}};
  out["may_deadlock"] = finding.flagged();
  out["several_entries"] = finding.loop.several_entries;
  out["depends_on_shared_memory"] = finding.depends_on_memory;
  for (const char* key : {"exits", "reads", "writes"}) out[key] = ordered_json::array();
  for (const std::uint32_t branch : finding.exit_branches) out["exits"].push_back(place(Pc(branch)));
  for (const std::uint32_t read : finding.shared_reads) out["reads"].push_back(place(Pc(read)));
  for (const auto& w : finding.writes) out["writes"].push_back(write(w));
  if (finding.because_of != analysis::kNoOtherLoop) {
    const auto header = cfg.block(findings_[finding.because_of].loop.header).first;
    out["because_of_loop"] = kernel_->code[header].where.line;
  }
  out["reconvergence"] = place(finding.reconvergence);
  out["safe_pdom"] = place(finding.safe);
  return out;
}

ordered_json AnalyzedKernel::json() const {
  ordered_json out{{"kernel", kernel_->name},
                   {"file", kernel_->source ? kernel_->source->name : std::string{}},
                   {"pragma_nossde", not_transformed_}};
  const auto count = [&](auto&& which) { return std::count_if(findings_.begin(), findings_.end(), which); };
  // The funnel of the thesis' Tab 3.2.
  out["counts"] = {
      {"branches",
       std::count_if(delayed_.begin(), delayed_.end(),
                     [&](const auto& p) {
                       return code_.cfg().block(code_.cfg().block_of(p.branch)).successors.size() > 1;
                     })},
      {"loops", findings_.size()},
      {"depend_on_shared_memory", count([](const auto& f) { return f.depends_on_memory; })},
      {"on_a_read_in_the_loop", count([](const auto& f) { return !f.shared_reads.empty(); })},
      {"redefined", count([](const auto& f) { return !f.writes.empty(); })},
      {"may_deadlock", flagged()}};
  out["loops"] = ordered_json::array();
  for (const auto& finding : findings_) out["loops"].push_back(loop(finding));
  out["delayed_reconvergence"] = ordered_json::array();
  for (const auto& point : delayed_) {
    const Pc usual = code_.post_dominators().behind(point.branch);
    if (point.rpc == usual) continue;
    out["delayed_reconvergence"].push_back(
        {{"branch", place(Pc(point.branch))}, {"usually", place(usual)}, {"delayed", place(point.rpc)}});
  }
  // By the program alone, and of the loops that it names itself (.pragma).
  out["spin_branches"] = ordered_json::array();
  for (const Pc pc : analysis::find_spin_branches(*kernel_)) out["spin_branches"].push_back(place(pc));
  out["named_spin_branches"] = ordered_json::array();
  const isa::ProgramFacts& facts = compiler::facts_of(*kernel_);
  for (std::uint32_t pc = 0; pc < kernel_->code.size(); ++pc)
    if (facts.has(Pc(pc), isa::ProgramFacts::kNamedSpinBranch))
      out["named_spin_branches"].push_back(place(Pc(pc)));
  return out;
}

}  // namespace heddle::cli
