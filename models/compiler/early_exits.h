// Reconvergence points at which lanes would wait that others wait for.
#pragma once

#include "compiler/pipeline.h"

namespace heddle::compiler {

/// Lanes that only have to end do not wait for lanes that wait, at a barrier or .sync instruction, until they have: in
/// front of the block in which all paths of -O0 and -G code return, or of the stores before it. Where a branch leads to
/// code from which threads end by themselves (analysis/finishing.h) and to places where others wait for them, it gets
///
/// * where sides take turns no reconvergence point, unless all come by the same number of such places: a lane that ends does
///   so;
/// * where one side runs first the start of its only side that others may wait in, as behind `if (i >= n) return;`: the
///   other one runs to its end before.
///
/// Branches that all threads of a CTA decide alike keep theirs.
class EarlyExits : public Pass {
 public:
  /// `barriers`: lanes hold up CTA barriers one by one.
  EarlyExits(bool sides_take_turns, bool barriers) : turns_(sides_take_turns), barriers_(barriers) {}
  [[nodiscard]] std::string_view name() const override { return "early_exits"; }
  void run(isa::Kernel& kernel) const override;

 private:
  bool turns_;
  bool barriers_;
};

}  // namespace heddle::compiler
