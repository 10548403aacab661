#include "ssde/ssde.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "analysis/deadlock.h"
#include "analysis/stack_check.h"
#include "frontend/ptx/function_text.h"
#include "ssde/ssde_function.h"

namespace heddle::ssde {
namespace {

/// A prefix that no name of the text has after its $ or %.
std::string free_prefix(const std::string& text) {
  std::string prefix = "heddle";
  for (unsigned i = 2; text.find("$" + prefix + "_") != std::string::npos ||
                       text.find("%" + prefix + "_") != std::string::npos;
       ++i)
    prefix = fmt::format("heddle{}", i);
  return prefix;
}

}  // namespace

const Function* function_named(const Module& module, const std::string& name, bool entry) {
  for (const Function& function : module.functions)
    if (function.name == name && function.is_entry == entry && !function.external) return &function;
  return nullptr;
}

std::string ssde_key(const isa::Kernel& kernel, const analysis::CodeRange& range) {
  return range.function == 0 ? "k " + kernel.name : "f " + kernel.functions[range.function - 1].name;
}

bool has_no_ssde_pragma(const Module& module, const Function& function) {
  const auto in = [](const std::vector<std::string>& pragmas) {
    return std::find(pragmas.begin(), pragmas.end(), ptx::kNoSsdePragma) != pragmas.end();
  };
  return in(module.pragmas) || in(function.pragmas);
}

SsdeResult eliminate_simt_deadlocks(const std::string& text, const Module& module, const isa::Module& decoded,
                                    const SsdeOptions& options) {
  SsdeResult result;
  TextEdit edit(text);
  const std::string prefix = free_prefix(text);
  result.prefix = prefix;
  // A device function has code in every kernel that may call it, but only one text.
  std::set<const Function*> done;
  for (const auto& kernel : decoded.kernels) {
    if (!options.only_kernel.empty() && kernel->name != options.only_kernel) continue;
    analysis::CodeAnalysis code(*kernel);
    auto findings = analysis::find_simt_deadlocks(code, options.analysis);
    for (std::uint32_t l = 0; options.every_loop && l < findings.size(); ++l)
      if (!findings[l].flagged() && !findings[l].exit_branches.empty()) findings[l].because_of = l;
    if (!options.common_point.empty()) {
      const analysis::WaitingSets sets(code, options.analysis);
      for (const analysis::CodeRange& range : code.ranges())
        if (options.common_point.contains(ssde_key(*kernel, range)))
          analysis::use_common_point(code, sets, range.function, findings);
    }
    const analysis::EliminationPlan plan = analysis::plan_elimination(code, findings);
    const auto refuse = [&](const std::string& function, std::uint32_t loop, const std::string& reason) {
      const auto header = code.cfg().block(findings[loop].loop.header).first;
      result.refusals.push_back({function, kernel->code[header].where, reason});
    };
    for (const analysis::CodeRange& range : code.ranges()) {
      const bool entry = range.function == 0;
      const isa::FunctionCode* const part = entry ? nullptr : &kernel->functions[range.function - 1];
      const std::string& name = entry ? kernel->name : part->name;
      const bool here = entry || part->source == module.source;
      const Function* const function = here ? function_named(module, name, entry) : nullptr;
      if (std::find(options.except.begin(), options.except.end(), name) != options.except.end()) continue;
      if (function != nullptr && (!done.insert(function).second || has_no_ssde_pragma(module, *function)))
        continue;
      for (const auto& refusal : plan.refusals)
        if (findings[refusal.loop].loop.function == range.function)
          refuse(name, refusal.loop, refusal.reason);
      const auto needed = std::find_if(plan.switches.begin(), plan.switches.end(),
                                       [&](const auto& block) { return block.function == range.function; });
      if (needed == plan.switches.end()) continue;
      if (function == nullptr) {
        refuse(name, needed->cases.front().loop,
               "its function is part of another module: transform that one");
        continue;
      }
      const FunctionText statements(edit, *function);
      SsdeFunction(edit, statements, code, findings, prefix, options.keep_lines)
          .run(plan, range.function, result);
    }
  }
  result.text = edit.apply();
  return result;
}

}  // namespace heddle::ssde
