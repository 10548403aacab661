// Policies without memory: the thread that comes first by a key of its view runs ([Resync] §3.1.1 to §3.1.3, §3.2.2;
// the other keys are helpers of the post-dominator scheme). In hardware: a reduction tree over {level or depth, PC}
// and n comparators.
#pragma once

#include <cstdint>
#include <memory>

#include "resync/selection_policy.h"

namespace heddle::resync {

enum class Key : std::uint8_t {
  kMinPc,      ///< least PC
  kMinSp,      ///< deepest stack, then least PC
  kMaxFun1,    ///< variant 1: most activation records, then least PC
  kMaxFun2,    ///< variant 2: then the smaller activation record, then least PC
  kMaxFun3,    ///< variant 3: then the larger one
  kMaxSp,      ///< helper: shallowest stack, then least PC
  kMinFun,     ///< helper: fewest activation records, then least PC
  kStructured  ///< highest nesting-depth register; all threads at it must have the same PC
};

[[nodiscard]] std::unique_ptr<SelectionPolicy> make_min_key(Key key);

}  // namespace heddle::resync
