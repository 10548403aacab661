// A decoded warp instruction: everything the pipeline needs, resolved once at load time.
//
// Registers are structure-of-arrays. A warp owns one register block laid out by its kernel's RegisterLayout:
//   [32-bit rows: 32 lanes x 4 bytes][64-bit rows: 32 lanes x 8 bytes][predicates: one 32-bit lane mask each]
// 8- and 16-bit registers live in 32-bit rows (zero-extended). An operand names a row by its byte offset in
// one of three blocks: the warp's registers, the kernel's constants (immediates, broadcast to 32 lanes) or
// the warp's special rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "isa/atomic.h"
#include "isa/types.h"

namespace heddle::isa {

using base::Pc;

/// What the pipeline has to do. kLane covers every operation that only reads and writes rows (arithmetic,
/// compare, convert, vote, shuffle ...): its meaning is the lane function.
enum class Opcode : std::uint8_t {
  kLane,
  kLoad,       ///< ld: state space in `space`, `vector` x `type`
  kStore,      ///< st
  kAtomic,     ///< atom, red (no destination)
  kAsyncCopy,  ///< cp.async: `type` bytes of a lane from `memory` (global) to shared memory at src[0] + `immediate`; src[1]: bytes
               ///< to read, the others become zero (absent: all). No destination
  kAsyncCommit,  ///< cp.async.commit_group: what the lanes have copied since the last one is a group
  kAsyncWait,  ///< cp.async.wait_group: until all but the lanes' last `immediate` groups are done; kAllCopies: wait_all
  kLoadMatrix,  ///< ldmatrix: 8 x 8 matrices of 16-bit elements out of shared memory, `immediate` a MatrixLoad. Lane 8m + r
                ///< names the address of row r of matrix m, which goes to dst[m]
  kBranch,    ///< bra; guard decides (and `togetherness`); target, rpc
  kIndirect,  ///< brx.idx: src[0] indexes the targets of the table; rpc
  kCall,      ///< call: target, or the function whose address is in src[0] (if present); rpc: the next
              ///< instruction
  kReturn,    ///< ret of a function, to the PC in src[0]
  kPrint,     ///< vprintf: src[0] format, src[1] packed arguments (generic addresses), dst[0] their number
  kHeapAllocate,  ///< malloc: src[0] bytes, dst[0] the block's address, or 0
  kHeapFree,      ///< free: src[0] address
  kAssertFail,    ///< __assertfail: src[0] message, src[1] file, src[2] line, src[3] function: stops the run
  kExit,          ///< exit, and ret of an entry function
  kBarrier,       ///< bar.sync / barrier.sync / barrier.cta.*
  kFence,         ///< membar, fence
  kTrap,          ///< trap, brkpt: stops the run
  kSleep,         ///< nanosleep: src[0] nanoseconds
  kTimer,         ///< a lane operation whose clock counts nanoseconds instead of core cycles (%globaltimer)
  kWarpSync,      ///< a lane operation over the lanes named by the member mask (src[member_mask]), which must
  ///< include every lane that executes it; those meet that have the same `immediate`, which numbers
  ///< the operation with its qualifiers; without a lane function: bar.warp.sync, 0
  kConvergence,  ///< BSSY, BSYNC, BREAK, BMOV, WARPSYNC, YIELD: `convergence` (isa/convergence.h). A WARPSYNC with dst[0] copies
  ///< src[1] to it
  kTransaction,  ///< tx_begin, tx_commit, tx_abort: `transaction` ([KiloTM] §4.2)
  kNop,          ///< pragma-like instructions, prefetches ...
  kTexture,  ///< tex, tld4, suld, txq, suq: `immediate` a TextureOp (isa/texture.h); src[]: handle, layer, coordinates, level or gradients
  kSurfaceStore,  ///< sust: the same; src[]: handle, layer, coordinates, `vector` components
};

/// Execution unit that an instruction occupies.
enum class Unit : std::uint8_t { kSp, kSfu, kMemory, kControl };
inline constexpr unsigned kUnits = 4;

/// Key into the table of latencies and initiation intervals of a platform.
enum class LatencyClass : std::uint8_t {
  kIntSimple,  ///< add, sub, logic, shift, mov, setp, selp, convert between integers
  kIntMinMax,
  kIntMul,
  kIntMad,
  kIntMadWide,  ///< machine code: IMAD.WIDE, IMAD.HI
  kIntDiv,      ///< div, rem
  kFpSimple,    ///< f32 add, sub, setp, abs, neg, conversions
  kFpMinMax,
  kFpMul,
  kFpMad,  ///< fma, mad
  kFpDiv,
  kSfu,  ///< rcp, sqrt, rsqrt, sin, cos, lg2, ex2
  kDpSimple,
  kDpMinMax,
  kDpMul,
  kDpMad,
  kDpDiv,
  kTensor8,   ///< a matrix multiply-add of 16 x 8 x 8 16-bit elements, or as many bits of others
  kTensor16,  ///< of 16 x 8 x 16
  kTensorDp,  ///< of 8 x 8 x 4 f64
  kShuffle,   ///< shfl
  kRedux,     ///< redux, match
  kMemory,    ///< latency set by the memory system
  kControl,   ///< branch, exit, barrier, fence
};
inline constexpr unsigned kLatencyClasses = static_cast<unsigned>(LatencyClass::kControl) + 1;
[[nodiscard]] std::string_view latency_class_name(LatencyClass c);

/// Threads that a fence or a strong access is about (PTX ISA, Memory Consistency Model: Scope).
enum class MemoryScope : std::uint8_t { kCta, kGpu, kSystem };
/// What a fence orders. kAcquire is part of the access before it: what registers wait for comes before what follows.
enum class FenceOrder : std::uint8_t { kAcquire, kRelease, kAcquireRelease, kSequential };
enum class CacheOp : std::uint8_t {
  kDefault,
  kCacheAll,
  kCacheGlobal,
  kStreaming,
  kLastUse,
  kVolatile,  ///< .cv, and every access stronger than weak
  kWriteThrough,
  kNonCoherent
};
/// Instruction::immediate of a kAsyncWait that waits for copies of no group as well.
inline constexpr std::uint64_t kAllCopies = ~std::uint64_t{0};
/// Instruction::immediate of a kLoadMatrix.
struct MatrixLoad {
  unsigned matrices = 1;    ///< 1, 2 or 4
  bool transposed = false;  ///< a lane gets two elements of a column
  [[nodiscard]] std::uint64_t pack() const { return matrices | (transposed ? 8u : 0u); }
  [[nodiscard]] static MatrixLoad unpack(std::uint64_t bits) {
    return {static_cast<unsigned>(bits & 7u), (bits & 8u) != 0};
  }
};
/// Instruction::immediate of a kTrap that is a brkpt.
inline constexpr std::uint64_t kBreakpoint = 1;
enum class BarrierKind : std::uint8_t { kSync, kArrive };
/// How barrier.red combines the predicates of all participating threads.
enum class BarrierReduction : std::uint8_t { kNone, kAnd, kOr, kPopc };

/// What a convergence instruction does ([Hanoi] Tab I). A thread alone notices nothing of it but kRead's value,
/// which is an implementation's.
enum class ConvergenceOp : std::uint8_t {
  kSet,        ///< BSSY: the lanes are to meet in front of `target`, named by the barrier register
  kSync,       ///< BSYNC: the lanes wait for all that the barrier register names
  kBreak,      ///< BREAK: the lanes are not waited for any more
  kRead,       ///< BMOV Rx,Bx: dst[0] := the barrier register; absent: discarded
  kReadClear,  ///< BMOV.CLEAR Rx,Bx: the same, and the register is invalid
  kWrite,      ///< BMOV Bx,Rx: the barrier register := src[0]
  kWarpSync,   ///< WARPSYNC: the lanes wait for all of src[0]
  kYield,      ///< YIELD: other lanes may have their turn
};

/// A kBranch that asks for more than its guards: which lanes execute it.
enum class Togetherness : std::uint8_t {
  kAny,
  kApart,     ///< BRA.DIV: all lanes take it, unless those whose guard holds are all live lanes of src[0]
  kTogether,  ///< BRA.CONV: taken if they are
};

/// What a transaction's instruction does ([KiloTM] §4.2).
enum class TransactionOp : std::uint8_t {
  kBegin,  ///< the loads and stores up to the commit happen at once or not at all; `target`: behind the commit
  kCommit,  ///< they happen now, or the thread goes back to behind the begin
  kAbort,   ///< the thread goes back to behind the begin
};

/// Dense register number within a kernel: 32-bit rows first, then 64-bit rows, then predicates.
using RegId = std::uint16_t;
inline constexpr RegId kNoReg = 0xffff;

enum class RowSpace : std::uint8_t { kRegister, kConstant, kSpecial };
enum class RowWidth : std::uint8_t { kPredicate, k32, k64 };

/// Eight bytes: instructions are read constantly and consist mostly of operands.
struct Operand {
  constexpr Operand() = default;
  std::uint32_t offset = 0;  ///< byte offset of the row in its block
  RegId reg = kNoReg;        ///< register number if space is kRegister
  RowSpace space : 2 = RowSpace::kRegister;
  RowWidth width : 2 = RowWidth::k32;
  bool negated : 1 = false;  ///< predicate source given as !p
  bool present : 1 = false;
};
static_assert(sizeof(Operand) == 8);

inline constexpr unsigned kMaxSources =
    11;  ///< mma: four rows of A, two of B, four of C, and the member mask
inline constexpr unsigned kMaxDestinations = 7;  ///< of a lane function: R2P gives seven predicates
inline constexpr unsigned kMaxElements = 4;      ///< of a vector load or store
static_assert(kMaxElements <= kMaxSources && kMaxElements <= kMaxDestinations);

/// Arguments of a lane function: row pointers, already resolved.
struct LaneArgs {
  std::byte* dst[kMaxDestinations] = {};  ///< nullptr: discarded; second destination: setp p|q
  const std::byte* src[kMaxSources];      ///< one per operand; the others stay uninitialised for speed
  std::uint32_t mask = 0;                 ///< lanes to execute; other lanes of dst keep their value
  std::uint8_t negated = 0;               ///< bit i: predicate source i is complemented
  std::uint64_t cycle = 0;                ///< core cycle, for %clock
  std::uint64_t immediate = 0;            ///< operation-specific constant (Instruction::immediate)
};
using LaneFn = void (*)(const LaneArgs&);

struct SourceLoc {
  std::uint32_t line = 0;  ///< 1-based line of the PTX text
  std::uint32_t column = 0;
};

/// Address of a memory instruction: base register (or none) + displacement. Symbols are resolved to addresses
/// or to offsets within the CTA's shared / the thread's local / the parameter space. Machine code has 64-bit bases in two
/// 32-bit rows, and may add a second one.
struct MemoryOperand {
  Operand base;  ///< 32- or 64-bit row; absent: absolute
  std::int64_t displacement = 0;
  Operand high;                 ///< high word of the base, whose row has 32 bits then
  Operand second;               ///< 32- or 64-bit row that is added; only present together with `base`
  Operand second_high;          ///< high word of the second one
  std::uint8_t base_shift = 0;  ///< the base's word is shifted left by so many bits

