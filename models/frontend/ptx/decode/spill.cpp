#include "frontend/ptx/decode/spill.h"

#include <algorithm>
#include <map>

#include "analysis/cfg.h"
#include "analysis/liveness.h"
#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/function.h"

namespace heddle::ptx {
namespace {

using isa::Opcode;
using isa::RegId;
using isa::RowWidth;

isa::Operand row_of(const isa::RegisterLayout& layout, RegId reg) {
  isa::Operand row;
  row.reg = reg;
  row.space = isa::RowSpace::kRegister;
  row.present = true;
  if (reg < layout.rows32) {
    row.width = RowWidth::k32;
    row.offset = layout.offset32(reg);
  } else if (reg < layout.rows32 + layout.rows64) {
    row.width = RowWidth::k64;
    row.offset = layout.offset64(reg - layout.rows32);
  } else {
    row.width = RowWidth::kPredicate;
    row.offset = layout.offset_predicate(reg - layout.rows32 - layout.rows64);
  }
  return row;
}

class Saver {
 public:
  Saver(KernelContext& context, const RegisterRows& registers, const SpillRows& rows)
      : context_(context),
        registers_(registers),
        layout_(registers.layout()),
        rows_(rows),
        frame_(context.plan.frame),
        stack_pointer_(context.kernel.stack_pointer) {
    registers.place(frame_);
    registers.place(stack_pointer_);
  }

  std::uint64_t run() {
    find_live();
    give_places();
    rebuild();
    // Every activation takes something, so that a recursion without end overflows the stack.
    const std::uint64_t align = context_.kernel.stack_align;
    return std::max(align, (end_ + align - 1) / align * align);
  }

 private:
  [[nodiscard]] bool recursive(const CallSite& site) const {
    return std::any_of(site.callees.begin(), site.callees.end(), [&](const FunctionPlan* callee) {
      return callee->recursion == context_.plan.recursion;
    });
  }

  /// What a call's sequence does to the rows that the recursion passes things in is undone behind it: it ends
  /// no life there, and what it brings back starts none in front of it.
  void let_pass(const CallSite& site, std::vector<isa::Instruction>& code) const {
    std::vector<RegId> passing;
    const auto add = [&](isa::Operand row) {
      registers_.place(row);
      if (row.present) passing.push_back(row.reg);
    };
    for (const FunctionPlan* callee : site.callees) {
      if (callee->recursion != context_.plan.recursion) continue;
      add(callee->return_pc);
      for (const PassedValue& param : callee->params) add(param.row);
      for (const PassedValue& result : callee->returns) add(result.row);
    }
    const auto drop = [&](auto& list, std::uint8_t& count) {
      const auto end = std::remove_if(list.begin(), list.begin() + count, [&](RegId reg) {
        return std::find(passing.begin(), passing.end(), reg) != passing.end();
      });
      count = static_cast<std::uint8_t>(end - list.begin());
    };
    for (std::uint32_t i = site.begin; i <= site.call; ++i) drop(code[i].writes, code[i].write_count);
    for (std::uint32_t i = site.call + 1; i < site.end; ++i) drop(code[i].reads, code[i].read_count);
  }

  void find_live() {
    // The code as it stands, with branches resolved, is the function for itself.
    std::vector<isa::Instruction> code = context_.code;
    std::vector<base::Pc> targets;
    for (const PendingBranch& branch : context_.branches)
      code[branch.instruction].target = base::Pc(context_.label_pc[branch.label]);
    for (const PendingTable& table : context_.tables) {
      code[table.instruction].table_first = static_cast<std::uint32_t>(targets.size());
      code[table.instruction].table_count = static_cast<std::uint32_t>(table.labels.size());
      for (const std::uint32_t label : table.labels) targets.emplace_back(context_.label_pc[label]);
    }
    for (const CallSite& site : context_.calls)
      if (recursive(site)) let_pass(site, code);
    const analysis::ControlFlowGraph cfg(code, targets);
    const analysis::Liveness liveness(cfg, layout_);
    for (const CallSite& site : context_.calls) {
      live_.emplace_back();
      if (!recursive(site)) continue;
      for (const RegId reg : liveness.live_before(site.end)) {
        if (reg == frame_.reg || reg == stack_pointer_.reg) continue;
        bool taken = false;  // a result of the call
        for (std::uint32_t i = site.call; i < site.end; ++i)
          for (unsigned w = 0; w < code[i].write_count; ++w) taken = taken || code[i].writes[w] == reg;
        if (!taken) live_.back().push_back(reg);
      }
    }
  }

