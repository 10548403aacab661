// SSDE ([SSDE] §4.2.1, Alg 4): transforms the PTX text of kernels written for a MIMD machine so
// that they complete on a SIMT stack.
//
// Every switch block of the plan (analysis/elimination.h) has a register c, which is cleared at the
// function's entry. A latch sets c to its number and jumps to the switch. The switch copies c to another
// register, clears it, and compares. Threads that did not come from a latch continue after the switch. With
// several loops these leave first, and the others are distinguished after that. Every side then reaches the
// switch, where all reconverge, after one iteration. So no side loops while it blocks another that it waits
// for (two locks, one held while the other is tried). The rest of the text is unchanged.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "analysis/elimination.h"
#include "frontend/ptx/ast.h"
#include "isa/kernel.h"

namespace heddle::ssde {

using ptx::Function;
using ptx::Module;
using ptx::SourceLoc;

/// Kernels and functions with `.pragma "heddle nossde";` in their head or body (or all of a module that has
/// it outside of functions) are left as they are: code that relies on the lanes of a warp being in step is
/// broken by the transformation ([SSDE] §4.2.3). ptxas warns of pragmas that it does not
/// know, and refuses them outside of functions: for texts that go there as well, there is
/// SsdeOptions::except.
[[nodiscard]] bool has_no_ssde_pragma(const Module& module, const Function& function);

struct SsdeOptions {
  analysis::DeadlockOptions analysis;
  std::string only_kernel;          ///< transform this kernel and its functions; empty: the whole module
  std::vector<std::string> except;  ///< kernels and functions that are not transformed
  /// Treat every loop as one that may deadlock: the transformation preserves each thread's behaviour wherever
  /// it is applied.
  bool every_loop = false;
  /// Functions ("k NAME" kernels, "f NAME" others) whose waiting loops share one point instead of those of Alg 2 and 3.
  std::set<std::string> common_point;
  /// Insert without line breaks and comments, to preserve line numbers.
  bool keep_lines = false;
};

struct SsdeSwitch {
  std::string function;
  std::uint32_t line = 0;            ///< line of the statement that follows the switch; 0: the function's end
  std::vector<std::uint32_t> loops;  ///< lines at which they start
};

struct SsdeRefusal {
  std::string function;
  SourceLoc loop;
  std::string reason;
};

struct SsdeResult {
  std::string text;
  std::vector<SsdeSwitch> switches;   ///< empty: no changes were necessary
  std::vector<SsdeRefusal> refusals;  ///< flagged loops that are not transformed
  std::string prefix;                 ///< start of the names in inserted statements, behind $ or %
};

/// `module` is the syntax tree of `text`, `decoded` its decoded form.
[[nodiscard]] SsdeResult eliminate_simt_deadlocks(const std::string& text, const Module& module,
                                                  const isa::Module& decoded,
                                                  const SsdeOptions& options = {});

/// Decodes a module, and gives branches their reconvergence points.
using SsdeDecode = std::function<isa::Module(const Module&)>;

/// The same with a check of the result (analysis/stack_check.h): where the published points might let a program hang that
/// ends under independent threads, or part lanes that meet at votes and shuffles, all loops of the function that wait get a
/// common point; where that is not enough either, the loop is refused.
[[nodiscard]] SsdeResult eliminate_soundly(const std::string& text, const Module& module,
                                           const SsdeDecode& decode, const SsdeOptions& options = {});

}  // namespace heddle::ssde
