// AWARE's queue of splits: per warp a circular FIFO of {BL, S-Index}; the front one runs
// ([AWARE] §5.2, §5.5.1). Virtualised ([AWARE] §5.5.2), an entry also knows whether its split's contents are
// in memory (virtual) and whether they are on their way back (transient). We let `transient` last until the
// split has had its turn, and such a split is no victim: it would otherwise lose its entry to the next one
// that comes back, without having run.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <systemc>
#include <vector>

#include "sim/block_socket.h"
#include "sim/clocked_twin.h"
#include "sim/twins.h"
#include "simt/split.h"

namespace heddle::simt {

struct QueuedSplit {
  SplitId id = kNoSplit;
  bool blocked = false;    ///< BL: waits at a barrier
  bool spilled = false;    ///< virtual
  bool transient = false;  ///< its fill has been asked for, and it has not had its turn since
  /// Lanes that wait at the barrier, where blocked. The barrier unit names the lanes it releases, and the
  /// split's own mask may be in memory; not counted in the thesis.
  LaneMask lanes{};
  bool operator==(const QueuedSplit&) const = default;
};

struct SplitFifoRequest {
  enum class Op : std::uint8_t {
    kReset,
    kPush,      ///< `id` to the back, `spilled` or not
    kPop,       ///< the front leaves
    kRotate,    ///< the front goes to the back
    kBlock,     ///< the front waits at a barrier with `lanes`
    kUnblock,   ///< splits that wait at a barrier with lanes within `lanes` do not any more
    kSpilled,   ///< the contents of `id` have gone to memory
    kFilling,   ///< the contents of `id` have been asked for
    kResident,  ///< the contents of `id` are there, and it may be a victim
    kVictim,    ///< `id` of the last split with contents that is not transient, kNoSplit: none; not the front
                ///< one if `keep_front`
    kRead,      ///< `queued` := the entry at `position`, 0: front
    kFilled,    ///< the contents of `id` are back
  };
  static constexpr const char* kOpNames[] = {"reset",   "push",    "pop",      "rotate", "block", "unblock",
                                             "spilled", "filling", "resident", "victim", "read",  "filled"};
  Op op = Op::kRead;
  WarpId warp{};
  SplitId id = kNoSplit;
  bool spilled = false;
  bool keep_front = false;
  LaneMask lanes{};
  std::uint32_t position = 0;
  // Answer of all
  QueuedSplit queued{};      ///< the front; meaningless if there is none
  std::uint32_t count = 0;   ///< splits in the queue
  std::uint32_t clocks = 1;  ///< answer of all: from its acceptance to the answer, cost(request) of the model
};
struct SplitFifoProtocol {
  using tlm_payload_type = SplitFifoRequest;
  using tlm_phase_type = tlm::tlm_phase;
};

class SplitFifoModel {
 public:
  explicit SplitFifoModel(std::uint32_t warps) : warps_(warps) {}
  void serve(SplitFifoRequest& request);
  /// kRead only.
  void inspect(SplitFifoRequest& request) const;
  /// Clocks from its acceptance to the answer: kUnblock visits a split that waits in each.
  [[nodiscard]] std::uint32_t cost(const SplitFifoRequest& request) const;

 private:
  struct Warp {
    std::array<QueuedSplit, kTableEntries> entries;
    std::uint32_t front = 0;
    std::uint32_t count = 0;
    [[nodiscard]] QueuedSplit& at(std::uint32_t position) {
      return entries[(front + position) % kTableEntries];
    }
    [[nodiscard]] const QueuedSplit& at(std::uint32_t position) const {
      return entries[(front + position) % kTableEntries];
    }
    void push(const QueuedSplit& queued) { at(count++) = queued; }
    QueuedSplit pop();
    QueuedSplit& find(SplitId id);
  };
  std::vector<Warp> warps_;
};

/// rtl/split_fifo.
struct SplitFifoBlock {
  static constexpr const char* kName = "split_fifo";
  struct Shape {
    std::uint32_t warps = 0;
    sim::Timing timing = sim::Timing::kIdeal;
  };
  using Request = SplitFifoRequest;
  using Interface = sim::Twin<Request>;
  using Model = SplitFifoModel;
  /// kVictim: the victim; otherwise the front split, its lanes where it is blocked.
  struct Answer {
    std::uint32_t count = 0;
    SplitId victim = kNoSplit;
    QueuedSplit split;
    std::uint32_t clocks = 1;
    bool operator==(const Answer&) const = default;
  };
  static Answer answer_of(const Request& request);
  static nlohmann::ordered_json show_request(const Request& request);
  static nlohmann::ordered_json show_answer(const Answer& answer);
  static nlohmann::ordered_json show_tables(const Request& of, const std::function<void(Request&)>& inspect);
};

class SplitFifo : public sc_core::sc_module {
 public:
  SplitFifo(const sc_core::sc_module_name& name, std::uint32_t warps,
            const sim::ClockedTwinConfig& config = {}, sim::Twins* twins = nullptr)
      : sc_module(name),
        block_(config.impl, twins, {warps, config.timing}, this->name(), SplitFifoModel(warps)) {}

 private:
  void serve(SplitFifoRequest& request) { block_.serve(request); }
  void inspect(SplitFifoRequest& request) const { block_.inspect(request); }

 public:
  sim::BlockTarget<SplitFifoProtocol, SplitFifo, &SplitFifo::serve, &SplitFifo::inspect> split_fifo_tsock{
      "split_fifo_tsock", this};

 private:
  sim::Twinned<SplitFifoBlock> block_;
};

}  // namespace heddle::simt

HEDDLE_SOCKETS_ELSEWHERE(heddle::simt::SplitFifoProtocol);
