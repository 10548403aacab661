// Configuration of transactional memory: section `tm` of a platform file ([KiloTM], [WarpTM]).
#pragma once

#include <cstdint>
#include <string>

#include "base/config.h"

namespace heddle::tm {

/// When an entry of a commit unit holds set buffers ([KiloTM] §4.4.4).
enum class BufferScheme : std::uint8_t {
  kAll,       ///< two for each live entry
  kAccessed,  ///< two for each that has words here
  kUsed,      ///< for each set that is not empty
  kNeeded,    ///< the same, given back when the transaction has failed, and those of reads when it is valid
};

/// Who asks for a commit, and what messages are about.
enum class Protocol : std::uint8_t {
  kKilo,   ///< each transaction by itself ([KiloTM])
  kWarp,   ///< WarpTM: those of a warp that do not conflict with each other, together ([WarpTM] §6.2)
  kIdeal,  ///< a yardstick: conflicts are found and writes done in no time (comparison/ideal_memory.h)
};
/// How the yardstick finds conflicts ([KiloTM] §4.1.1, §4.2.2).
enum class IdealConflicts : std::uint8_t {
  kWords,       ///< exactly
  kSignatures,  ///< signature HTM: words that are written, in a signature of what has been read
  kRing,        ///< RingSTM: a signature of what is written, with one of what has been read
  kRingWords,   ///< RingSTM: the words that have been read, in a signature of what is written
};
/// How what it commits comes to L2.
enum class IdealWrites : std::uint8_t {
  kFree,    ///< in no time
  kStores,  ///< as stores of the kernel
};
/// How a commit unit finds who has written what a transaction has read.
enum class HazardKind : std::uint8_t {
  kHistory,  ///< last writer history ([KiloTM] §4.2.5)
  kBfArray,  ///< a yardstick: signatures of all entries ([KiloTM] §4.4.3, [KiloTM:A11])
};

/// Which lanes of a warp try again before the commit ([WarpTM] §6.3).
enum class IntraWarp : std::uint8_t { kTwoPhase, kSequential };

/// Whether transactions that only read commit without the commit units ([WarpTM] §6.4).
enum class Temporal : std::uint8_t {
  kOff,
  kPublished,  ///< as published: part of a committing transaction may be missing ([WarpTM:G17])
  kStrict,     ///< [KiloTM:E4]
};

/// Of the last writer history; entries of 4 + 2 bytes, buckets of 2.
struct HistoryConfig {
  std::uint32_t table_entries = 512;
  std::uint32_t table_ways = 4;
  std::uint32_t arrays = 4;
  std::uint32_t buckets = 256;  ///< of a sub-array
  bool perfect = false;         ///< every word has an entry of its own
};

struct CommitUnitConfig {
  double clock_mhz = 700;
  std::uint32_t ring_entries = 1920;
  std::uint32_t cid_bits = 16;
  std::uint32_t set_words = 8;
  std::uint32_t set_buffers = 500;
  BufferScheme buffer_scheme = BufferScheme::kUsed;
  HazardKind hazard_detection = HazardKind::kHistory;
  HistoryConfig history;
  std::uint32_t signature_bits = 512;
  std::uint32_t signature_arrays = 4;
  std::uint32_t signatures_checked = 0;
  std::uint64_t hash_seed = 0x1b1;
  std::uint32_t hazard_words = 1;
  std::uint32_t port_words = 8;
  std::uint32_t coalesced_bytes = 64;
  std::uint32_t l2_queue = 8;
  std::uint32_t vendor_cycles = 1;
  // Not keys: what the protocol asks for.
  bool by_warp = false;              ///< WarpTM: a row holds the transactions of a warp
  std::uint32_t gathered_words = 1;  ///< words of a log's row that are read from a buffer in a clock
  std::uint32_t access_bytes = 32;   ///< of an access of L2

  void visit(base::ConfigVisitor& v);
  [[nodiscard]] bool unlimited() const { return ring_entries == 0; }
  [[nodiscard]] unsigned stored_bits() const { return unlimited() ? 64 : cid_bits; }
  /// ([KiloTM] §4.4.4) Of a commit entry array, of set buffers, of the history.
  [[nodiscard]] std::uint64_t entry_bytes() const { return std::uint64_t{ring_entries} * 10; }
  [[nodiscard]] std::uint64_t buffer_bytes() const { return std::uint64_t{set_buffers} * set_words * 8; }
  /// ([KiloTM:A11]) Of two signatures of each entry of the ring: what has been read and written.
  [[nodiscard]] std::uint64_t bf_array_bytes() const {
    return std::uint64_t{ring_entries} * 2 * signature_bits / 8;
  }
};

struct IntraWarpConfig {
  IntraWarp resolution = IntraWarp::kTwoPhase;
  std::uint32_t table_entries = 4096;
  std::string filter_bits = "1024";
  std::uint32_t step_cycles = 1;
  /// ([WarpTM] §6.3.3) Of the table of owners of a warp: a byte for each entry.
  [[nodiscard]] std::uint64_t table_bytes() const { return table_entries; }
  void visit(base::ConfigVisitor& v);
};

struct TemporalConfig {
  Temporal mode = Temporal::kOff;
  std::uint32_t arrays = 4;
  std::uint32_t buckets = 512;
  void visit(base::ConfigVisitor& v);
};

/// Of the yardsticks (comparison/ideal_memory.h).
struct IdealConfig {
  IdealConflicts conflicts = IdealConflicts::kWords;
  std::uint32_t signature_bits = 1024;
  std::uint32_t signature_arrays = 4;
  IdealWrites writes = IdealWrites::kFree;
  void visit(base::ConfigVisitor& v);
};

struct TmLogConfig {
  std::uint32_t read_rows = 256;
  std::uint32_t write_rows = 128;
  std::string filter_bits = "ideal";
  void visit(base::ConfigVisitor& v);
};

struct TmConfig {
  bool enabled = false;
  Protocol protocol = Protocol::kKilo;
  std::uint32_t concurrent_warps = 2;
  std::uint32_t backoff_cycles = 0;
  std::uint64_t validate_cycles = 100'000;
  std::uint64_t hang_cycles = 100'000'000;
  bool fence_waits = false;
  bool checks = false;
  TmLogConfig log;
  IntraWarpConfig intra_warp;
  TemporalConfig temporal;
  CommitUnitConfig commit_unit;
  IdealConfig ideal;

  void visit(base::ConfigVisitor& v);
};

}  // namespace heddle::tm
