// Requests of simt::SplitTable on the pins of rtl/split_table.
#pragma once

#include "cosim/split_table_codes.h"
#include "simt/split_table.h"

namespace heddle::cosim {

struct SplitTablePins {
  using Request = simt::SplitTableRequest;

  static const char* operation(const Request& request) {
    return rtl::split_table::kOpNames[static_cast<unsigned>(request.op)];
  }
  using Op = Request::Op;
  static constexpr unsigned kFrameBits = 16;  ///< FrameW

  template <class V>
  static void drive(V& pins, const Request& request) {
    const simt::Split& split = request.split;
    pins.req_op_i = static_cast<unsigned>(request.op);  // as asserted by split_table_twin.cpp
    pins.req_warp_i = request.warp.value();
    pins.req_id_i = request.id.value() & 31;
    pins.req_id_valid_i = request.id != simt::kNoSplit;
    pins.req_pc_i = split.pc.value();
    pins.req_rpc_pc_i = split.rpc.pc.value();
    pins.req_rpc_valid_i = split.rpc.exists();
    pins.req_r_index_i = split.rpc.index.value() & 31;
    pins.req_mask_i = split.mask.bits();
    pins.req_frame_i = split.frame & 0xffff;
    pins.req_rpc_frame_i = split.rpc.frame & 0xffff;
    pins.req_rpc_kind_i = static_cast<unsigned>(split.rpc.kind);
    pins.req_blocked_i = split.blocked;
    for (unsigned w = 0; w < request.words.size(); ++w) pins.req_record_i[w] = request.words[w];
  }
  template <class V>
  static void answer(const V& pins, Request& request) {
    const bool ok = pins.rsp_ok_o != 0;
    const simt::SplitId id{static_cast<std::uint8_t>(pins.rsp_id_o)};
    switch (request.op) {
      case Op::kInsert:
        request.id = id;
        request.ok = ok;
        break;
      case Op::kRead:
        request.ok = ok;
        request.valid = pins.rsp_in_use_o != 0;
        request.split = split(pins);
        break;
      case Op::kEvict:
        for (unsigned w = 0; w < request.words.size(); ++w) request.words[w] = pins.rsp_record_o[w];
        break;
      case Op::kFill:
        request.ok = ok;
        break;
      case Op::kMatch:
        request.ok = ok;
        request.id = ok ? id : simt::kNoSplit;
        if (ok) request.split = split(pins);
        break;
      case Op::kReset:
      case Op::kWrite:
      case Op::kFree:
        break;
    }
  }

 private:
  template <class V>
  static simt::Split split(const V& pins) {
    simt::Split split;
    split.pc = base::Pc{pins.rsp_pc_o};
    split.rpc.pc = base::Pc{pins.rsp_rpc_pc_o};
    split.rpc.frame = pins.rsp_rpc_frame_o;
    split.rpc.index = pins.rsp_rpc_valid_o != 0
                          ? simt::ReconvergenceId{static_cast<std::uint8_t>(pins.rsp_r_index_o)}
                          : simt::kNoReconvergence;
    split.rpc.kind = static_cast<simt::MeetingPoint::Kind>(pins.rsp_rpc_kind_o);
    split.mask = base::LaneMask(pins.rsp_mask_o);
    split.frame = pins.rsp_frame_o;
    split.blocked = pins.rsp_blocked_o != 0;
    return split;
  }
};

}  // namespace heddle::cosim
