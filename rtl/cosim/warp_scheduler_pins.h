// Requests to the pick logic of a warp scheduler, on the pins of rtl/warp_scheduler.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "cosim/warp_scheduler_codes.h"

namespace heddle::cosim {

/// The policies' interface (core::WarpSchedulingPolicy) as requests.
struct PickRequest {
  /// kRotate: the oldest warp becomes the youngest; when that is due, the user knows. kPick: one of the
  /// candidates, which then issues. kRead: the first of the candidates without regard to greed; nothing issues.
  using Op = rtl::warp_scheduler::Op;
  Op op = Op::kPick;
  base::WarpId warp{};           ///< kAssign, kLeave
  std::uint64_t candidates = 0;  ///< kPick, kRead: bit w is warp w

  // Answer
  bool found = false;  ///< kPick, kRead: there is a candidate ...
  base::WarpId chosen{};
  bool aged = false;    ///< kRead: ... and it has an age
  base::WarpId last{};  ///< the warp that issued last, after the request
  bool greedy = false;
};

struct WarpSchedulerPins {
  using Request = PickRequest;

  template <class V>
  static void drive(V& pins, const Request& request) {
    pins.req_op_i = static_cast<unsigned>(request.op);
    pins.req_warp_i = request.warp.value();
    pins.req_candidates_i = request.candidates;
  }
  template <class V>
  static void answer(const V& pins, Request& request) {
    request.found = pins.rsp_found_o != 0;
    request.chosen = base::WarpId{pins.rsp_warp_o};
    request.aged = pins.rsp_aged_o != 0;
    request.last = base::WarpId{pins.rsp_last_o};
    request.greedy = pins.rsp_greedy_o != 0;
  }
  /// Cycles until the answer.
  template <class Model>
  static unsigned clocks(const Request&, const Model&) {
    return 1;
  }
};

}  // namespace heddle::cosim
