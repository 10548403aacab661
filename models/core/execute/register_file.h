// Register file of a core: banks with few ports, and the ports by which results come back. Operand collectors
// read an instruction's source registers one row (32 lanes x 32 bits) per bank port and cycle, so operands in
// the same bank take turns; a result is written in the first cycle in which a write-back port and its
// destination's banks are free. Values are not kept here (core/warp_context.h).
//
// Reservation model: an access takes the first free cycle of its bank in order of request. Hardware
// arbitrates in every cycle and lets writes go first; the totals are the same, who waits may differ.
// Register numbers are the machine code's, or the PTX text's virtual registers (64-bit ones take two consecutive numbers), which a
// register allocator would spread differently. Uniform registers are no rows of it. Predicates live elsewhere and conflict with nothing.
//
// Lanes of several home warps (formations) read their rows at once if every lane's bank takes a row address of its own, as
// compaction needs it ([TBC] §3.3.2); otherwise home warp by home warp (key `formations`).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/config.h"
#include "core/protocols/launch_protocol.h"
#include "core/protocols/register_file_protocol.h"
#include "isa/kernel.h"
#include "sim/block_socket.h"

namespace heddle::core {

/// Banks that an instruction's rows are in, for a warp whose row 0 is in bank 0.
struct RegisterAccess {
  std::array<std::uint8_t, 16> read_bank{};  ///< one entry per source row
  std::uint8_t reads = 0;                    ///< source rows
  std::uint8_t writes = 0;                   ///< destination rows
  std::uint64_t read_banks = 0;              ///< bit per bank
  std::uint64_t written_banks = 0;           ///< bit per bank of a destination row
  bool reads_apart = true;                   ///< no two source rows are in one bank
};
/// For every instruction of a kernel; `banks` 1 to 64, or 0: there are no banks. `behind_own`: of an instruction that follows
/// the one in front of it in the code, whose kept operands need not be read (Kernel::kept_registers).
[[nodiscard]] std::vector<RegisterAccess> register_accesses(const isa::Kernel& kernel, std::uint32_t banks,
                                                            bool behind_own = false);
/// Of rows given by number.
[[nodiscard]] RegisterAccess register_access(const std::vector<std::uint32_t>& read,
                                             const std::vector<std::uint32_t>& written, std::uint32_t banks);

class RegisterFileModel {
 public:
  RegisterFileModel(const RegisterFileConfig& config, std::uint32_t sub_cores);

  /// A bank has so many ports for reads from now on.
  void set_read_ports(std::uint32_t ports);
  /// Reserves the reads of an instruction issued at `now`: how many cycles later than without conflicts the
  /// last operand arrives. Cycles never go back.
  Cycle read(std::uint32_t sub_core, WarpId warp, const RegisterAccess& access, Cycle now);
  /// Reserves the write of a result that is there at `now`: the cycle (>= now) in which it is written. All
  /// rows of a result (a 64-bit or vector destination) are written in one cycle.
  Cycle write(std::uint32_t sub_core, WarpId warp, const RegisterAccess& access, Cycle now);

  std::uint64_t reads = 0, read_conflict_cycles = 0, writes = 0, write_conflict_cycles = 0;

 private:
  static constexpr unsigned kWindow = 64;  ///< cycles from now on that can be reserved
  /// Ports of the banks, by cycle mod kWindow.
  struct Ports {
    std::array<std::uint64_t, kWindow> full{};              ///< banks without a free port
    std::vector<std::array<std::uint64_t, kWindow>> taken;  ///< banks with their first, second ... port taken
  };
  /// What is reserved in the cycles [now, now + kWindow).
  struct Calendar {
    Cycle now = 0;
    Ports reads;  ///< of writes as well, if these have none of their own
    Ports writes;
    std::array<std::uint16_t, kWindow> results{};  ///< write-back ports taken
  };
  Calendar& at(std::uint32_t sub_core, Cycle now) {
    Calendar& calendar = calendars_[sub_core];
    if (calendar.now != now) forget_passed(calendar, now);
    return calendar;
  }
  void forget_passed(Calendar& calendar, Cycle now) const;
  static void reserve(Ports& ports, Cycle cycle, std::uint64_t banks);
  /// Banks of a warp whose row 0 is in bank `warp_bank`.
  [[nodiscard]] std::uint64_t rotate(std::uint64_t banks, std::uint32_t warp_bank) const {
    if (warp_bank == 0) return banks;
    return ((banks << warp_bank) | (banks >> (config_.banks - warp_bank))) & all_banks_;
  }

  RegisterFileConfig config_;
  std::uint32_t ports_;  ///< for write-back
  std::uint64_t all_banks_;
  std::vector<std::uint32_t> warp_bank_;  ///< by warp
  std::vector<Calendar> calendars_;       ///< by sub-core
};

class RegisterFile : public sc_core::sc_module {
 public:
  RegisterFile(const sc_core::sc_module_name& name, const RegisterFileConfig& config, std::uint32_t sub_cores,
               base::StatGroup& stats);

 private:
  void begin_launch(LaunchNotice& notice);
  void load(const std::shared_ptr<const isa::Kernel>& kernel);
  void serve(RegisterFileRequest& request);
  HEDDLE_BY_JUMP void read(RegisterFileRequest& request);
  HEDDLE_BY_JUMP void write(RegisterFileRequest& request);
  // Lanes of several home warps, or of none.
  [[gnu::noinline]] void read_each(RegisterFileRequest& request, const RegisterAccess& rows);
  [[gnu::noinline]] void write_each(RegisterFileRequest& request, const RegisterAccess& rows);
  /// An operation without lanes takes one, too.
  [[nodiscard]] std::uint32_t accesses_of(const RegisterFileRequest& request) const {
    return per_home_warp_ && request.homes != 0 ? request.homes : 1;
  }
  [[nodiscard]] std::size_t index_of(const RegisterFileRequest& request) const {
    return static_cast<std::size_t>(request.instruction - code_);
  }
  /// What it has to read, with what the reuse cache holds.
  [[nodiscard]] const RegisterAccess& reads_of(const RegisterFileRequest& request);

 public:
  using Target = sim::BlockTarget<RegisterFileProtocol, RegisterFile, &RegisterFile::serve>;
  Target pipes_tsock{"pipes_tsock", this};
  Target lsu_tsock{"lsu_tsock", this};
  sim::BlockTarget<LaunchProtocol, RegisterFile, &RegisterFile::begin_launch> launch_tsock{"launch_tsock",
                                                                                           this};

 private:
  RegisterFileModel model_;
  std::uint32_t banks_;
  bool per_home_warp_;
  std::uint64_t lane_reads_ = 0, lane_writes_ = 0;
  std::shared_ptr<const isa::Kernel>
      kernel_;  ///< of the newest launch here: what follows is kept for its next one
  const isa::Instruction* code_ = nullptr;
  std::vector<RegisterAccess> accesses_;
  // Reuse cache: what follows an instruction of its own warp in a sub-core finds what that has kept.
  struct Last {
    WarpId warp{};
    const isa::Instruction* instruction = nullptr;
  };
  std::uint32_t ports_per_bank_;
  bool has_reuse_cache_;
  bool keeps_ = false;                      ///< it is there, and the kernel is machine code
  std::vector<RegisterAccess> behind_own_;  ///< keeps_: see register_accesses
  std::vector<Last> last_;                  ///< by sub-core
  std::uint64_t reused_ = 0;
};

}  // namespace heddle::core
