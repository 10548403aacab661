// A PTX function as the oracle runs it: one Step per instruction, every name resolved to a number.
//
// This is the oracle's own representation. It is not isa::Instruction and is built without the decoder
// (frontend/ptx/decode.h), so that a mistake there or in the lane functions shows up as a difference instead
// of being shared.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/kernel.h"
#include "isa/types.h"
#include "oracle/texture.h"

namespace heddle::oracle {

using isa::StateSpace;
using isa::Type;

struct Step;
/// Operand values of one thread, each in the low bits of 64.
using Inputs = const std::uint64_t*;
/// Value of a computing instruction. Results are zero-extended from the width of their type. Sign-extending
/// conversions fill all 64 bits and are truncated to the destination register's width when written. For setp:
/// bit 0 is the first predicate, bit 1 the second.
using Eval = std::uint64_t (*)(const Step&, Inputs);
/// The same for instructions with two results of different widths: extended precision (value, carry) and
/// lop3 with a predicate.
using PairEval = std::array<std::uint64_t, 2> (*)(const Step&, Inputs);

enum class Kind : std::uint8_t {
  kCompute,     ///< eval
  kPredicates,  ///< setp: eval with two results
  kPair,        ///< pair_eval
  kPack,        ///< mov.b64 d, {a, b}
  kUnpack,      ///< mov.b64 {a, b}, d
  kMoveVector,  ///< mov.v2 {a, b}, {c, d}
  kLoad,
  kStore,
  kAtomic,
  kBranch,
  kIndexedBranch,  ///< brx.idx: source 0 selects from the table `extra`
  kCall,           ///< call site `extra`; indirect: source 0 is the function's address
  kReturn,
  kPrint,  ///< vprintf at call site `extra`: prints nothing, returns the number of arguments the format
           ///< takes
  kHeapAllocate,  ///< malloc at call site `extra`
  kHeapFree,      ///< free at call site `extra`
  kAssertFail,    ///< __assertfail at call site `extra`
  kExit,
  kBarrier,
  kWarp,       ///< threads of a member mask meet: vote, shfl, match, redux, bar.warp.sync
  kTogether,   ///< the same without .sync: the threads that arrive together take part
  kAsyncCopy,  ///< cp.async: to the address of `other`; source 0: bytes that are read, or whether they are ignored. Selector 0: a bulk
               ///< copy; source 0: its bytes, and the `other` of `other` is the mbarrier that hears of them
  kBarrierObject,  ///< mbarrier: `object` at the address
  kMatrixLoad,     ///< wmma.load, wmma.store of `matrix`; source 0: the stride
  kMatrixStore,
  kTexture,   ///< `texture`
  kSpace,     ///< isspacep
  kAllocate,  ///< alloca
  kStackSave,
  kStackRestore,
  kTrap,
  kTxBegin,  ///< a transaction: until its kTxCommit no other thread runs
  kTxCommit,
  kTxAbort,  ///< undoes it, to begin again
  kNothing,  ///< fences, hints
};

enum class Special : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNwarpId,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kDynamicSharedSize,
  kTotalSharedSize,
  kWorkspaceLow,  ///< address of a cooperative launch's workspace, or 0
  kWorkspaceHigh,
  kClock,  ///< thread instructions the oracle has run: monotonic
  kZero,
  kOne,
};

enum class Compare : std::uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan
};
enum class Combine : std::uint8_t { kNone, kAnd, kOr, kXor };
enum class Rounding : std::uint8_t { kNearest, kZero, kDown, kUp };
enum class ToInteger : std::uint8_t { kNo, kNearest, kZero, kDown, kUp };
enum class Atomic : std::uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor, kExch, kCas, kInc, kDec };
enum class BarrierOp : std::uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr };
enum class WarpOp : std::uint8_t {
  kSync,
  kVoteAll,
  kVoteAny,
  kVoteUni,
  kVoteBallot,
  kShflUp,
  kShflDown,
  kShflBfly,
  kShflIdx,
  kMatchAny,
  kMatchAll,
  kActive,
  kTranspose,    ///< movmatrix
  kMultiply,     ///< mma, wmma.mma of `matrix`
  kLoadMatrix,   ///< ldmatrix to `matrix`
  kStoreMatrix,  ///< stmatrix of `matrix`
  kElect,
  kReduce,  ///< redux.sync, with Step::atomic as the operation
};

/// Operations on an mbarrier.
enum class BarrierObject : std::uint8_t {
  kInitialise,
  kArrive,
  kDrop,
  kExpect,        ///< bytes more
  kComplete,      ///< bytes less
  kArriveExpect,  ///< the same, and an arrival
  kDropExpect,    ///< the same, and an arrival that drops out
  kTest,
  kTestParity
};

