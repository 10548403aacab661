// The BF array ([KiloTM] §4.4.3, [KiloTM:A11]): hazard detection without a last writer history. Each entry of the ring has a
// Bloom signature of what it has read, and one of what it writes; the first is compared with the second of all older entries,
// and the youngest of those that may have a word in common is waited for. Large read sets meet many of them falsely.
//
// Signatures of entries that have retired are compared, too, as long as they may have retired since the row began (rule 2 of
// [KiloTM] §4.2.5): these are no more than the ring has entries, so that an array indexed by id keeps them.
#pragma once

#include <deque>
#include <utility>

#include "tm/comparison/signature.h"
#include "tm/hazard_detection.h"

namespace heddle::tm {

class BfArray final : public EventPort<HazardEvent> {
 public:
  explicit BfArray(const CommitUnitConfig& config)
      : shape_(config.signature_bits, config.signature_arrays, config.hash_seed),
        checked_(config.signatures_checked) {}

  void serve(HazardEvent& event) override;
  /// Signatures that are kept.
  [[nodiscard]] std::size_t size() const { return writers_.size(); }

 private:
  void compare(HazardEvent& event);
  template <class Fn>
  void youngest(HazardEvent& event, Fn may_conflict) const;

  SignatureShape shape_;
  std::uint32_t checked_;  ///< in a clock; 0: all
  HazardWindow window_;
  std::deque<std::pair<Cid, Signature>> writers_;  ///< in the order of their ids
  Signature reads_;                                ///< of the row that is looked at
};

}  // namespace heddle::tm
