// A loaded kernel: decoded code, register layout, parameters, memory needs, and its source text for messages.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "isa/code_pointers.h"
#include "isa/instruction.h"
#include "isa/launch_constants.h"
#include "isa/program_facts.h"
#include "isa/recursion.h"
#include "isa/row_bytes.h"

namespace heddle::isa {

/// PTX has no machine code; its instructions get 8-byte addresses, as in the 64-bit encodings of the first
/// GPUs.
inline constexpr std::uint32_t kPtxInstructionBytes = 8;

struct RegisterLayout {
  std::uint32_t rows32 = 0;
  std::uint32_t rows64 = 0;
  std::uint32_t predicates = 0;

  [[nodiscard]] constexpr std::uint32_t offset32(std::uint32_t row) const { return row * 128; }
  [[nodiscard]] constexpr std::uint32_t offset64(std::uint32_t row) const { return rows32 * 128 + row * 256; }
  [[nodiscard]] constexpr std::uint32_t offset_predicate(std::uint32_t p) const {
    return rows32 * 128 + rows64 * 256 + p * 4;
  }
  /// Bytes of one warp's register block, a multiple of 64.
  [[nodiscard]] constexpr std::uint32_t bytes() const {
    return (rows32 * 128 + rows64 * 256 + predicates * 4 + 63u) & ~63u;
  }
  [[nodiscard]] constexpr std::uint32_t registers() const { return rows32 + rows64 + predicates; }
  /// The row of a register.
  [[nodiscard]] Operand row(RegId reg) const;
};

/// Rows of the special block, by index; all are 32-bit rows. Per-lane rows are filled when a warp is
/// launched; the others hold one value for all lanes.
enum class SpecialRow : std::uint8_t {
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
  kSmId,
  kNsmId,
  kLanemaskEq,
  kLanemaskLt,
  kLanemaskLe,
  kLanemaskGt,
  kLanemaskGe,
  kDynamicSharedSize,
  kTotalSharedSize,
  kGridIdLow,  ///< %gridid: sequence number of the launch on the device
  kGridIdHigh,
  kParamBaseLow,  ///< generic address of the kernel's parameters
  kParamBaseHigh,
  kGridWorkspaceLow,  ///< %envreg2, %envreg1: address of a cooperative launch's workspace (kGridWorkspaceBytes); else 0
  kGridWorkspaceHigh,
};
inline constexpr unsigned kSpecialRows = static_cast<unsigned>(SpecialRow::kGridWorkspaceHigh) + 1;
/// Its words are its size and the counter of the grid's barrier, which starts as 0 (cooperative_groups, driver ABI).
inline constexpr std::uint32_t kGridWorkspaceBytes = 8;
inline constexpr unsigned kSpecialBlockBytes = kSpecialRows * 128;
[[nodiscard]] constexpr std::uint32_t special_offset(SpecialRow row) {
  return static_cast<std::uint32_t>(row) * 128;
}

struct Param {
  std::string name;
  Type type = Type::kU64;
  std::uint32_t bytes = 8;   ///< total size (arrays: all elements)
  std::uint32_t offset = 0;  ///< in the parameter block
  std::uint32_t align = 8;
};

/// A line of the program that a compiler has made machine code of (-lineinfo).
struct SourceOrigin {
  std::string file;        ///< with the folder that the compiler has noted; empty: not known
  std::uint32_t line = 0;  ///< from 1; 0: not known
  auto operator<=>(const SourceOrigin&) const = default;
  /// The file without its folder: "lock.cu".
  [[nodiscard]] std::string name() const { return file.substr(file.rfind('/') + 1); }
  /// "lock.cu:12"; empty: not known.
  [[nodiscard]] std::string text() const {
    return line == 0 ? std::string{} : name() + ":" + std::to_string(line);
  }
};

/// The text a kernel came from, kept so that messages can quote the line.
struct SourceText {
  std::string name;  ///< file name, or a name for text from memory
  std::vector<std::string> lines;
  std::vector<SourceOrigin> origins;  ///< of a listing of machine code, by line; empty: nothing is known
  [[nodiscard]] std::string line(std::uint32_t number) const {
    return number >= 1 && number <= lines.size() ? lines[number - 1] : std::string{};
  }
};

/// A variable named by an instruction, as the base of an address or as an operand of mov or cvta. Analyses
/// use it to distinguish addresses.
struct VariableUse {
  std::uint32_t instruction = 0;  ///< index into the code
  std::string name;
  StateSpace space = StateSpace::kGlobal;  ///< kGlobal, kConst, kShared or kLocal
  std::uint64_t start = 0;  ///< its address in that space; all .extern .shared arrays have the same one
};

/// A function's code within a kernel.
struct FunctionCode {
  std::string name;
  std::uint32_t first = 0;  ///< index of its first instruction: where indirect calls enter
  std::uint32_t entry = 0;  ///< where direct calls enter
  std::uint32_t end = 0;
  /// Functions with the same number are mutually recursive: their frames are on the stack. 0: not recursive.
  std::uint32_t recursion = 0;
  std::uint32_t frame_bytes = 0;  ///< per thread: .local variables, parameters in memory, saved registers
  /// Recursive functions whose recursion has been saved: the row with the frame's address, which an instruction from
  /// `entry` on sets first, and the constant that is added for its size. Passes may enlarge the frame.
  Operand frame;
  Operand frame_size;
  std::uint32_t frame_align = 1;  ///< of that size, in bytes
  std::shared_ptr<const SourceText> source;
};

/// What a function's address refers to in a kernel.
struct FunctionAddress {
  std::string name;
  Pc entry = base::kNoPc;  ///< kNoPc: the kernel cannot call it, for the reason in `reason`
  std::string reason;
};

/// A loop in which threads wait for other threads, as the kernel's text says it (.pragma "heddle spin lock", "heddle
/// spin wait"). Its branches: those that the analysis finds with a way through the instruction, else the next branch
/// back over it (compiler/facts.h).
struct SpinMark {
  enum class Kind : std::uint8_t { kLock, kWait };
  Pc pc{};  ///< of the next instruction
  Kind kind = Kind::kLock;
};

/// Where the sides of a branch are likely to meet before its reconvergence point ([TBC] §3.4).
struct LikelyPoint {
  Pc branch{};
  Pc point{};
};

/// A transaction of the code that is not within another one of its function (compiler/transactions.h).
struct TransactionRegion {
  Pc begin{};                     ///< the tx_begin
  Pc commit{};                    ///< the only tx_commit that ends it
  std::vector<RegId> checkpoint;  ///< live behind the begin and written before the commit, ascending
};

struct Kernel {
  std::string name;
  std::vector<Instruction> code;  ///< the kernel's own, then its functions'; falling off an end is impossible
  std::uint32_t instruction_bytes = kPtxInstructionBytes;  ///< distance between the code addresses of
                                                           ///< consecutive instructions
  std::vector<FunctionCode> functions;  ///< functions that the kernel may call, in code order
  std::vector<Pc> targets;              ///< tables of indirect branches and calls
  std::unordered_map<std::uint64_t, FunctionAddress> function_addresses;
  std::vector<CodePointer> code_pointers;       ///< rows of `constants` that hold code addresses
  std::vector<SpinMark> spin_marks;             ///< in the order of the code
  std::vector<Pc> likely_convergence;           ///< where diverged threads often meet before they have to
  std::vector<LikelyPoint> likely_points;       ///< by branch
  std::vector<TransactionRegion> transactions;  ///< ascending by begin
  RegisterLayout registers;
  std::vector<std::string> register_names;       ///< by RegId, as written in the PTX ("%r5")
  RowBytes constants;                            ///< immediates broadcast to 32 lanes, 64-byte aligned rows
  std::vector<LaunchConstant> launch_constants;  ///< rows of `constants` whose values are set at each launch
  /// Machine code: the register of each 32-bit row; kNoRegister: none of the register file (uniform registers, rows that
  /// lowering adds). Empty: PTX, where rows are registers.
  std::vector<std::uint16_t> row_registers;
  /// Machine code, by pc: registers that the operand collector is to keep (.reuse), and kNoRegister.
  std::vector<std::array<std::uint16_t, 3>> kept_registers;
  static constexpr std::uint16_t kNoRegister = 0xffff;
  std::vector<BankWord> bank_words;  ///< machine code: operands of constant banks, ascending by pc
  std::vector<Param> params;
  std::uint32_t param_bytes = 0;
  std::uint32_t static_shared_bytes = 0;  ///< module- and function-scope .shared variables used
  std::uint32_t reserved_shared_bytes =
      0;  ///< at the start of these, no variable's: the hardware's (machine code of sm_90)
  std::uint32_t local_bytes_per_thread = 0;  ///< known before the launch; the stack follows it
  bool uses_stack = false;                   ///< recursion or alloca: needs stack memory in addition
  std::uint32_t registers_per_thread =
      0;  ///< 32-bit registers an allocator needs: peak liveness, for occupancy
  std::uint32_t allocated_registers =
      0;  ///< what the compiler of machine code has allocated; 0: peak liveness counts
  std::uint32_t max_threads_per_cta = 0;  ///< .maxntid product; 0: no limit stated
  /// .reqntid: the dimensions that every block of a launch must have.
  std::optional<std::array<std::uint32_t, 3>> required_block;
  /// Registers live on entry of each instruction that is the target of a backward branch (watchdog
  /// signatures).
  std::unordered_map<std::uint32_t, std::vector<RegId>> live_at_loop_heads;
  std::vector<VariableUse> variable_uses;  ///< ascending by instruction
  std::shared_ptr<const Recursion>
      recursion;  ///< what compiler::SaveRecursion still has to do; nullptr: nothing
  std::shared_ptr<const SourceText> source;
  SourceLoc defined_at;
  FactsOnDemand facts;  ///< compiler::facts_of()