struct Source {
  enum class From : std::uint8_t {
    kSlot,
    kConstant,
    kSpecial,
    kFrame,    ///< `bits` bytes into the function's stack frame: a local address
    kElement,  ///< address of an array element: `bits` plus the contribution of Program::elements[slot]
  };
  From from = From::kConstant;
  bool negated = false;  ///< predicate given as !p
  Special special = Special::kZero;
  std::uint32_t slot = 0;
  std::uint64_t bits = 0;  ///< kConstant, kFrame
};

/// Where a result goes: a register slot, truncated to the register's width; slot -1: discarded ("_").
struct Target {
  std::int32_t slot = -1;
  std::uint64_t mask = 0;
};

/// The registers among the subscripts of a[%i][%j] where the array has no fixed address, and the width of the
/// address.
struct Element {
  struct Term {
    std::uint32_t slot = 0;
    std::uint64_t stride = 0;  ///< bytes
    bool is_signed32 = false;  ///< the register holds a signed 32-bit number
  };
  std::vector<Term> terms;
  bool in_frame = false;
  std::uint64_t mask = ~std::uint64_t{0};
};

/// What a video instruction does (PTX ISA, Video Instructions).
struct Video {
  enum class Operation : std::uint8_t {
    kAdd,
    kSubtract,
    kDistance,
    kMinimum,
    kMaximum,
    kAverage,
    kCompare,
    kShiftLeft,
    kShiftRight
  };
  enum class Second : std::uint8_t { kNone, kAdd, kMinimum, kMaximum };
  /// Bits of an operand, or of both as one number of 64 bits with b above a.
  struct Field {
    unsigned at = 0;
    unsigned width = 32;
  };
  Operation operation = Operation::kAdd;
  Second second = Second::kNone;
  bool wraps = false;         ///< shifts: the amount counts modulo 32
  std::vector<Field> from_a;  ///< one per lane, from the lowest; scalar: one
  std::vector<Field> from_b;
  std::vector<bool> used;  ///< lanes that have a result
  Field into;              ///< scalar: the part of c that the result replaces; 32 bits: none of it remains
  unsigned scale = 0;      ///< vmad: the sum is shifted to the right
  bool plus_one = false;   ///< vmad
  bool negative_product = false;  ///< vmad
  bool negative_addend = false;   ///< vmad
  Type b = Type::kU32;            ///< of the second operand; those of d and a are in the step
};

/// A matrix product, or the fragment of one, that a warp holds in registers.
struct Matrix {
  struct Extents {
    unsigned m = 0;
    unsigned n = 0;
    unsigned k = 0;
  };
  enum class Part : std::uint8_t { kA, kB, kC };
  struct Place {
    unsigned row = 0;
    unsigned column = 0;
  };
  Extents extents;
  Type left = Type::kF16;  ///< elements of A, B, and of C and D
  Type right = Type::kF16;
  Type output = Type::kF32;
  bool satfinite = false;
  Part part = Part::kC;       ///< of a load or store
  bool column_major = false;  ///< in memory; ldmatrix, stmatrix: .trans
  std::vector<Source> a;
  std::vector<Source> b;
  std::vector<Source> c;  ///< also of a store
  std::vector<Target> d;  ///< also of a load

  /// Rows of A, C and D that are one mma.
  [[nodiscard]] unsigned tile_rows() const;
  /// Elements of a register.
  [[nodiscard]] unsigned elements(Part of) const;
  /// Registers that hold the matrix.
  [[nodiscard]] unsigned registers(Part of) const;
  /// Where element `element` of register `index` of a lane is in the matrix.
  [[nodiscard]] Place place(Part of, unsigned index, unsigned element, unsigned lane) const;
};

/// An access to a texture or surface.
struct Texture : TextureRequest {
  Source object;
  std::vector<Source> places;  ///< of the coordinates
  std::vector<Source> values;  ///< kStore
};

struct Step {
  Kind kind = Kind::kNothing;
  Type type = Type::kNone;  ///< of the result; ld, st, atom: of one element
  Type from = Type::kNone;  ///< cvt, set, slct: of the source
  Eval eval = nullptr;
  PairEval pair_eval = nullptr;

  std::int32_t guard = -1;  ///< predicate slot, -1: always
  bool guard_negated = false;

  std::uint8_t sources = 0;
  std::uint8_t targets = 0;
  std::array<Source, 8> source{};
  std::array<Target, 8> target{};

  Compare compare = Compare::kEq;
  Combine combine = Combine::kNone;
  Rounding rounding = Rounding::kNearest;
  ToInteger to_integer = ToInteger::kNo;
  bool ftz = false;
  bool sat = false;
  bool relu = false;       ///< cvt: negative results become 0
  bool satfinite = false;  ///< cvt: infinite results become the largest value
  bool flag =
      false;  ///< by instruction: shf.clamp, bfind.shiftamt, min.NaN, ld that ends a turn, an atomic of 128 bits ...
  std::uint8_t selector = 0;  ///< testp property, prmt mode; elements of an atomic, each one of its own

