#include "chunk_dispatch.h"

#include <algorithm>

namespace own {
namespace {

using namespace heddle;

/// Keys dispatch.chunks.*
struct ChunksConfig {
  std::uint32_t ctas = 4;
  void visit(base::ConfigVisitor& v) {
    v.field("ctas", ctas,
            {.unit = "CTAs", .doc = "consecutive CTAs that a core takes", .min = 1, .max = 1 << 16});
  }
};

class ChunkDispatch final : public core::CtaDispatchPolicy {
 public:
  explicit ChunkDispatch(std::uint32_t chunk) : chunk_(chunk) {}

  void begin(std::uint64_t ctas, std::uint32_t cores) override {
    total_ = ctas;
    taken_ = 0;
    of_core_.assign(cores, {});
  }
  std::optional<core::CtaChoice> next(std::span<const std::uint32_t> room) override {
    for (std::uint32_t core = 0; core < room.size(); ++core) {
      Chunk& chunk = of_core_[core];
      if (room[core] == 0) continue;
      if (chunk.next == chunk.end && taken_ < total_) {
        chunk = {taken_, std::min(taken_ + chunk_, total_)};
        taken_ = chunk.end;
      }
      if (chunk.next != chunk.end) return core::CtaChoice{core, chunk.next++};
    }
    return std::nullopt;
  }

 private:
  struct Chunk {
    std::uint64_t next = 0;
    std::uint64_t end = 0;
  };
  std::uint32_t chunk_;
  std::uint64_t total_ = 0;
  std::uint64_t taken_ = 0;  ///< CTAs assigned to some core's chunk
  std::vector<Chunk> of_core_;
};

}  // namespace

core::DispatchPolicy chunk_dispatch() {
  return {"chunks",
          "a core takes consecutive CTAs",
          {base::ConfigOption::section<ChunksConfig>("chunks", "policy chunks")},
          [](const core::DispatchConfig& config) {
            return std::make_unique<ChunkDispatch>(config.get<ChunksConfig>().ctas);
          }};
}

}  // namespace own
