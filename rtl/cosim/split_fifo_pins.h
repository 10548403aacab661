// Requests of simt::SplitFifo on the pins of rtl/split_fifo.
#pragma once

#include "cosim/split_fifo_codes.h"
#include "simt/split_fifo.h"

namespace heddle::cosim {

struct SplitFifoPins {
  using Request = simt::SplitFifoRequest;

  static const char* operation(const Request& request) {
    return rtl::split_fifo::kOpNames[static_cast<unsigned>(request.op)];
  }

  template <class V>
  static void drive(V& pins, const Request& request) {
    pins.req_op_i = static_cast<unsigned>(request.op);  // as asserted by split_fifo_twin.cpp
    pins.req_warp_i = request.warp.value();
    pins.req_id_i = request.id.value() & 31;
    pins.req_spilled_i = request.spilled;
    pins.req_keep_front_i = request.keep_front;
    pins.req_lanes_i = request.lanes.bits();
    pins.req_position_i = request.position & 31;
  }
  template <class V>
  static void answer(const V& pins, Request& request) {
    request.count = pins.rsp_count_o;
    request.queued.id = simt::SplitId{static_cast<std::uint8_t>(pins.rsp_id_o)};
    request.queued.blocked = pins.rsp_blocked_o != 0;
    request.queued.spilled = pins.rsp_spilled_o != 0;
    request.queued.transient = pins.rsp_transient_o != 0;
    request.queued.lanes = base::LaneMask(pins.rsp_lanes_o);
    if (request.op == Request::Op::kVictim)
      request.id = pins.rsp_victim_valid_o != 0 ? simt::SplitId{static_cast<std::uint8_t>(pins.rsp_victim_o)}
                                                : simt::kNoSplit;
  }
};

}  // namespace heddle::cosim
