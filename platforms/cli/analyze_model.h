// The results of `heddle analyze` for a kernel, as JSON: every loop, whether and why it may deadlock on a
// SIMT stack, and where reconvergence is safe.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/delayed_reconvergence.h"
#include "frontend/ptx/source_lines.h"
#include "isa/kernel.h"

namespace heddle::cli {

class AnalyzedKernel {
 public:
  /// `not_transformed`: the kernel has the pragma that excludes it from the transformation.
  AnalyzedKernel(std::shared_ptr<const isa::Kernel> kernel, const analysis::DeadlockOptions& options,
                 bool not_transformed);

  [[nodiscard]] const isa::Kernel& kernel() const { return *kernel_; }
  [[nodiscard]] analysis::CodeAnalysis& code() { return code_; }
  [[nodiscard]] const std::vector<analysis::LoopFinding>& findings() const { return findings_; }
  [[nodiscard]] std::size_t flagged() const;
  /// Keys: kernel, file, pragma, counts, loops, delayed_reconvergence, spin_branches, named_spin_branches.
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  [[nodiscard]] nlohmann::ordered_json place(base::Pc pc) const;
  [[nodiscard]] nlohmann::ordered_json loop(const analysis::LoopFinding& finding) const;
  [[nodiscard]] nlohmann::ordered_json write(const analysis::RedefiningWrite& write) const;

  std::shared_ptr<const isa::Kernel> kernel_;
  bool not_transformed_;
  analysis::CodeAnalysis code_;
  std::vector<analysis::LoopFinding> findings_;
  std::vector<analysis::ReconvergencePoint> delayed_;
  ptx::SourceLines lines_;
};

/// AnalyzedKernel::json() as readable text.
[[nodiscard]] std::string analysis_text(const nlohmann::ordered_json& kernel);

/// The PTX line of an instruction, with runs of white space replaced by single blanks.
[[nodiscard]] std::string ptx_line(const isa::Kernel& kernel, base::Pc pc);

}  // namespace heddle::cli
