// The litmus tests: shapes, and for each the ways in which its accesses are ordered and its threads placed.
#pragma once

#include <string>
#include <vector>

#include "program.h"

namespace heddle::litmus {

struct Shape {
  std::string name;
  std::string text;  ///< parse()
};
/// In the naming of Alglave, Maranget and Tautschnig, "Herding Cats", TOPLAS 2014.
[[nodiscard]] const std::vector<Shape>& shapes();

/// What stands between two accesses of a thread.
enum class Between : std::uint8_t {
  kNothing,
  kReleaseAcquire,  ///< the write behind it releases, the read before it acquires
  kAtomics,         ///< the same, by atom and red
  kFenceAcqRel,
  kFenceSc,
  kMembar,
  kFenceHalves  ///< fence.release before writes, fence.acquire behind reads
};

/// One way for all of a program.
struct Style {
  Order data = Order::kWeak;
  Order flag = Order::kWeak;  ///< of reads before and writes behind what synchronises
  Scope strength = Scope::kGpu;
  Between between = Between::kNothing;
  Scope scope = Scope::kGpu;  ///< of what synchronises
};
/// All of them.
[[nodiscard]] std::vector<Style> styles();

/// The program of a shape in a style. `placement`: by thread its CTA; empty: lanes of one warp.
[[nodiscard]] Program program_of(const Shape& shape, const Style& style,
                                 const std::vector<unsigned>& placement);

/// Each way to divide the threads of a shape among CTAs in which its barriers complete.
[[nodiscard]] std::vector<std::vector<unsigned>> placements(const Shape& shape);
/// It has none, so that its threads may also be lanes of one warp.
[[nodiscard]] bool has_barriers(const Shape& shape);

/// Each access and each place between two has an order and a scope of its own.
[[nodiscard]] Program random_program(const Shape& shape, std::uint64_t seed);

}  // namespace heddle::litmus
