// Attempts that take long ([KiloTM] §4.2.4, [KiloTM:E11]). What an attempt has read may never have been in memory together, and a
// loop over it never end. So after tm.validate_cycles what it has read so far is validated at the commit units, as a transaction
// that writes nothing and fails in any case. Lanes that were valid go on; the others are sent out of the attempt, function by
// function, and try again.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/protocols/issue_tap_protocol.h"
#include "tm/attempts.h"
#include "tm/look_queue.h"

namespace heddle::tm {

class AttemptValidation {
 public:
  /// `validate_cycles`: 0: attempts may take any time.
  AttemptValidation(std::uint64_t validate_cycles, std::size_t warps, Attempts& attempts, Splits& splits,
                    Accesses& accesses, AccessLog& log, CommitProtocol& commit, CoreSignals& signals);

  /// Another attempt of the warp begins.
  void begin(WarpId id);
  /// Calls and returns within attempts.
  void take_call(core::IssueTapRequest& request);
  /// An access of the warp is done.
  void access_done(WarpId id);
  /// The validation is over.
  void ended(WarpId id, LaneMask invalid);

  // A cycle.
  void validate_what_is_due(Cycle cycle) {
    if (!looks_.empty()) look(cycle);
  }
  void send_away() {
    if (!sending_away_.empty()) send_on();
  }
  [[nodiscard]] Cycle due(Cycle now) const;

  struct Counters {
    std::uint64_t validations = 0;  ///< of warps
    std::uint64_t sent_away = 0;    ///< threads
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  struct Warp {
    LaneMask doomed;  ///< what they have read has changed: they are sent out
    std::array<std::vector<Pc>, base::kLanes>
        calls;  ///< within the attempt: where each lane's functions return to
  };
  void look_later(WarpId id);
  void look(Cycle cycle);
  void validate(WarpId id);
  /// Accesses that came later wait until the validation is over.
  void validate_if_quiet(WarpId id);
  void send_on();
  /// Lanes that could issue now return from their innermost function; the others when they can.
  void send_away(WarpId id);

  const std::uint64_t validate_cycles_;
  Attempts& attempts_;
  Splits& splits_;
  Accesses& accesses_;
  AccessLog& log_;
  CommitProtocol& commit_;
  CoreSignals& signals_;
  std::vector<Warp> warps_;
  LookQueue looks_;
  std::vector<WarpId> sending_away_;
  Counters counters_;
};

}  // namespace heddle::tm
