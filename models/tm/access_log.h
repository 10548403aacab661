// What the attempts of a core's warps have read and written, as accesses see it: transactions' logs (transaction_log.h), or the
// sets of a yardstick (comparison/ideal_transactions.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tm/access_words.h"

namespace heddle::tm {

class AccessLog {
 public:
  explicit AccessLog(std::size_t warps) : warps_(warps) {}
  virtual ~AccessLog() = default;

  /// Another attempt of the warp, of `lanes`: nothing has been read or written.
  void begin(base::WarpId id, LaneMask lanes) {
    warps_[id.value()] = {};
    clear(id, lanes);
  }
  /// How many parts of the access `tag` go on until on_appended(tag). None: there is no room for the row.
  [[nodiscard]] virtual std::optional<unsigned> append(base::WarpId id, const AccessRow& row,
                                                       std::uint32_t tag) = 0;
  /// The attempt's own writes among the words of the access `tag` are filled in; then, at once or later, on_looked_up(tag).
  /// `words` stay where they are until then.
  virtual void look_up(base::WarpId id, AccessWords& words, std::uint32_t tag) = 0;
  /// Words of `lanes` that are missing are asked for in L2.
  virtual void leaves(base::WarpId /*id*/, LaneMask /*lanes*/, const AccessWords& /*words*/,
                      std::uint32_t /*tag*/) {}
  /// L2 has answered the access `tag`: the value that the word of the lane has for the attempt.
  [[nodiscard]] virtual std::uint32_t arrived(std::uint32_t /*tag*/, unsigned /*lane*/, unsigned /*word*/,
                                              std::uint32_t value) const {
    return value;
  }
  /// Lanes that have read from memory, that have written.
  [[nodiscard]] LaneMask readers(base::WarpId id) const { return warps_[id.value()].readers; }
  [[nodiscard]] LaneMask writers(base::WarpId id) const { return warps_[id.value()].writers; }

  struct Counters {
    std::uint64_t walks = 0, walked_rows = 0, read_rows = 0, write_rows = 0;
    std::uint64_t most_read_rows = 0, most_write_rows = 0;
  };
  [[nodiscard]] Counters& counters() { return counters_; }

  std::function<void(std::uint32_t tag)> on_appended, on_looked_up;

 protected:
  /// The attempt has a row of these lanes.
  void note(base::WarpId id, const AccessRow& row) {
    (row.write ? warps_[id.value()].writers : warps_[id.value()].readers) |= row.lanes;
  }
  Counters counters_;

 private:
  virtual void clear(base::WarpId id, LaneMask lanes) = 0;
  struct Lanes {
    LaneMask readers, writers;
  };
  std::vector<Lanes> warps_;
};

}  // namespace heddle::tm