  StateSpace space = StateSpace::kNone;
  std::int32_t base = -1;         ///< address register slot, -1: none
  bool narrow_address = false;    ///< address arithmetic is 32 bits wide
  bool in_frame = false;          ///< the address is relative to the function's stack frame
  std::int32_t element = -1;      ///< Program::elements that is added to the address, -1: none
  std::int64_t displacement = 0;  ///< added to the base; alone: the address
  Atomic atomic = Atomic::kAdd;

  BarrierOp barrier = BarrierOp::kSync;
  WarpOp warp = WarpOp::kSync;
  std::uint32_t jump = 0;   ///< kBranch: step index
  std::uint32_t extra = 0;  ///< kCall, kIndexedBranch: index of the call site or table

  const Video* video = nullptr;      ///< in Program::videos
  const Matrix* matrix = nullptr;    ///< in Program::matrices
  const Texture* texture = nullptr;  ///< in Program::textures
  const Step* other = nullptr;       ///< kAsyncCopy: the other address; in Program::places
  BarrierObject object = BarrierObject::kInitialise;

  isa::SourceLoc where;
};

/// A parameter or result of a function as the function sees it.
struct Formal {
  std::uint32_t bytes = 0;
  bool in_register = false;
  Target reg;                ///< in_register
  std::uint32_t offset = 0;  ///< in the stack frame, otherwise
};

/// The same as a call sees it: a .param variable in the caller's frame, or a single value.
struct Actual {
  bool in_frame = false;
  std::uint32_t offset = 0;  ///< in_frame
  std::uint32_t bytes = 0;   ///< in_frame
  Source value;              ///< argument
  Target target;             ///< result
};

struct CallSite {
  static constexpr std::uint32_t kIndirect = ~std::uint32_t{0};
  std::uint32_t function = kIndirect;  ///< index in Program::functions
  std::vector<Actual> results;
  std::vector<Actual> arguments;
  std::vector<std::uint32_t> targets;  ///< .calltargets: the only functions allowed; empty: any
};

struct FunctionCode {
  std::string name;
  std::shared_ptr<const isa::SourceText> source;  ///< of its module
  std::uint32_t entry = 0;                        ///< step index
  std::uint32_t slots = 0;                        ///< registers of one activation
  std::uint32_t frame_bytes = 0;
  std::uint32_t frame_align = 1;
  std::vector<Formal> results;
  std::vector<Formal> params;  ///< empty for a kernel: its parameters are in the parameter block
};

/// A .shared variable of a kernel or of a function that it calls.
struct SharedVariable {
  std::string name;
  std::uint64_t offset = 0;  ///< in the CTA's shared memory
  std::uint64_t bytes = 0;   ///< of an .extern array: up to the end of the window
  auto operator<=>(const SharedVariable&) const = default;
};

/// Function pointers: an address range of their own, 16 bytes per function of the module.
inline constexpr std::uint64_t kFunctionBase = 0x7b00'0000'0000ull;
inline constexpr std::uint64_t kFunctionBytes = 16;
/// Generic addresses of kernel parameters.
inline constexpr std::uint64_t kParamWindowBase = 0x7a00'0000'0000ull;
inline constexpr std::uint64_t kParamWindowBytes = 1ull << 24;

/// A kernel with every function it may call.
struct Program {
  std::vector<Step> steps;              ///< of all functions, one behind the other
  std::vector<FunctionCode> functions;  ///< the kernel first
  std::vector<CallSite> calls;
  std::vector<Element> elements;
  std::vector<std::unique_ptr<const Video>> videos;
  std::vector<std::unique_ptr<const Matrix>> matrices;
  std::vector<std::unique_ptr<const Texture>> textures;
  std::vector<std::unique_ptr<const Step>> places;
  std::vector<std::vector<std::uint32_t>> branch_tables;           ///< step indices
  std::unordered_map<std::uint64_t, std::uint32_t> by_address;     ///< function pointer to function
  std::vector<std::pair<std::uint64_t, std::uint64_t>> constants;  ///< address, bytes of .const variables
  bool uses_heap = false;                                          ///< malloc or free
  bool reads_workspace = false;  ///< the address of a cooperative launch's workspace
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_base = 0;  ///< where an extern .shared array begins; >= static_shared_bytes
  std::vector<SharedVariable> shared;     ///< in ascending order
  /// What hosts see of the kernel: name, parameters, memory needs, source. Its code is empty.
  std::shared_ptr<const isa::Kernel> kernel;
};

}  // namespace heddle::oracle