  /// The base is not one row as it is.
  [[nodiscard]] bool composed() const { return high.present || second.present || base_shift != 0; }
  /// The sum has 64 bits; otherwise it wraps around at 32.
  [[nodiscard]] bool wide() const {
    return !base.present || base.width == RowWidth::k64 || high.present || second.width == RowWidth::k64 ||
           second_high.present;
  }
  /// All its rows, present or not.
  [[nodiscard]] std::array<Operand, 4> rows() const { return {base, high, second, second_high}; }
  /// The address, from value(operand): what a lane holds in a row.
  template <class Value>
  [[nodiscard]] std::uint64_t address(Value&& value) const {
    auto sum = static_cast<std::uint64_t>(displacement);
    if (base.present) sum += std::uint64_t{value(base)} << base_shift;
    if (high.present) sum += std::uint64_t{value(high)} << 32;
    if (second.present) sum += value(second);
    if (second_high.present) sum += std::uint64_t{value(second_high)} << 32;
    return wide() ? sum : sum & 0xffff'ffffu;
  }
};

/// How an instruction moves threads, for mechanisms that distinguish these cases. In machine code it may only
/// be a hint: SASS calls and returns are jumps through registers.
enum class Transfer : std::uint8_t { kNone, kJump, kCall, kReturn };

/// Where the hardware executes a word of machine code: what ptxas counts between a result and its reader depends on both words'
/// (core/issue/counted_cycles.h).
enum class CodePipe : std::uint8_t {
  kNone,           ///< none that cycles are counted for: PTX, control, what the lowering has added
  kAlu,            ///< integer and logic; comparisons, minimum and maximum of f32
  kFma,            ///< FADD, FMUL, FFMA, IMAD, IDP, VIADD
  kFmaWide,        ///< IMAD.WIDE
  kFmaHigh,        ///< IMAD.HI
  kHalf,           ///< HADD2, HFMA2 ...
  kHalfMma,        ///< HFMA2.MMA
  kDouble,         ///< DADD, DMUL, DFMA
  kDoubleCompare,  ///< DSETP
  kTensor,         ///< products of matrices of less than 16 rows: IMMA.8816
  kTensor8,        ///< of 16 rows, LatencyClass::kTensor8
  kTensor8Float,   ///< the same with sums of f32
  kTensor16,
  kClock,        ///< CS2R
  kVote,         ///< VOTE
  kElect,        ///< ELECT, which writes a uniform register and a predicate
  kUniform,      ///< the uniform datapath
  kUniformMove,  ///< ULDC, UMOV, VOTEU
  kToUniform,    ///< R2UR
  kMemory,       ///< loads, stores, atomics, SHFL
  kOther,        ///< what names a counter: MUFU, conversions, S2R, LDC, textures ...; branches
};
inline constexpr unsigned kCodePipes = static_cast<unsigned>(CodePipe::kOther) + 1;

/// What the compiler of machine code tells the issue logic (bits 105 to 121 of a word, and DEPBAR's operands). The dependence counters
/// are numbered 0 to 5 (SB0 to SB5).
struct ControlCodes {
  static constexpr unsigned kCounters = 6;
  static constexpr std::uint8_t kNone = 7;  ///< for a counter's number
  std::uint32_t stall : 4 = 0;              ///< cycles until the warp's next instruction may issue
  std::uint32_t yield : 1 = 0;              ///< the warp does not issue in the next cycle
  std::uint32_t write_barrier : 3 = kNone;  ///< counter that is up until the results are written
  std::uint32_t read_barrier : 3 = kNone;   ///< counter that is up until the sources are read
  std::uint32_t wait_mask : 6 = 0;          ///< bit per counter that must be 0
  std::uint32_t counted : 3 = kNone;        ///< DEPBAR.LE: a counter that must be `at_most` or less
  std::uint32_t at_most : 6 = 0;
  // Not of the word's bits.
  std::uint32_t bank_word : 1 = 0;  ///< an operand is one of Kernel::bank_words
  std::uint32_t turing : 1 = 0;     ///< code of sm_75
  CodePipe pipe = CodePipe::kNone;
};
static_assert(sizeof(ControlCodes) == 8);

/// Members are ordered by when issue reads them.
struct Instruction {
  Opcode op = Opcode::kNop;
  Unit unit = Unit::kSp;
  LatencyClass latency_class = LatencyClass::kIntSimple;
  Type type = Type::kNone;  ///< of memory and atomic instructions: element type

