// Requests of core::Scoreboard on the pins of rtl/scoreboard. An instruction with more registers than there
// are ports takes several requests, called its parts.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/protocols/scoreboard_protocol.h"
#include "cosim/scoreboard_codes.h"

namespace heddle::cosim {

struct ScoreboardPart {
  static constexpr unsigned kReadPorts = 6;   ///< ReadPorts of the verilated blocks
  static constexpr unsigned kWritePorts = 3;  ///< WritePorts
  using Op = rtl::scoreboard::Op;
  struct Look {
    isa::RegId reg = isa::kNoReg;  ///< kNoReg: the port is not used
    bool written = false;
  };
  Op op = Op::kCheck;
  base::WarpId warp{};
  base::LaneMask lanes{};
  std::array<Look, kReadPorts> looks{};  ///< kCheck: each register once
  bool continued = false;                ///< kCheck: of the same instruction as the kCheck before
  /// kReserve, kRelease: each register once; kNoReg: the port is not used.
  std::array<isa::RegId, kWritePorts> destinations{isa::kNoReg, isa::kNoReg, isa::kNoReg};
  bool memory = false;     ///< kReserve: for a memory instruction
  std::uint32_t slot = 0;  ///< kRead

  // Answer
  core::Hazard hazard = core::Hazard::kNone;  ///< kCheck: of the parts so far
  std::uint32_t count = 0;                    ///< registers pending before the request
  bool taken = false;                         ///< kRead: the slot holds a pending register, which is:
  bool entry_memory = false;
  core::PendingRegister entry{};
};

/// The parts of a request, in order; at least one.
template <class Fn>
void for_each_part(const core::ScoreboardRequest& request, Fn&& serve) {
  using Part = ScoreboardPart;
  Part part{.warp = request.warp, .lanes = request.mask};
  switch (request.op) {
    case core::ScoreboardRequest::Op::kCheck: {
      const isa::Instruction& instruction = *request.instruction;
      unsigned port = 0;
      const auto look_at = [&](isa::RegId reg, bool written) {
        if (port == Part::kReadPorts) {
          serve(part);
          part.looks = {};
          part.continued = true;
          port = 0;
        }
        part.looks[port++] = {reg, written};
      };
      const auto* const writes_end = instruction.writes.data() + instruction.write_count;
      for (const auto* reg = instruction.writes.data(); reg != writes_end; ++reg) look_at(*reg, true);
      for (unsigned i = 0; i < instruction.read_count; ++i)
        if (std::find(instruction.writes.data(), writes_end, instruction.reads[i]) == writes_end)
          look_at(instruction.reads[i], false);
      serve(part);
      return;
    }
    case core::ScoreboardRequest::Op::kReserve:
    case core::ScoreboardRequest::Op::kRelease: {
      const isa::Instruction& instruction = *request.instruction;
      part.op = request.op == core::ScoreboardRequest::Op::kReserve ? Part::Op::kReserve : Part::Op::kRelease;
      part.memory = instruction.op == isa::Opcode::kLoad || instruction.op == isa::Opcode::kAtomic;
      unsigned done = 0;
      do {
        for (isa::RegId& reg : part.destinations)
          reg = done < instruction.write_count ? instruction.writes[done++] : isa::kNoReg;
        serve(part);
      } while (done < instruction.write_count);
      return;
    }
    case core::ScoreboardRequest::Op::kClear:
      part.op = Part::Op::kClear;
      serve(part);
      return;
    case core::ScoreboardRequest::Op::kAdmit:
      throw std::logic_error("scoreboard: the shell counts its ports, no twin is asked");
    case core::ScoreboardRequest::Op::kIssue:
    case core::ScoreboardRequest::Op::kReadSources:
      throw std::logic_error("scoreboard: a request of control codes");
  }
}

struct ScoreboardPins {
  using Request = ScoreboardPart;

  template <class V>
  static void drive(V& pins, const Request& request) {
    pins.req_op_i = static_cast<unsigned>(request.op);
    pins.req_warp_i = request.warp.value();
    pins.req_lanes_i = request.lanes.bits();
    unsigned used = 0, written = 0;
    for (unsigned p = 0; p < Request::kReadPorts; p += 2)
      pins.req_look_reg_i[p / 2] =
          static_cast<std::uint32_t>(request.looks[p + 1].reg) << 16 | request.looks[p].reg;
    for (unsigned p = 0; p < Request::kReadPorts; ++p) {
      used |= static_cast<unsigned>(request.looks[p].reg != isa::kNoReg) << p;
      written |= static_cast<unsigned>(request.looks[p].written) << p;
    }
    pins.req_look_valid_i = used;
    pins.req_look_write_i = written;
    pins.req_continue_i = request.continued;
    std::uint64_t registers = 0;
    used = 0;
    for (unsigned p = 0; p < Request::kWritePorts; ++p) {
      registers |= std::uint64_t{request.destinations[p]} << (16 * p);
      used |= static_cast<unsigned>(request.destinations[p] != isa::kNoReg) << p;
    }
    pins.req_dst_reg_i = registers;
    pins.req_dst_valid_i = used;
    pins.req_memory_i = request.memory;
    pins.req_slot_i = request.slot;
  }
  template <class V>
  static void answer(const V& pins, Request& request) {
    request.hazard = static_cast<core::Hazard>(pins.rsp_hazard_o);  // as asserted by scoreboard_twin.cpp
    request.count = pins.rsp_count_o;
    request.taken = pins.rsp_entry_valid_o != 0;
    request.entry_memory = pins.rsp_entry_memory_o != 0;
    request.entry = {static_cast<isa::RegId>(pins.rsp_entry_reg_o), base::LaneMask(pins.rsp_entry_lanes_o)};
  }
  /// Cycles until the answer.
  template <class Model>
  static unsigned clocks(const Request&, const Model&) {
    return 1;
  }
};

}  // namespace heddle::cosim
