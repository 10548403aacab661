// The greedy oracle ([Resync] §3.3.3): the group that the others will need last runs first. It looks into the
// traces, so it is for replay only; and it is no upper bound ([Resync:R7]).
#pragma once

#include <cstdint>
#include <memory>

#include "resync/selection_policy.h"

namespace heddle::resync {

/// What threads are going to execute.
class Future {
 public:
  virtual ~Future() = default;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  /// Instructions until `thread` comes to `pc`, 1: the one behind its next; kNever: not within `limit`, or only behind a
  /// barrier.
  [[nodiscard]] virtual std::uint64_t until(unsigned thread, std::uint64_t pc, std::uint64_t limit) = 0;
  /// PC of the instruction that is `ahead` behind the next one of `thread`; kNever: its trace ends before.
  [[nodiscard]] virtual std::uint64_t pc_at(unsigned thread, std::uint64_t ahead) = 0;
};

class LooksAhead : public SelectionPolicy {
 public:
  /// Instructions that it looks ahead.
  [[nodiscard]] virtual std::uint64_t window() const = 0;
  virtual void look_into(Future* future) = 0;
  [[nodiscard]] bool looks_ahead() const final { return true; }
};

struct OracleOptions {
  std::uint64_t window = 1000;  ///< instructions
  double length = 0;            ///< a match counts if it is this part of its distance long
};

[[nodiscard]] std::unique_ptr<LooksAhead> make_greedy_oracle(const OracleOptions& options);

}  // namespace heddle::resync
