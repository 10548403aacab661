// Passes over decoded kernels, and their order.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "isa/kernel.h"

namespace heddle::compiler {

/// One step of a kernel's compilation. Throws std::length_error for a kernel too large for it, base::InputError for
/// one that cannot run.
class Pass {
 public:
  Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  virtual ~Pass() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  virtual void run(isa::Kernel& kernel) const = 0;
};

/// Passes run stage by stage, and within a stage in the order in which they were added.
enum class Stage : std::uint8_t {
  kComplete,    ///< what front ends leave to the compiler
  kTransform,   ///< inserts and changes instructions
  kReconverge,  ///< gives branches their reconvergence points
  kAnalyse,     ///< facts about the code, which is final at this stage
};
inline constexpr std::size_t kStages = 4;

class Pipeline {
 public:
  /// What every kernel needs before it runs: SaveRecursion, ReconvergencePoints, LiveRegisters,
  /// Transactions.
  [[nodiscard]] static Pipeline standard();

  Pipeline& add(Stage stage, std::shared_ptr<const Pass> pass);
  /// Names of the passes in their order.
  [[nodiscard]] std::vector<std::string_view> names() const;

  void run(isa::Kernel& kernel) const;
  /// All kernels of a module. One that a pass throws for is moved to the module's refused kernels.
  void run(isa::Module& module) const;

 private:
  std::array<std::vector<std::shared_ptr<const Pass>>, kStages> passes_;
};

}  // namespace heddle::compiler
