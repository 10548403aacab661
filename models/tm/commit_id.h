// Commit ids ([KiloTM] §4.2.5): where a transaction stands in the order in which transactions seem to happen. Within the
// model they are 64 bits wide and never wrap; tables keep only the lowest bits.
#pragma once

#include <cstdint>
#include <optional>

namespace heddle::tm {

using Cid = std::uint64_t;

/// The first one: what tables of zeros hold is then outside of every window.
inline constexpr Cid kFirstCid = 1;

/// The commit ids that a table's entry can mean while one transaction is looked at: [base, end), base the oldest RCID of
/// transactions that have not passed hazard detection, end the transaction itself ([KiloTM:E2]). Everything else is nobody.
class CidWindow {
 public:
  /// `bits`: 2 to 64; end - base <= 2^bits.
  constexpr CidWindow(Cid base, Cid end, unsigned bits)
      : base_(base), end_(end), mask_(bits >= 64 ? ~Cid{0} : (Cid{1} << bits) - 1) {}

  [[nodiscard]] constexpr Cid stored(Cid cid) const { return cid & mask_; }
  /// The commit id that an entry stands for; none: nobody's.
  [[nodiscard]] constexpr std::optional<Cid> meaning(Cid stored) const {
    const Cid age = (stored - base_) & mask_;
    if (age >= end_ - base_) return std::nullopt;
    return base_ + age;
  }
  [[nodiscard]] constexpr Cid base() const { return base_; }
  [[nodiscard]] constexpr Cid end() const { return end_; }

 private:
  Cid base_, end_, mask_;
};

}  // namespace heddle::tm
