#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/regions.h"
#include "frontend/listing/lines.h"
#include "frontend/ptx/decode/registers.h"
#include "frontend/ptx/diagnostic.h"
#include "isa/convergence.h"

namespace heddle::listing {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;

/// One kernel, with the functions that it may call.
class Completion {
 public:
  Completion(const Listing& listing, isa::Kernel& kernel) : kernel_(kernel) {
    for (const Section& section : listing.sections)
      for (const Line& line : section.lines)
        if (!line.opcode.empty()) lines_[line.where.line] = {&section, &line};
  }

  void run() {
    // Listings have the instruction size of Turing's machine code; rows that hold code addresses keep PTX's.
    constexpr std::uint32_t kBytes = 16;
    if (std::none_of(kernel_.code_pointers.begin(), kernel_.code_pointers.end(),
                     [](const isa::CodePointer& pointer) { return pointer.as_address; }))
      kernel_.instruction_bytes = kBytes;
    std::vector<std::pair<std::uint32_t, const Written*>> regions;
    for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
      const auto found = lines_.find(kernel_.code[pc].where.line);
      if (found == lines_.end()) continue;
      Instruction& instruction = kernel_.code[pc];
      const Written& written = found->second;
      convergence(instruction, written);
      if (written.line->guard2.present) {
        instruction.guard2 = predicate(written, written.line->guard2);
        isa::list_registers(instruction);
      }
      if (is_region(instruction)) regions.emplace_back(pc, &written);
    }
    for (const auto& [pc, written] : regions) kernel_.code[pc].target = resume(pc, *written);
  }

 private:
  struct Written {
    const Section* section = nullptr;
    const Line* line = nullptr;
  };
  static bool is_region(const Instruction& instruction) {
    return instruction.op == Opcode::kConvergence && instruction.convergence == isa::ConvergenceOp::kSet;
  }

  void convergence(Instruction& instruction, const Written& written) const {
    const Line& line = *written.line;
    const auto barrier = [&](std::size_t operand) {
      return static_cast<std::uint8_t>(register_number("B", line.operands[operand], kMostBarrier));
    };
    Instruction made;
    if (line.opcode == "BSSY") {
      made = isa::bssy(barrier(0), base::kNoPc);
    } else if (line.opcode == "BSYNC") {
      made = isa::bsync(barrier(0));
    } else if (line.opcode == "BREAK") {
      made = isa::break_barrier(barrier(0));
    } else if (line.opcode.starts_with("BMOV") && fits('B', line.operands[0]) &&
               fits('B', line.operands[1]) && instruction.src[0].space == isa::RowSpace::kConstant) {
      made = isa::read_barrier(instruction.dst[0], barrier(1), false);  // on its way to the other one
    } else if (line.opcode.starts_with("BMOV") && fits('B', line.operands[0])) {
      made = isa::write_barrier(barrier(0), instruction.src[0]);
    } else if (line.opcode.starts_with("BMOV")) {
      const isa::Operand to = line.operands[0] == "RZ" ? isa::Operand{} : instruction.dst[0];
      made = isa::read_barrier(to, barrier(1), line.opcode == "BMOV.32.CLEAR");
    } else if (line.opcode == "WARPSYNC") {
      made = isa::warpsync(instruction.src[0]);
    } else if (line.opcode == "YIELD") {
      made = isa::yield();
    } else {
      return;
    }
    made.guard = instruction.guard;
    made.where = instruction.where;
    isa::list_registers(made);
    instruction = made;
  }

  [[nodiscard]] isa::Operand predicate(const Written& written, const Guard& guard) const {
    const Section& section = *written.section;
    const std::string name =
        (section.is_kernel ? "" : ptx::register_prefix(section.name)) + register_in(section, guard.predicate);
    const auto& names = kernel_.register_names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      ptx::fail(*kernel_.source, written.line->where, "predicate " + guard.predicate + " is never written",
                "Write it with ISETP before.");
    isa::Operand row = kernel_.registers.row(static_cast<isa::RegId>(found - names.begin()));
    row.negated = guard.negated;
    return row;
  }

  /// The instruction behind the BSYNC that the label of a BSSY stands at, or behind ([Hanoi:A1]). Profile P would
  /// send lanes that have met to any other place.
  [[nodiscard]] Pc resume(std::uint32_t from, const Written& written) const {
    const std::string& label = written.line->operands[1];
    const auto named = std::find_if(written.section->lines.begin(), written.section->lines.end(),
                                    [&](const Line& line) { return line.label == label; });
    std::uint32_t pc = 0;
    while (kernel_.function_at(Pc(pc)) != kernel_.function_at(Pc(from)) ||
           kernel_.code[pc].where.line < named->where.line)
      ++pc;
    const unsigned barrier = kernel_.code[from].barrier;
    const auto meets = [&](std::uint32_t at) {
      const Instruction& instruction = kernel_.code[at];
      return instruction.op == Opcode::kConvergence && instruction.convergence == isa::ConvergenceOp::kSync &&
             instruction.barrier == barrier;
    };
    std::vector<std::uint32_t> named_syncs;
    if (meets(pc)) named_syncs.push_back(pc);
    if (pc > 0 && meets(pc - 1) && kernel_.function_at(Pc(pc - 1)) == kernel_.function_at(Pc(from)))
      named_syncs.push_back(pc - 1);
    const isa::SourceLoc where = written.line->operand_where[1];
    if (named_syncs.empty())
      ptx::fail(
          *kernel_.source, where,
          fmt::format("there is no BSYNC B{} at label '{}', nor directly in front of it", barrier, label),
          fmt::format("Name the BSYNC B{} at which the lanes of this region meet.", barrier));
    const std::vector<std::uint32_t> closing = analysis::closing_syncs(kernel_.code, kernel_.targets, from);
    if (closing.empty()) return Pc(named_syncs.front() + 1);
    const auto sync =
        std::find_first_of(named_syncs.begin(), named_syncs.end(), closing.begin(), closing.end());
    if (sync == named_syncs.end())
      ptx::fail(
          *kernel_.source, where,
          fmt::format("the lanes of this region meet at the BSYNC B{} in line {}, not at that of label '{}'",
                      barrier, kernel_.code[closing.front()].where.line, label),
          "Name that one, or take another barrier register.");
    return Pc(*sync + 1);
  }

  isa::Kernel& kernel_;
  std::map<std::uint32_t, Written> lines_;  ///< by number
};

}  // namespace

void complete(const Listing& listing, isa::Module& module) {
  for (auto& decoded : module.kernels) {
    isa::Kernel kernel = *decoded;
    Completion(listing, kernel).run();
    decoded = std::make_shared<const isa::Kernel>(std::move(kernel));
  }
}

}  // namespace heddle::listing
