// Inserts instructions into a kernel and updates everything that holds a code address: targets, tables,
// functions' entries, return PCs in constant rows, variable uses.
//
// Until finish(), PCs are those of the original kernel, also within inserted instructions. There are three
// insertion points between two instructions:
//
//     instruction p-1
//     apart                 executed only by jumps to it
//     behind p-1            executed when coming from p-1, also by a return into p-1's call
//     p, falling through    ... and by threads that enter a function that begins at p
//     p, jumps too          ... and by threads that jump to p
//     instruction p
//
// Targets of branches, and of a BSSY, may also be inserted instructions (last_inserted()) and instructions without what
// is inserted before them (itself()).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/kernel.h"

namespace heddle::compiler {

enum class Entry : std::uint8_t {
  kFallThrough,  ///< jumps to the PC skip the inserted instruction
  kJumpsToo,
};

/// Constants are added to the kernel immediately; everything else happens in finish().
class KernelEditor {
 public:
  /// The kernel must outlive this.
  explicit KernelEditor(isa::Kernel& kernel) : kernel_(kernel), registers_(kernel.registers.registers()) {}
  KernelEditor(const KernelEditor&) = delete;
  KernelEditor& operator=(const KernelEditor&) = delete;

  /// Before `pc`, after anything inserted there earlier. Returns false if no thread could reach the
  /// instruction; it is then left out. An instruction without a source line takes its neighbour's.
  bool insert_before(base::Pc pc, Entry entry, isa::Instruction instruction);
  /// Directly after `pc`: after the return if it is a call, on the fall-through side if it is a branch.
  bool insert_after(base::Pc pc, isa::Instruction instruction);
  /// Between the instruction before `pc`, from which none falls through, and `pc`, behind what was inserted so earlier.
  /// `pc` may be the end of the code.
  void insert_apart(base::Pc pc, isa::Instruction instruction);
  /// As a target: what was inserted last. Of a BSSY: the BSYNC whose lanes go on behind it.
  [[nodiscard]] base::Pc last_inserted() const {
    return base::Pc(kInserted + static_cast<std::uint32_t>(insertions_.size()) - 1);
  }
  /// As a target: an instruction of the kernel, without what is inserted before it.
  [[nodiscard]] static base::Pc itself(base::Pc pc) { return base::Pc(kItself + pc.value()); }
  /// What was inserted as `inserted`, to be changed.
  [[nodiscard]] isa::Instruction& inserted(base::Pc inserted) {
    return insertions_[inserted.value() - kInserted].instruction;
  }
  /// An instruction of the kernel, to be changed. Its opcode and targets stay as they are.
  [[nodiscard]] isa::Instruction& at(base::Pc pc) { return kernel_.code[pc.value()]; }
  /// A branch of the kernel goes elsewhere; an indirect branch gets a table of its own.
  void retarget(base::Pc branch, base::Pc target) { kernel_.code[branch.value()].target = target; }
  void retarget(base::Pc branch, const std::vector<base::Pc>& table);

  /// A new register, usable in inserted and changed instructions. Its number changes with finish(). Throws
  /// std::length_error if there are too many.
  [[nodiscard]] isa::Operand new_register(isa::RowWidth width, const std::string& name);
  /// A new row of the constants; existing rows are not reused.
  [[nodiscard]] isa::Operand constant(isa::RowWidth width, std::uint64_t bits);
  /// Changes a row of constant() in all instructions that have it.
  void set_constant(const isa::Operand& row, std::uint64_t bits);
  /// More memory at the end of the frames of a function (FunctionCode::frame).
  void enlarge_frame(std::uint32_t function, std::uint32_t bytes);
  /// A row that holds the PC of `pc`, or its code address, and is updated when the code moves.
  [[nodiscard]] isa::Operand code_pointer(isa::RowWidth width, base::Pc pc, bool as_address);

  /// Applies all edits; call it once. Afterwards the kernel's reconvergence points, live registers and facts
  /// are stale: the passes that compute them have to run (again). Throws std::logic_error if the kernel's
  /// recursions have not been saved (save_recursion.h), because their call sequences would be torn apart.
  void finish();
  /// After finish(): where an inserted instruction is now.
  [[nodiscard]] base::Pc now_at(base::Pc inserted) const {
    return base::Pc(inserted_.at(inserted.value() - kInserted));
  }

 private:
  /// In code order.
  enum class Where : std::uint8_t { kApart, kBehind, kFallThrough, kJumpsToo };
  static constexpr std::uint32_t kInserted = 0x8000'0000u;  ///< last_inserted(): plus `number`
  static constexpr std::uint32_t kItself = 0x4000'0000u;    ///< itself(): plus the PC
  struct Insertion {
    std::uint32_t gap = 0;  ///< before this instruction
    Where where = Where::kJumpsToo;
    isa::Instruction instruction;
    std::uint32_t number = 0;  ///< in the order of insertion
  };
  struct NewRegister {
    isa::RowWidth width = isa::RowWidth::k32;
    std::string name;
  };

  [[nodiscard]] bool is_entry(std::uint32_t pc) const;
  [[nodiscard]] bool falls_through(std::uint32_t pc) const;
  void number_registers();
  void renumber(isa::Operand& operand, const std::vector<isa::RegId>& numbers) const;
  void renumber(isa::Instruction& instruction, const std::vector<isa::RegId>& numbers) const;
  void lay_out();
  void move_code();
  void retarget(isa::Instruction& instruction, std::uint32_t now) const;
  void move_tables(std::uint32_t first, std::uint32_t count, bool calls, std::vector<bool>& moved);
  void move_pointers();
  /// Of a branch's target.
  [[nodiscard]] base::Pc jump(base::Pc old) const;
  [[nodiscard]] base::Pc enter(base::Pc old) const;
  /// Where lanes resume that have met at a BSYNC.
  [[nodiscard]] base::Pc resume(base::Pc target) const;

  isa::Kernel& kernel_;
  std::uint32_t registers_;  ///< of the original kernel
  std::vector<NewRegister> new_registers_;
  std::vector<Insertion> insertions_;
  // By old PC, plus one for the end: the new PC of entries, of jump targets, and of the instruction itself.
  std::vector<std::uint32_t> enter_;
  std::vector<std::uint32_t> jump_;
  std::vector<std::uint32_t> at_;
  std::vector<std::uint32_t> inserted_;  ///< by number: its new PC
};

}  // namespace heddle::compiler
