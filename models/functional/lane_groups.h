// Which group of a warp runs next. The one that is deepest in calls, and of these the one furthest behind in the code, so that lanes meet where a
// reconvergence stack would have them meet. A group that loops while others wait gives way to the one that has waited longest, so that lanes that spin do
// not keep out the one that they wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "functional/state.h"

namespace heddle::functional {

/// Jumps back of a group while another one could run, before it gives way; what looks like waiting counts for more (machine.cpp).
inline constexpr std::uint32_t kJumpsOfTurn = 4096;
/// Instructions of a group that others have given way to.
inline constexpr std::uint32_t kInstructionsOfTurn = 1024;

struct Turn {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t group = kNone;  ///< in Warp::groups
  std::uint32_t limit = ~0u;  ///< from this place in the order on another group is behind
  std::uint32_t instructions = ~0u;
  std::uint32_t jumps = ~0u;  ///< back
};

/// Joins groups that are ready at one PC, and says which one runs. `order`: by PC (code_order.h).
[[nodiscard]] Turn next_turn(Warp& warp, const std::vector<std::uint32_t>& order);

}  // namespace heddle::functional
