// SSDE (mimd-simt-and-bows §7.2, Alg 4): turns kernels written for a MIMD machine into kernels that finish on
// a SIMT stack, as changes of their PTX text.
//
// For every switch block of the plan (analysis/elimination.h) there is a register c, cleared where the
// function is entered. A latch sets c to its number and goes to the switch; the switch takes c into another
// register, clears it, and compares. Who has not come from a latch goes on to what follows. With several
// loops these leave first, and the others are told apart behind that: each side comes to the switch, where
// they all meet, after one round, and none runs in circles in front of another that it waits for (two locks,
// one held while the other is tried). Everything else in the text stays as it is.
#pragma once

#include <string>
#include <vector>

#include "analysis/elimination.h"
#include "frontend/ptx/ast.h"
#include "isa/kernel.h"

namespace heddle::ptx {

/// Kernels and functions with `.pragma "heddle nossde";` in their head or body (or all of a module that has
/// it outside of functions) are left as they are: code that relies on the lanes of a warp being in step is
/// broken by the transformation (mimd-simt-and-bows §3.5, §7.3). ptxas warns of pragmas that it does not
/// know, and refuses them outside of functions: for texts that go there as well, there is
/// SsdeOptions::except.
[[nodiscard]] bool has_no_ssde_pragma(const Module& module, const Function& function);

struct SsdeOptions {
  analysis::DeadlockOptions analysis;
  std::string only_kernel;          ///< transform this kernel and its functions; empty: all of the module
  std::vector<std::string> except;  ///< kernels and functions to leave as they are
  /// Take every loop for one that may deadlock: the transformation keeps what each thread does, whatever it
  /// is applied to.
  bool every_loop = false;
  /// Insert without line breaks and comments, so that line numbers stay those of the original.
  bool keep_lines = false;
};

struct SsdeSwitch {
  std::string function;
  std::uint32_t line = 0;  ///< of the statement that the switch stands in front of; 0: the function's end
  std::vector<std::uint32_t> loops;  ///< lines at which they begin
};

struct SsdeRefusal {
  std::string function;
  SourceLoc loop;
  std::string reason;
};

struct SsdeResult {
  std::string text;
  std::vector<SsdeSwitch> switches;   ///< empty: nothing had to be changed
  std::vector<SsdeRefusal> refusals;  ///< flagged loops that stay
};

/// `module` is the tree of `text`, `decoded` what it decodes to.
[[nodiscard]] SsdeResult eliminate_simt_deadlocks(const std::string& text, const Module& module,
                                                  const isa::Module& decoded,
                                                  const SsdeOptions& options = {});

}  // namespace heddle::ptx