  // For the scoreboard: distinct registers read (guards and address included) and written; the lists are below.
  std::uint8_t read_count = 0;
  std::uint8_t write_count = 0;
  /// Operands after the last present one are not read.
  std::uint8_t source_count = kMaxSources;
  std::uint8_t destination_count = kMaxDestinations;
  std::uint64_t register_signature =
      ~std::uint64_t{0};  ///< bit r mod 64 for every register r of the two lists

  LaneFn lane_fn = nullptr;  ///< kLane
  std::uint64_t immediate = 0;
  Operand guard;  ///< predicate register; absent: always; negated: @!p

  std::uint8_t negated_sources = 0;  ///< bit i: predicate source i is complemented
  Transfer transfer = Transfer::kNone;
  /// Fetch stops after it until its control flow is resolved.
  bool stops_fetch = false;
  /// It compares values (setp, set). Spin detectors look at these ([DDOS/BOWS] §6.3).
  bool compare = false;
  bool uniform = false;  ///< bra.uni
  /// The result depends on other lanes (vote, shfl, match, redux, activemask).
  bool cross_lane = false;
  /// The result depends on when it executes (%clock, %globaltimer). A loop that contains one can never be
  /// proven to repeat.
  bool time_dependent = false;
  /// .sync instructions of the warp: index of the source that is the member mask, or kNoMemberMask. The lane
  /// function may ignore a mask that names all lanes, but the operand is still present.
  std::uint8_t member_mask = kNoMemberMask;
  bool names_all_lanes = false;  ///< the mask is the constant that names all lanes
  static constexpr std::uint8_t kNoMemberMask = 0xff;

