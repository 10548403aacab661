#include <fmt/format.h>

#include <algorithm>

#include "analysis/stack_check.h"
#include "frontend/ptx/parser.h"
#include "ssde/ssde.h"
#include "ssde/ssde_function.h"

namespace heddle::ssde {
namespace {

struct Hazard {
  std::string key;       ///< of the function
  std::string function;  ///< its name
  SourceLoc loop;
  std::string reason;
};

class Check {
 public:
  /// `before` and `after`: the original and the transformed kernel.
  Check(const isa::Kernel& before, const isa::Kernel& after, const std::string& text,
        const std::string& prefix, const SsdeOptions& options)
      : before_(before),
        after_(after),
        text_(text),
        inserted_("%" + prefix + "_"),
        common_(options.common_point),
        sets_(after_, options.analysis, false) {
    lines_.push_back(0);
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
      lines_.push_back(at + 1);
  }

  std::vector<Hazard> run() {
    find_blocked();
    const auto& ranges = after_.ranges();
    for (std::size_t r = 0; r < ranges.size() && r < before_.ranges().size(); ++r)
      find_parted(before_.ranges()[r], ranges[r]);
    return std::move(hazards_);
  }

 private:
  void add(const analysis::CodeRange& range, SourceLoc loop, std::string reason) {
    const std::string& name =
        range.function == 0 ? after_.kernel().name : after_.kernel().functions[range.function - 1].name;
    hazards_.push_back({ssde_key(after_.kernel(), range), name, loop, std::move(reason)});
  }

  void find_blocked() {
    for (const analysis::BlockedWrite& blocked : analysis::blocked_writes(after_, sets_)) {
      const analysis::WaitingSet& set = sets_.all()[blocked.set];
      // With a common point all cycles in which threads waited lead through the switch. What goes round elsewhere only looks as
      // if it waited, since a lane that fails leaves it for the switch: how often it goes round depends on no memory.
      if (common_.contains(ssde_key(after_.kernel(), after_.range_of(blocked.branch))) && !has_switch(set))
        continue;
      const auto& code = after_.kernel().code;
      add(after_.range_of(blocked.branch), code[set.reads.front()].where,
          fmt::format("threads that would write what it waits for (line {}) wait for it behind the branch of "
                      "line {}, also "
                      "where all waiting loops of the function share one switch",
                      code[blocked.write].where.line, code[blocked.branch].where.line));
    }
  }

  [[nodiscard]] bool is_inserted(const isa::Instruction& instruction) const {
    const std::size_t at = lines_.at(instruction.where.line - 1) + instruction.where.column - 1;
    const std::size_t from = at == 0 ? 0 : text_.find_last_of(";:{}\n", at - 1) + 1;
    const std::size_t found = text_.find(inserted_, from);
    return found < text_.find(';', at);
  }

  [[nodiscard]] bool has_switch(const analysis::WaitingSet& set) const {
    const auto& cfg = after_.cfg();
    for (std::size_t b = set.blocks.find_first(); b != analysis::BlockSet::npos;
         b = set.blocks.find_next(b)) {
      const isa::Instruction& last = cfg.code()[cfg.block(static_cast<analysis::BlockId>(b)).end - 1];
      if (last.op == isa::Opcode::kBranch && last.guard.present && is_inserted(last)) return true;
    }
    return false;
  }

  /// Lanes that came together to a vote or shuffle still do.
  void find_parted(const analysis::CodeRange& was, const analysis::CodeRange& is) {
    const std::vector<std::uint32_t> old_branches = analysis::parting_branches(before_, was);
    std::vector<std::uint32_t> branches = analysis::parting_branches(after_, is);
    std::erase_if(branches, [&](std::uint32_t branch) { return is_inserted(after_.kernel().code[branch]); });
    const auto old = analysis::parted_lanes(before_, was, old_branches);
    const auto now = analysis::parted_lanes(after_, is, branches);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const isa::Instruction& instruction = after_.kernel().code[now[i].instruction];
      if (old.size() == now.size() && branches.size() == old_branches.size() &&
          std::includes(old[i].parted_by.begin(), old[i].parted_by.end(), now[i].parted_by.begin(),
                        now[i].parted_by.end()))
        continue;
      add(is, instruction.where,
          fmt::format(
              "the lanes that take part in the instruction of line {} would no longer come to it together",
              instruction.where.line));
      return;
    }
  }

  analysis::CodeAnalysis before_;
  analysis::CodeAnalysis after_;
  const std::string& text_;
  std::string inserted_;
  const std::set<std::string>& common_;
  analysis::WaitingSets sets_;
  std::vector<std::size_t> lines_;
  std::vector<Hazard> hazards_;
};

/// What is not transformed is not checked either.
bool is_left_alone(const Module& module, const SsdeOptions& options, const Hazard& hazard) {
  if (std::find(options.except.begin(), options.except.end(), hazard.function) != options.except.end())
    return true;
  const Function* const function = function_named(module, hazard.function, hazard.key.starts_with("k "));
  return function == nullptr || has_no_ssde_pragma(module, *function);
}

std::vector<Hazard> check(const Module& module, const isa::Module& before, const isa::Module& after,
                          const SsdeResult& result, const SsdeOptions& options) {
  std::vector<Hazard> all;
  for (const auto& kernel : after.kernels) {
    if (!options.only_kernel.empty() && kernel->name != options.only_kernel) continue;
    const auto old = std::find_if(before.kernels.begin(), before.kernels.end(),
                                  [&](const auto& each) { return each->name == kernel->name; });
    if (old == before.kernels.end()) continue;
    for (Hazard& hazard : Check(**old, *kernel, result.text, result.prefix, options).run())
      if (!is_left_alone(module, options, hazard)) all.push_back(std::move(hazard));
  }
  return all;
}

}  // namespace

SsdeResult eliminate_soundly(const std::string& text, const Module& module, const SsdeDecode& decode,
                             const SsdeOptions& options) {
  const isa::Module before = decode(module);
  SsdeOptions tried = options;
  tried.keep_lines = true;  // places in the result are places in the text
  for (;;) {
    SsdeResult result = eliminate_simt_deadlocks(text, module, before, tried);
    if (!result.refusals.empty()) return result;
    const std::string name = module.source ? module.source->name : std::string{};
    const std::vector<Hazard> hazards =
        result.switches.empty()
            ? check(module, before, before, result, tried)
            : check(module, before, decode(ptx::parse_text(result.text, name)), result, tried);
    bool again = false;
    for (const Hazard& hazard : hazards)
      if (tried.common_point.insert(hazard.key).second)
        again = true;
      else
        result.refusals.push_back({hazard.function, hazard.loop, hazard.reason});
    if (again) continue;
    if (!result.refusals.empty() || options.keep_lines) return result;
    tried.keep_lines = false;
    return eliminate_simt_deadlocks(text, module, before, tried);
  }
}

}  // namespace heddle::ssde
