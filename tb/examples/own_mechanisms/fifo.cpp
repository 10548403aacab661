#include "fifo.h"

#include <vector>

namespace own {
namespace {

using namespace heddle;

class Fifo final : public cache::ReplacementPolicy {
 public:
  explicit Fifo(const cache::ReplacementShape& shape)
      : ways_(shape.ways), placed_at_(std::size_t{shape.sets} * shape.ways) {}

  void placed(std::uint32_t frame) override { placed_at_[frame] = ++placements_; }
  void used(std::uint32_t) override {}
  void removed(std::uint32_t) override {}
  std::uint32_t victim(std::uint32_t set, std::span<const std::uint8_t> replaceable) const override {
    const std::uint64_t* const placed_at = &placed_at_[std::size_t{set} * ways_];
    std::uint32_t first = kNone;
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (replaceable[way] != 0 && (first == kNone || placed_at[way] < placed_at[first])) first = way;
    return first;
  }

 private:
  std::uint32_t ways_;
  std::uint64_t placements_ = 0;
  std::vector<std::uint64_t> placed_at_;
};

}  // namespace

cache::Replacement fifo_replacement() {
  return {"fifo", "first in, first out",
          [](const cache::ReplacementShape& shape) { return std::make_unique<Fifo>(shape); }};
}

}  // namespace own
