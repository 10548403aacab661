// Configuration of a SIMT core, block by block. Defaults are the GTX 480 (Fermi) values of the
// publications' configuration tables where those give one; every other value says where it comes from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/config_options.h"
#include "cache/replacement.h"
#include "core/protocols/pipes_protocol.h"
#include "core/schedule/scheduling_policy.h"
#include "isa/instruction.h"
#include "sim/twins.h"
#include "simt/mechanism.h"

namespace heddle::core {

inline constexpr std::uint32_t kMostWarps = 256;  ///< warp slots a core may be given

/// What fences and strong accesses do (README.md, Memory order).
enum class MemoryModel : std::uint8_t {
  kLegacy,  ///< up to sm_6x: fences order the accesses of their warp; what L1 holds stays
  kScoped   ///< PTX ISA 6.0 and later on sm_70 and later: scopes, causality order
};

/// What a store does in L1 (l1_data_cache.h).
enum class WritePolicy : std::uint8_t { kWriteEvict, kWriteThrough, kWriteThroughAllocate, kWriteBack };

/// How an array that L1 and shared memory divide is divided.
enum class CarveOut : std::uint8_t {
  kFixed,  ///< as the sizes say
  kByKernel  ///< shared memory gets what the CTAs of a launch that fit on a core need, L1 the rest (carve_out.h)
};

struct OccupancyConfig {
  std::uint32_t max_warps = 48;
  std::uint32_t max_ctas = 8;
  std::uint32_t registers = 32768;
  std::uint32_t register_unit = 64;
  void visit(base::ConfigVisitor& v);
};

/// Whom a fetch unit serves: the core, or one sub-core (fetch/fetch_unit.h).
enum class FetchUnitOf : std::uint8_t { kCore, kSubCore };
/// Which issue group a sub-core's fetch unit serves next.
enum class FetchPolicy : std::uint8_t { kRoundRobin, kFollowsIssue, kEmptyFirst };
/// What a sub-core's fetch unit does behind a control instruction until that has been resolved.
enum class FetchBehindControl : std::uint8_t { kWaits, kGoesOn };

struct FetchConfig {
  FetchUnitOf unit = FetchUnitOf::kCore;
  FetchPolicy policy = FetchPolicy::kRoundRobin;
  FetchBehindControl behind_control = FetchBehindControl::kWaits;
  std::uint32_t redirect_cycles = 0;
  std::uint32_t near_redirect_cycles = 0;
  std::uint32_t near_back_redirect_cycles = 0;
  std::uint32_t near_lines = 0;  ///< 0: no target is near
  std::uint32_t width_instructions = 2;
  std::uint32_t latency_cycles = 1;
  std::uint32_t ibuffer_slots = 2;
  void visit(base::ConfigVisitor& v);
  void validate(std::uint32_t sub_cores) const;
  [[nodiscard]] bool per_sub_core() const { return unit == FetchUnitOf::kSubCore; }
};

/// Of each sub-core, between its fetch unit and L1I; only with FetchUnitOf::kSubCore.
struct L0InstructionCacheConfig {
  std::uint32_t size_kib = 16;
  std::uint32_t ways = 8;
  cache::ReplacementChoice replacement = cache::default_replacement();
  std::uint32_t stream_buffer_lines = 8;
  std::uint32_t fill_latency_cycles = 8;
  void visit(base::ConfigVisitor& v);
};

struct InstructionCacheConfig {
  bool enabled = true;
  std::uint32_t size_kib = 2;
  std::uint32_t line_bytes = 128;
  std::uint32_t ways = 4;
  cache::ReplacementChoice replacement = cache::default_replacement();
  std::uint32_t mshr_entries = 4;
  std::uint32_t instruction_bytes = 8;
  bool kept_between_launches = false;
  std::uint32_t launch_prefetch_kib = 0;
  std::uint32_t second_latency_cycles = 0;  ///< 0: no second level
  void visit(base::ConfigVisitor& v);
};

/// What issue knows of dependences: a scoreboard entry says of a register that it is pending for the warp, or for which threads
/// ([MultiPath] §7.2.2); or nothing but the control codes of machine code.
enum class ScoreboardKind : std::uint8_t { kPerWarp, kPerThreadMask, kControlCodes };

struct ScoreboardConfig {
  static constexpr std::uint32_t kAutoPorts = ~0u;
  ScoreboardKind kind = ScoreboardKind::kPerWarp;
  // Of kControlCodes.
  bool check_hazards = false;
  std::uint8_t operand_read_cycles = 9;
  std::uint8_t barrier_move_cycles = 0;
  std::uint32_t entries_per_warp = 8;
  std::uint32_t read_ports = kAutoPorts;   ///< 0: any number
  std::uint32_t write_ports = kAutoPorts;  ///< 0: any number
  sim::Implementation impl = sim::Implementation::kModel;
  sim::Timing timing = sim::Timing::kIdeal;
  std::uint8_t release_queue = 4;  ///< timing: contract
  std::uint8_t stall_seed = 0;     ///< timing: contract
  void visit(base::ConfigVisitor& v);
  void validate() const;
  [[nodiscard]] bool clocked() const { return timing == sim::Timing::kContract; }
  [[nodiscard]] bool control_codes() const { return kind == ScoreboardKind::kControlCodes; }
  /// Instructions need to be admitted to issue. A clocked scoreboard has its ports in its contract.
  [[nodiscard]] bool limits_ports() const {
    return !clocked() && (resolved_read_ports() != 0 || resolved_write_ports() != 0);
  }
  // kAutoPorts resolved: those of [MultiPath] §7.5.6 for thread masks and for a clocked scoreboard, of each scheduler; a bit per
  // register needs no array.
  [[nodiscard]] std::uint32_t resolved_read_ports() const { return resolved(read_ports, 6); }
  [[nodiscard]] std::uint32_t resolved_write_ports() const { return resolved(write_ports, 3); }

