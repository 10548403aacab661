#include "core/observe/stuck_warp.h"

#include <fmt/format.h>

namespace heddle::core {

std::string describe_warps(const std::vector<StuckWarp>& warps) {
  std::string text;
  // Warps whose own lanes block each other first: they are the cause, the others only wait for them.
  std::vector<const StuckWarp*> order;
  for (const StuckWarp& warp : warps)
    if (!warp.waiting.empty()) order.push_back(&warp);
  for (const StuckWarp& warp : warps)
    if (warp.waiting.empty()) order.push_back(&warp);
  constexpr std::size_t kShown = 6;
  for (std::size_t i = 0; i < order.size() && i < kShown; ++i) {
    const StuckWarp& warp = *order[i];
    text += fmt::format("\n  {}: lanes {} {} at {}\n      {}", warp.warp, warp.lanes, warp.activity,
                        warp.place, warp.source);
    for (const StuckWarp::Waiting& waiting : warp.waiting)
      text += fmt::format("\n    lanes {} {} at {}\n      {}", waiting.lanes, waiting.how, waiting.place,
                          waiting.source);
  }
  if (order.size() > kShown) text += fmt::format("\n  and {} more warps", order.size() - kShown);
  return text;
}

}  // namespace heddle::core
