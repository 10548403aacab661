// Requests of simt::ReconvergenceTable on the pins of rtl/reconvergence_table.
//
// The RTL's answer gives the deadline of the entry that a request changed. `due`, the time at which the next
// timer of all fires, is what an event-driven model needs; it is computed here from these answers. Timers are
// checked every so many cycles ([AWARE:A8]). These times are computed here too: the RTL gets the last one, as
// from a counter of the core.
//
// Times on the pins are the low 32 bits of cycles. The RTL compares them modulo 2^32, so that nothing happens
// where they wrap as long as no timer stays expired for 2^31 cycles.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "cosim/reconvergence_table_codes.h"
#include "simt/reconvergence_table.h"

namespace heddle::cosim {

class ReconvergenceTablePins {
 public:
  using Request = simt::ReconvergenceTableRequest;

  static const char* operation(const Request& request) {
    return rtl::reconvergence_table::kOpNames[static_cast<unsigned>(request.op)];
  }

  explicit ReconvergenceTablePins(const simt::ReconvergenceTableConfig& config = {}) : config_(config) {}

  template <class V>
  void drive(V& pins, const Request& request) const {
    const simt::Reconvergence& entry = request.entry;
    const bool arrives = request.op == Request::Op::kArrive;
    pins.cfg_victim_most_recent_i = config_.victim == simt::TableVictim::kMostRecent;
    pins.cfg_timeout_i = config_.timeout.cycles;
    pins.req_op_i = static_cast<unsigned>(request.op);  // as asserted by reconvergence_table_twin.cpp
    pins.req_warp_i = request.warp.value();
    pins.req_id_i = request.id.value() & 31;
    pins.req_lanes_i = request.lanes.bits();
    pins.req_time_i =
        low(request.op == Request::Op::kFired
                ? request.cycle / resolution() * resolution()  // the last time at which timers are checked
                : request.cycle);
    pins.req_pc_i = arrives ? request.pc.value() : entry.pc.value();
    pins.req_frame_i = entry.frame;
    pins.req_kind_i = static_cast<unsigned>(entry.kind);
    pins.req_rpc_valid_i = entry.rpc.exists();
    pins.req_rpc_i = entry.rpc.pc.value();
    pins.req_index_i = entry.rpc.index.value() & 31;
    pins.req_rpc_frame_i = entry.rpc.frame;
    pins.req_rpc_kind_i = static_cast<unsigned>(entry.rpc.kind);
    pins.req_rec_i = entry.rec.bits();
    pins.req_pend_i = entry.pend.bits();
    for (unsigned i = 0; i < 4; ++i) pins.req_record_i[i] = request.words[i];
  }

  template <class V>
  void answer(const V& pins, Request& request) {
    using Op = Request::Op;
    const simt::ReconvergenceId answered{static_cast<std::uint8_t>(pins.rsp_id_o)};
    switch (request.op) {
      case Op::kReset:
        for (std::uint8_t id = 0; id < simt::kTableEntries; ++id)
          set_timer(request.warp, simt::ReconvergenceId{id}, simt::kNever);
        break;
      case Op::kInsert:
        request.id = pins.rsp_in_use_o != 0 ? answered : simt::kNoReconvergence;
        request.ok = pins.rsp_ok_o != 0;
        if (pins.rsp_in_use_o == 0) break;
        if (!request.ok) away_[number(request.warp, request.id)] = request.entry;
        set_timer(request.warp, request.id, fires(pins, request.cycle));
        break;
      case Op::kRead:
        request.valid = pins.rsp_in_use_o != 0;
        request.ok = pins.rsp_ok_o != 0;
        request.entry = entry_of(pins);
        break;
      case Op::kArrive:
      case Op::kLeave:
      case Op::kGoAlone:
        request.entry = entry_of(pins);
        set_timer(request.warp, request.id, fires(pins, request.cycle));
        break;
      case Op::kFree:
        set_timer(request.warp, request.id, simt::kNever);
        break;
      case Op::kEvict:
        request.id = answered;
        for (unsigned i = 0; i < 4; ++i) request.words[i] = pins.rsp_record_o[i];
        away_[number(request.warp, request.id)] = entry_of(pins);
        break;
      case Op::kFill:
      case Op::kHasFired:
        request.ok = pins.rsp_ok_o != 0;
        break;
      case Op::kFired:
        request.ok = pins.rsp_ok_o != 0;
        if (!request.ok) break;
        request.warp = base::WarpId{static_cast<std::uint32_t>(pins.rsp_warp_o)};
        request.id = answered;
        set_timer(request.warp, request.id, simt::kNever);
        break;
      case Op::kWrite:
        break;
    }
    request.due = by_time_.empty() ? simt::kNever : by_time_.begin()->first;
  }

  /// The contents of an entry in memory when it was evicted.
  void inspected(Request& request) const {
    if (request.valid && !request.ok) request.entry = away_.at(number(request.warp, request.id));
  }

 private:
  static std::uint32_t low(base::Cycle cycle) { return static_cast<std::uint32_t>(cycle); }
  static std::uint32_t number(base::WarpId warp, simt::ReconvergenceId id) {
    return warp.value() * simt::kTableEntries + id.value();
  }
  [[nodiscard]] base::Cycle resolution() const { return config_.timeout.resolution_cycles; }

  template <class V>
  static simt::Reconvergence entry_of(const V& pins) {
    const auto kind = [](unsigned bits) { return static_cast<simt::MeetingPoint::Kind>(bits); };
    simt::MeetingPoint rpc{base::Pc{pins.rsp_rpc_o}, static_cast<std::uint32_t>(pins.rsp_rpc_frame_o),
                           simt::kNoReconvergence, kind(pins.rsp_rpc_kind_o)};
    if (pins.rsp_rpc_valid_o != 0)
      rpc.index = simt::ReconvergenceId{static_cast<std::uint8_t>(pins.rsp_index_o)};
    return {base::Pc{pins.rsp_pc_o},        static_cast<std::uint32_t>(pins.rsp_frame_o),
            kind(pins.rsp_kind_o),          rpc,
            base::LaneMask(pins.rsp_rec_o), base::LaneMask(pins.rsp_pend_o)};
  }
  /// The time at which the entry's timer is seen to have expired: the first check at or after its deadline.
  template <class V>
  [[nodiscard]] base::Cycle fires(const V& pins, base::Cycle now) const {
    if (pins.rsp_timer_runs_o == 0) return simt::kNever;
    const base::Cycle expires = now + static_cast<std::uint32_t>(pins.rsp_deadline_o - low(now));
    return (expires + resolution() - 1) / resolution() * resolution();
  }
  void set_timer(base::WarpId warp, simt::ReconvergenceId id, base::Cycle fires) {
    const std::uint32_t which = number(warp, id);
    if (const auto running = timers_.find(which); running != timers_.end()) {
      by_time_.erase({running->second, which});
      timers_.erase(running);
    }
    if (fires == simt::kNever) return;
    timers_[which] = fires;
    by_time_.emplace(fires, which);
  }

  simt::ReconvergenceTableConfig config_;
  std::map<std::uint32_t, base::Cycle> timers_;              ///< running ones, by the core's number
  std::set<std::pair<base::Cycle, std::uint32_t>> by_time_;  ///< the same, by time
  std::map<std::uint32_t, simt::Reconvergence> away_;  ///< contents last evicted from the RTL, by the core's
                                                       ///< number
};

}  // namespace heddle::cosim