 private:
  [[nodiscard]] std::uint32_t resolved(std::uint32_t ports, std::uint32_t of_masks) const {
    if (ports != kAutoPorts) return ports;
    return kind == ScoreboardKind::kPerThreadMask || clocked() ? of_masks : 0;
  }
};

/// Register banks, operand collectors and write-back ports of one sub-core.
struct RegisterFileConfig {
  /// How lanes of several home warps, which need different rows, are served.
  enum class Formations : std::uint8_t { kRowPerLane, kPerHomeWarp };
  Formations formations = Formations::kRowPerLane;
  std::uint32_t banks = 16;
  std::uint32_t ports_per_bank = 1;
  std::uint32_t write_ports_per_bank = 0;  ///< 0: writes take ports_per_bank
  bool reuse_cache = false;
  std::uint32_t collectors_sp = 6;
  std::uint32_t collectors_sfu = 8;
  std::uint32_t collectors_memory = 2;
  std::uint32_t writeback_ports = 2;
  void visit(base::ConfigVisitor& v);
};

/// Latency: cycles from issue until a dependent instruction may issue, with no conflict on the way.
/// Initiation: cycles the pipe is occupied. 0: as of another class (PipesConfig::timing_of).
struct ClassTiming {
  std::uint32_t latency_cycles = 4;
  std::uint32_t initiation_cycles = 1;
};

struct PipesConfig {
  std::uint32_t sp_units = 2;
  std::uint32_t int_units = 0;
  std::uint32_t sfu_units = 1;
  std::uint32_t dp_units = 0;
  std::uint32_t tensor_units = 1;
  bool int_mad_on_sp = false;      ///< the multiplier is that of the SP pipes
  bool fp_min_max_on_int = false;  ///< the comparator is that of the INT pipes
  bool exchange_unit = false;      ///< of a core: what lanes exchange goes through it
  std::array<ClassTiming, isa::kLatencyClasses> timing;
  PipesConfig();
  [[nodiscard]] ClassTiming timing_of(isa::LatencyClass of) const;
  void visit(base::ConfigVisitor& v);
  /// The kind of pipe an instruction goes to on this platform.
  [[nodiscard]] Pipe pipe_of(const isa::Instruction& instruction) const;
};

struct LsuConfig {
  std::uint32_t queue_entries = 8;
  bool replay_issue = true;
  std::uint32_t local_queue_entries = 0;  ///< 0: sub-cores have no queues of their own
  std::uint32_t address_cycles = 1;
  std::uint32_t pass_cycles = 1;
  bool passes_overlap = false;
  std::uint32_t tags_per_pass = 0;  ///< 0: a pass a line, whatever their banks
  std::uint32_t atomic_return_cycles = 0;
  std::uint32_t reduction_lane_cycles = 0;  ///< 0: an access of a reduction takes what others do
  std::uint32_t reductions_in_flight = 0;   ///< 0: no limit
  bool access_statistics = false;
  void visit(base::ConfigVisitor& v);
};

struct MemoryPortConfig {
  std::uint32_t request_queue_packets = 8;
  std::uint32_t response_queue_packets = 8;
  void visit(base::ConfigVisitor& v);
};

struct L1dConfig {
  bool enabled = true;
  std::uint32_t size_kib = 16;     ///< 0: what shared memory leaves of unified_kib
  std::uint32_t unified_kib = 64;  ///< array that L1 and shared memory divide; 0: each has its own
  CarveOut carve_out = CarveOut::kFixed;
  std::uint32_t line_bytes = 128;
  std::uint32_t sector_bytes = 0;  ///< 0: whole lines
  std::uint32_t ways = 4;
  cache::ReplacementChoice replacement = cache::default_replacement();
  std::uint32_t latency_cycles = 18;
  std::uint32_t mshr_entries = 32;
  std::uint32_t mshr_targets = 8;
  bool cache_global_loads = true;
  WritePolicy global_write = WritePolicy::kWriteEvict;  ///< not kWriteBack: L1 is not coherent
  WritePolicy local_write = WritePolicy::kWriteBack;
  void visit(base::ConfigVisitor& v);
};

struct ConstantCacheConfig {
  std::uint32_t size_kib = 8;
  std::uint32_t line_bytes = 64;
  std::uint32_t ways = 2;
  cache::ReplacementChoice replacement = cache::default_replacement();
  std::uint32_t latency_cycles = 6;
  std::uint32_t mshr_entries = 2;
  std::uint32_t mshr_targets = 32;
  std::uint32_t second_kib = 0;  ///< 0: no second level
  std::uint32_t second_ways = 8;
  std::uint32_t second_latency_cycles = 100;
  bool uniform_at_issue = false;
  std::uint32_t immediate_kib = 0;  ///< 0: operands at fixed places of constant banks are always there
  std::uint32_t immediate_latency_cycles = 55;
  void visit(base::ConfigVisitor& v);
};

struct SharedMemoryConfig {
  std::uint32_t size_kib = 48;
  std::string carve_outs;  ///< with CarveOut::kByKernel: sizes in KiB, ascending; empty: any
  std::uint32_t reserved_bytes_per_cta = 0;
  std::uint32_t banks = 32;
  std::uint32_t wide_lanes =
      0;  ///< of an access of 16 bytes a lane that a pass serves; 0: as the banks allow
  std::uint32_t latency_cycles = 20;
  void visit(base::ConfigVisitor& v);
  /// Throws base::InputError if it is no ascending list of numbers.
  [[nodiscard]] std::vector<std::uint32_t> carve_out_sizes() const;
};

/// What arrives at a CTA barrier: each thread for itself, or its whole warp with it (barrier_unit.h).
enum class BarrierCounts : std::uint8_t { kThreads, kWarps };

struct BarrierConfig {
  std::uint32_t latency_cycles = 4;
  std::uint32_t release_cycles = 0;  ///< 0: any number of warps are released at once
  BarrierCounts counts = BarrierCounts::kWarps;
  void visit(base::ConfigVisitor& v);
};

/// Where messages of fences go, with completion_cycles: behind atomics of the core that are under way, or to every L2 slice.
enum class FenceMessagesTo : std::uint8_t { kAtomics, kSlices };

/// How long a fence takes at least: hardware sends it through the memory system, where nothing is outstanding either.
struct FenceConfig {
  std::uint32_t cta_cycles = 0;
  std::uint32_t gpu_cycles = 0;
  std::uint32_t completion_cycles = 0;
  std::uint32_t round_cycles = 0;  ///< 0: no fence waits for another
  std::uint32_t join_cycles = 0;
  FenceMessagesTo messages = FenceMessagesTo::kAtomics;
  std::uint32_t slices = 0;  ///< no key: how many L2 slices there are
  void visit(base::ConfigVisitor& v);
};

/// Texture unit (memory/texture_stage.h).
struct TextureConfig {
  std::uint8_t lanes_per_cycle = 4;
  std::uint8_t latency_cycles = 40;
  std::uint8_t queue_entries = 32;
  bool cached = true;  ///< texels go through L1
  void visit(base::ConfigVisitor& v);
};

struct CoreConfig {
  MemoryModel memory_model = MemoryModel::kLegacy;
  OccupancyConfig occupancy;
  FetchConfig fetch;
  L0InstructionCacheConfig l0i;
  InstructionCacheConfig l1i;
  ScoreboardConfig scoreboard;
  SchedulerConfig scheduler;
  simt::ControlFlowConfig control_flow;
  RegisterFileConfig register_file;
  PipesConfig pipes;
  LsuConfig lsu;
  MemoryPortConfig memory_port;
  L1dConfig l1d;
  ConstantCacheConfig constant_cache;
  SharedMemoryConfig shared_memory;
  BarrierConfig barrier;
  FenceConfig fence;
  TextureConfig texture;
  base::ConfigOptions units;  ///< sections of what may be added to a core (core_extension.h, CoreUnit)

  void visit(base::ConfigVisitor& v);
  void validate() const;
  void validate_carve_outs() const;
  /// l1d with the size it has beside shared memory; with CarveOut::kByKernel the largest.
  [[nodiscard]] L1dConfig resolved_l1d() const;
  /// KiB of L1 while the CTAs that fit on a core have that much shared memory together.
  [[nodiscard]] std::uint32_t l1d_kib_beside(std::uint32_t shared_bytes) const;
  [[nodiscard]] std::uint32_t max_threads() const { return occupancy.max_warps * base::kLanes; }
};

}  // namespace heddle::core