  /// Of a cubin: instructions are the hardware's own.
  [[nodiscard]] bool is_machine_code() const { return allocated_registers != 0; }
  /// What counts against the limit of a block, and is asked of the kernel.
  [[nodiscard]] std::uint32_t declared_shared_bytes() const {
    return static_shared_bytes - reserved_shared_bytes;
  }
  /// Byte offset of an instruction from the kernel's first one: the PC that users see.
  [[nodiscard]] std::uint64_t code_address(Pc pc) const {
    return std::uint64_t{pc.value()} * instruction_bytes;
  }
  /// The instruction at a code address; kNoPc: there is none.
  [[nodiscard]] Pc pc_at(std::uint64_t code_address) const {
    const std::uint64_t index = code_address / instruction_bytes;
    return code_address % instruction_bytes == 0 && index < code.size()
               ? Pc(static_cast<std::uint32_t>(index))
               : base::kNoPc;
  }
  /// The PC that src[0] of an indirect branch names, by index or by address; kNoPc: none of its targets.
  [[nodiscard]] Pc indirect_target(const Instruction& branch, std::uint64_t value) const;
  /// The function whose code holds `pc`; nullptr: the kernel's own code.
  [[nodiscard]] const FunctionCode* function_at(Pc pc) const;
  /// "file.ptx:63 (pc 0x038 in kernel spinlock)" for messages; of machine code with its program's lines:
  /// "file.cubin:63 (lock.cu:12, pc 0x380 in kernel spinlock)".
  [[nodiscard]] std::string location(Pc pc) const;
  /// Machine code of which lines of its program are known.
  [[nodiscard]] bool has_origins() const {
    return is_machine_code() && source != nullptr && !source->origins.empty();
  }
  /// Where the instruction was written; without a line: not known.
  [[nodiscard]] SourceOrigin origin(Pc pc) const;
  /// The PTX line of the instruction, trimmed.
  [[nodiscard]] std::string source_line(Pc pc) const;
};

/// A module-scope variable with its device address and initial bytes.
struct GlobalVariable {
  std::string name;
  StateSpace space = StateSpace::kGlobal;  ///< kGlobal or kConst
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  std::vector<std::byte> initial;  ///< empty: zeros
};

/// A kernel that the module defines and that cannot run here: it, or a function that it may call, holds
/// something unsupported or wrong.
struct RefusedKernel {
  std::string name;
  std::shared_ptr<const base::InputError> why;
};

struct Module {
  std::string version;  ///< PTX ISA version, "9.0"
  std::string target;   ///< "sm_75"
  std::vector<std::shared_ptr<const Kernel>> kernels;
  std::vector<RefusedKernel> refused;  ///< kernels of the text that are not in `kernels`
  std::vector<GlobalVariable> globals;
  std::shared_ptr<const SourceText> source;

  /// nullptr if there is no kernel of that name.
  [[nodiscard]] std::shared_ptr<const Kernel> find(const std::string& name) const;
  /// The same, but throws the reason if the kernel has been refused.
  [[nodiscard]] std::shared_ptr<const Kernel> find_or_refuse(const std::string& name) const;
  /// "a, b, c (refused)", for messages; empty: the module has no kernels.
  [[nodiscard]] std::string kernel_names() const;
  /// Throws the reason for the first refused kernel, if any.
  void require_all() const;
};

}  // namespace heddle::isa
