// Requests of spin::SibTable on the pins of rtl/sib_table.
#pragma once

#include "spin/sib_table.h"

namespace heddle::cosim {

struct SibTablePins {
  using Request = spin::SibRequest;
  std::uint32_t slots = 0;  ///< Entries of the verilated block

  template <class V>
  void drive(V& pins, const Request& request) const {
    pins.req_op_i = static_cast<unsigned>(request.op);  // as asserted by sib_table_twin.cpp
    pins.req_pc_i = request.pc.value();
    pins.req_spinning_i = request.spinning;
    pins.req_slot_i = request.slot < slots ? request.slot : 0;
  }
  template <class V>
  void answer(const V& pins, Request& request) const {
    request.predicted = pins.rsp_predicted_o != 0;
    request.confirmed = pins.rsp_confirmed_o != 0;
    request.full = pins.rsp_full_o != 0;
    request.entries = pins.rsp_count_o;
    request.entry = {};
    if (request.slot < slots && pins.rsp_entry_valid_o != 0)
      request.entry = {true, base::Pc{pins.rsp_entry_pc_o}, pins.rsp_entry_confidence_o,
                       pins.rsp_entry_predicted_o != 0};
  }
  /// Cycles until the answer.
  static unsigned clocks(const Request& /*request*/, const spin::SibTableModel& /*model*/) { return 1; }
};

}  // namespace heddle::cosim
