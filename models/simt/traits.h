// What a control-flow mechanism is to everybody else: the core that it steers, the passes that compile for it, and what else a
// GPU has. A mechanism answers once, from its configuration (Mechanism::traits); nobody asks for it by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simt/control_flow_protocol.h"

namespace heddle::simt {

/// What code may use on a mechanism that executes convergence instructions.
struct ConvergenceTables {
  std::uint32_t barrier_registers = 0;      ///< that programs may name
  std::uint32_t reconvergence_entries = 0;  ///< regions open at a time
  /// Lanes may open a region with the register at which others wait, if its value is put back before they go on.
  bool shared_registers = true;
};

/// What branches' reconvergence points are to a mechanism.
enum class ReconvergenceUse : std::uint8_t {
  kOneSideRuns,     ///< until it ends or comes to the point, where it waits; then the other one
  kSidesTakeTurns,  ///< until all that are expected wait at the point
  kNone,            ///< lanes do not wait there
};

struct Traits {
  // ---- To the core

  /// Issue groups of a warp, each with an I-buffer of its own.
  std::uint32_t groups_per_warp = 1;
  /// Splits of a warp that wait for each other may do so: a blocked one lets others have their turn. CTA barriers count
  /// threads then, whatever core.barrier.counts says.
  bool runs_lanes_apart = false;
  /// Lanes that arrive at a .sync instruction together need not go on together: those that wait for others of their
  /// member mask leave the group, and come back each when it has met its own.
  bool parts_lanes_at_sync = false;
  /// A nanosleep is a YIELD first: it sleeps only if no other lanes have their turn ([Hanoi] Tab I).
  bool sleep_yields = false;
  /// Lanes that have met may go on at the reconvergence point of any BSSY or WARPSYNC.
  bool may_misroute = false;
  /// Whose lanes it is given at a launch.
  Scope scope = Scope::kWarp;
  /// It wants to know of each kernel what can be known before it runs (ControlFlowRequest::facts).
  bool wants_facts = false;
  /// It answers in a later cycle than it is asked in (BlockCause::kUnit): a clocked block.
  bool clocked = false;
  /// Size of its tables in hardware, per warp ([AWARE] Tab 5.2), and of those that the warps of a core share.
  std::uint64_t table_bits = 0, shared_table_bits = 0;
  /// Device memory it wants for spilled table entries: 0 or kTableBytesPerWarp.
  std::uint32_t spill_bytes_per_warp = 0;

  // ---- To passes over programs

  /// None: it executes no convergence instructions (ControlFlow::converge), gets no kernel that has any, and branches need
  /// their reconvergence points.
  std::optional<ConvergenceTables> convergence = std::nullopt;
  ReconvergenceUse reconvergence = ReconvergenceUse::kOneSideRuns;

  // ---- To mechanisms of the whole GPU

  /// Which lanes of a warp run next may depend on when things happen, not only on what the lanes have executed: why;
  /// empty: it does not. None: it may.
  std::optional<std::string> timed = std::nullopt;
  /// Calls are frames that lanes return from one by one, with no entry of the caller in between: so transactions can be
  /// (core/protocols/transaction_protocol.h).
  bool calls_are_frames = false;
};

}  // namespace heddle::simt
