// Register file of a core: banks with few ports, and the ports by which results come back. Operand collectors
// read an instruction's source registers one row (32 lanes x 32 bits) per bank port and cycle, so operands in
// the same bank take turns; a result is written in the first cycle in which a write-back port and its
// destination's banks are free. Values are not kept here (core/warp_context.h).
//
// Reservation model: an access takes the first free cycle of its bank in order of request. Hardware
// arbitrates in every cycle and lets writes go first; the totals are the same, who waits may differ.
// Register numbers are the PTX text's virtual registers (64-bit ones take two consecutive numbers); a
// register allocator would spread them differently. Predicates live elsewhere and conflict with nothing.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "core/config.h"
#include "core/protocols.h"
#include "isa/kernel.h"
#include "sim/block_socket.h"
#include "sim/stats.h"

namespace heddle::core {

/// Rows of a register file that an instruction reads and writes; after register_accesses() as banks of warp
/// 0.
struct RegisterAccess {
  std::array<std::uint16_t, 16> read{};
  std::array<std::uint16_t, 8> written{};
  std::uint8_t reads = 0;
  std::uint8_t writes = 0;
};
/// For every instruction of a kernel, rows reduced modulo `banks` (0: not reduced).
[[nodiscard]] std::vector<RegisterAccess> register_accesses(const isa::Kernel& kernel, std::uint32_t banks);

class RegisterFileModel {
 public:
  RegisterFileModel(const RegisterFileConfig& config, std::uint32_t sub_cores);

  /// Rows in `access` must be below `banks`.
  /// Reserves the reads of an instruction issued at `now`: how many cycles later than without conflicts the
  /// last operand arrives. Cycles never go back.
  Cycle read(std::uint32_t sub_core, WarpId warp, const RegisterAccess& access, Cycle now);
  /// Reserves the write of a result that is there at `now`: the cycle (>= now) in which it is written.
  Cycle write(std::uint32_t sub_core, WarpId warp, const RegisterAccess& access, Cycle now);

  std::uint64_t reads = 0, read_conflict_cycles = 0, writes = 0, write_conflict_cycles = 0;

 private:
  /// The next 64 cycles of a port: bit i is cycle base + i.
  struct Port {
    std::uint64_t busy = 0;
    Cycle base = 0;
  };
  static std::uint64_t busy_from(Port& port, Cycle cycle);
  /// Ports of the bank that holds row `bank` (already modulo banks) of a warp whose rows start at bank
  /// `warp_bank`.
  [[nodiscard]] Port* ports_of(std::uint32_t sub_core, std::uint32_t warp_bank, std::uint32_t bank) {
    bank += warp_bank;
    if (bank >= config_.banks) bank -= config_.banks;
    return &bank_ports_[(sub_core * config_.banks + bank) * config_.ports_per_bank];
  }

  RegisterFileConfig config_;
  std::vector<std::uint32_t> warp_bank_;  ///< by warp
  std::vector<Port> bank_ports_;
  std::vector<Port> writeback_ports_;
};

class RegisterFile : public sc_core::sc_module {
 public:
  RegisterFile(const sc_core::sc_module_name& name, const RegisterFileConfig& config, std::uint32_t sub_cores,
               sim::StatGroup& stats);
  void begin_launch(const isa::Kernel& kernel);

 private:
  void serve(RegisterFileRequest& request);

 public:
  using Target = sim::BlockTarget<RegisterFileProtocol, RegisterFile, &RegisterFile::serve>;
  Target pipes_tsock{"pipes_tsock", this};
  Target lsu_tsock{"lsu_tsock", this};

 private:
  RegisterFileModel model_;
  std::uint32_t banks_;
  const isa::Instruction* code_ = nullptr;
  std::vector<RegisterAccess> accesses_;
};

}  // namespace heddle::core