  void give_places() {
    end_ = context_.plan.storage.bytes;
    for (const bool wide : {true, false})
      for (const auto& list : live_)
        for (const RegId reg : list) {
          const bool is_wide = row_of(layout_, reg).width == RowWidth::k64;
          if (is_wide != wide || !places_.try_emplace(reg, end_).second) continue;
          end_ += wide ? 8 : 4;
        }
  }

  void rebuild() {
    std::vector<isa::Instruction> old = std::move(context_.code);
    context_.code.clear();
    std::vector<std::uint32_t> moved(old.size() + 1);
    std::size_t next = 0;             // call site that begins next
    std::size_t open = live_.size();  // the one we are in
    for (std::uint32_t i = 0; i <= old.size(); ++i) {
      if (open != live_.size() && context_.calls[open].end == i) {
        for (const RegId reg : live_[open]) restore(reg, old[context_.calls[open].call].where);
        open = live_.size();
      }
      moved[i] = static_cast<std::uint32_t>(context_.code.size());
      if (i == old.size()) break;
      if (next < context_.calls.size() && context_.calls[next].begin == i) {
        for (const RegId reg : live_[next]) save(reg, old[context_.calls[next].call].where);
        open = next++;
      }
      inside_[i] = static_cast<std::uint32_t>(context_.code.size());
      context_.code.push_back(old[i]);
    }
    // Labels go in front of the stores, everything that names an instruction to the instruction.
    for (std::uint32_t& label : context_.label_pc) label = moved[label];
    for (PendingBranch& branch : context_.branches) branch.instruction = inside_[branch.instruction];
    for (PendingTable& table : context_.tables) table.instruction = inside_[table.instruction];
    for (std::uint32_t& size : context_.frame_sizes) size = inside_[size];
    for (CallSite& site : context_.calls) {
      site.begin = moved[site.begin];
      site.link = inside_[site.link];
      site.call = inside_[site.call];
      site.end = moved[site.end];
    }
  }

  void add(isa::Instruction instruction, SourceLoc where) {
    instruction.where = where;
    list_registers(instruction);
    context_.code.push_back(instruction);
  }

  isa::Instruction lane(isa::LaneOp op, Type type) {
    isa::LaneSpec spec;
    spec.op = op;
    spec.type = type;
    spec.compare = isa::Compare::kNe;
    return simple_lane(context_, {}, spec);
  }

  void save(RegId reg, SourceLoc where) {
    isa::Operand row = row_of(layout_, reg);
    if (row.width == RowWidth::kPredicate) {
      isa::Instruction select = lane(isa::LaneOp::kSelp, Type::kB32);
      select.dst[0] = rows_.flag;
      select.src[0] = context_.constants.row(RowWidth::k32, 1);
      select.src[1] = context_.constants.row(RowWidth::k32, 0);
      select.src[2] = row;
      add(select, where);
      row = rows_.flag;
    }
    add(local_access(Opcode::kStore, row, frame_, static_cast<std::int64_t>(places_.at(reg))), where);
  }

  void restore(RegId reg, SourceLoc where) {
    const isa::Operand row = row_of(layout_, reg);
    const bool predicate = row.width == RowWidth::kPredicate;
    add(local_access(Opcode::kLoad, predicate ? rows_.flag : row, frame_,
                     static_cast<std::int64_t>(places_.at(reg))),
        where);
    if (!predicate) return;
    isa::Instruction compare = lane(isa::LaneOp::kSetp, Type::kU32);
    compare.dst[0] = row;
    compare.src[0] = rows_.flag;
    compare.src[1] = context_.constants.row(RowWidth::k32, 0);
    add(compare, where);
  }

  KernelContext& context_;
  const RegisterRows& registers_;
  const isa::RegisterLayout& layout_;
  const SpillRows& rows_;
  isa::Operand frame_;
  isa::Operand stack_pointer_;
  std::vector<std::vector<RegId>> live_;  ///< by call site
  std::map<RegId, std::uint64_t> places_;
  std::map<std::uint32_t, std::uint32_t> inside_;
  std::uint64_t end_ = 0;
};

}  // namespace

std::uint64_t save_live_registers(KernelContext& context, const RegisterRows& registers,
                                  const SpillRows& rows) {
  return Saver(context, registers, rows).run();
}

}  // namespace heddle::ptx