  Pc target = base::
      kNoPc;  ///< kBranch, direct kCall; BSSY: the instruction behind the BSYNC; tx_begin: the one behind
              ///< the tx_commit
  Pc rpc = base::kNoPc;  ///< reconvergence PC (immediate post-dominator), kNoPc if that is the kernel's exit
  /// PCs that kIndirect and an indirect kCall may go to: Kernel::targets[table_first ... + table_count).
  std::uint32_t table_first = 0;
  std::uint32_t table_count = 0;

  std::array<Operand, kMaxSources>
      src{};  ///< kStore: `vector` elements; kAtomic: operand, (cas: compare then new value), then their high words (high_of)
  std::array<Operand, kMaxDestinations>
      dst{};  ///< kLoad: `vector` elements; kAtomic: old value, and its high word if it is a pair; setp: up to 2; a discarded
              ///< ("_") element is absent
  /// A second predicate that must hold as well ([Hanoi] §V); only present together with `guard`.
  Operand guard2;

  ConvergenceOp convergence = ConvergenceOp::kSync;   ///< kConvergence
  std::uint8_t barrier = 0;                           ///< kConvergence: number of the barrier register
  TransactionOp transaction = TransactionOp::kBegin;  ///< kTransaction
  Togetherness togetherness = Togetherness::kAny;     ///< kBranch

