#include "resync/min_key.h"

#include <stdexcept>
#include <tuple>

namespace heddle::resync {
namespace {

/// `KeyOf(views, thread)`: the least one runs, ties to the lowest thread.
template <class KeyOf>
class MinKey final : public SelectionPolicy {
 public:
  void reset(unsigned /*threads*/) override {}
  [[nodiscard]] bool listens() const override { return false; }
  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    unsigned best = lowest(candidates);
    auto key = KeyOf{}(views, best);
    for_each_thread(candidates & (candidates - 1), [&](unsigned t) {
      const auto other = KeyOf{}(views, t);
      const bool less = other < key;
      best = less ? t : best;
      key = less ? other : key;
    });
    return run(views, best);
  }
};

struct LeastPc {
  std::uint64_t operator()(const ThreadViews& v, unsigned t) const { return v.pc[t]; }
};
/// {upper, pc} compared as one word, as the tree in hardware does.
struct Wide {
  std::uint64_t upper = 0;
  std::uint64_t pc = 0;
  bool operator<(const Wide& other) const {
    return (upper < other.upper) | ((upper == other.upper) & (pc < other.pc));
  }
};
[[nodiscard]] Wide wide(std::uint64_t upper, std::uint64_t pc) { return {upper, pc}; }
struct DeepestStack {
  auto operator()(const ThreadViews& v, unsigned t) const { return wide(~v.depth[t], v.pc[t]); }
};
struct ShallowestStack {
  auto operator()(const ThreadViews& v, unsigned t) const { return wide(v.depth[t], v.pc[t]); }
};
struct MostFunctions {
  auto operator()(const ThreadViews& v, unsigned t) const {
    return wide(~std::uint64_t{v.level[t]}, v.pc[t]);
  }
};
struct FewestFunctions {
  auto operator()(const ThreadViews& v, unsigned t) const { return wide(v.level[t], v.pc[t]); }
};
struct MostFunctionsSmallerRecord {
  auto operator()(const ThreadViews& v, unsigned t) const {
    return std::tuple(~v.level[t], v.depth[t], v.pc[t]);
  }
};
struct MostFunctionsLargerRecord {
  auto operator()(const ThreadViews& v, unsigned t) const {
    return std::tuple(~v.level[t], ~v.depth[t], v.pc[t]);
  }
};
struct HighestNesting {
  auto operator()(const ThreadViews& v, unsigned t) const { return ~v.nesting[t]; }
};

/// [Resync] §3.2.2: the scheme guarantees one PC per nesting depth; code that breaks this is not structured.
class Structured final : public SelectionPolicy {
 public:
  void reset(unsigned /*threads*/) override {}
  [[nodiscard]] bool listens() const override { return false; }
  Selection select(const ThreadViews& views, ThreadMask candidates) override {
    const Selection chosen = highest_.select(views, candidates);
    for_each_thread(candidates & ~chosen.mask, [&](unsigned t) {
      if (views.nesting[t] == views.nesting[chosen.reference])
        throw std::logic_error(
            "structured: threads of one nesting depth have different PCs: the code is not structured "
            "([Resync] §3.2.2)");
    });
    return chosen;
  }

 private:
  MinKey<HighestNesting> highest_;
};

}  // namespace

std::unique_ptr<SelectionPolicy> make_min_key(Key key) {
  switch (key) {
    case Key::kMinPc:
      return std::make_unique<MinKey<LeastPc>>();
    case Key::kMinSp:
      return std::make_unique<MinKey<DeepestStack>>();
    case Key::kMaxFun1:
      return std::make_unique<MinKey<MostFunctions>>();
    case Key::kMaxFun2:
      return std::make_unique<MinKey<MostFunctionsSmallerRecord>>();
    case Key::kMaxFun3:
      return std::make_unique<MinKey<MostFunctionsLargerRecord>>();
    case Key::kMaxSp:
      return std::make_unique<MinKey<ShallowestStack>>();
    case Key::kMinFun:
      return std::make_unique<MinKey<FewestFunctions>>();
    case Key::kStructured:
      return std::make_unique<Structured>();
  }
  throw std::logic_error("no such key");
}

}  // namespace heddle::resync