  MemoryOperand memory;
  StateSpace space = StateSpace::kNone;
  std::uint8_t vector = 1;  ///< 1, 2 or 4 elements
  CacheOp cache_op = CacheOp::kDefault;
  AtomicOp atomic_op = AtomicOp::kAdd;
  MemoryScope scope = MemoryScope::kGpu;             ///< of kFence and of strong accesses
  FenceOrder fence_order = FenceOrder::kSequential;  ///< kFence
  BarrierKind barrier_kind =
      BarrierKind::kSync;       ///< src[0]: barrier number, src[1]: thread count (if present)
  bool barrier_packed = false;  ///< src[0] has the number in bits 0 to 15 and the count in bits 16 to 27
  BarrierReduction barrier_reduction = BarrierReduction::kNone;  ///< of predicate src[2] into dst[0]
  /// kIndirect, kReturn, indirect kCall: src[0] plus `immediate` is a code address (Kernel::pc_at). Otherwise kIndirect takes the index of a target, kReturn a PC, and kCall the address of a function of the
  /// module.
  bool target_is_address = false;
  bool target_is_pair = false;  ///< src[1] is the high word of that address
  /// Put in by a compiler pass; comparisons of control-flow traces leave it out.
  bool inserted = false;

  /// Enough for two guards, an address of two rows and all sources; and for all destinations.
  std::array<RegId, 16> reads{};
  std::array<RegId, 8> writes{};

  SourceLoc where;
  ControlCodes codes;  ///< of machine code; PTX has none

  /// Of a kAtomic: 64-bit operands are pairs of 32-bit rows, as machine code has them.
  [[nodiscard]] bool has_operand_pairs() const { return src[2].present; }
  /// The row of the high word of an atomic's src[0] or src[1].
  [[nodiscard]] const Operand& high_of(unsigned source) const { return src[source + 2]; }
};

/// Fills in the register lists, their signature, the operand counts and `negated_sources`, from operands whose
/// registers are numbered.
void list_registers(Instruction& instruction);

/// The transfer that an opcode of this instruction set makes.
[[nodiscard]] Transfer transfer_of(Opcode op);

}  // namespace heddle::isa
