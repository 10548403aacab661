#include "cli/block_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "frontend/ptx/function_text.h"
#include "frontend/ptx/parser.h"
#include "frontend/ptx/text_edit.h"

namespace heddle::cli {
namespace {

/// The number of this warp in the grid, its counter and its entries. In one line, so that lines keep their numbers.
std::string prologue(const BlockLogShape& shape) {
  std::string text =
      ".reg .b32 %hwlog_a, %hwlog_b, %hwlog_c, %hwlog_lower, %hwlog_mask, %hwlog_at; "
      ".reg .b64 %hwlog_count, %hwlog_base, %hwlog_entry; .reg .pred %hwlog_logs, %hwlog_leads; ";
  // CTA in the grid.
  text +=
      "mov.u32 %hwlog_a, %ctaid.z; mov.u32 %hwlog_b, %nctaid.y; mov.u32 %hwlog_c, %ctaid.y; "
      "mad.lo.u32 %hwlog_a, %hwlog_a, %hwlog_b, %hwlog_c; mov.u32 %hwlog_b, %nctaid.x; mov.u32 %hwlog_c, "
      "%ctaid.x; "
      "mad.lo.u32 %hwlog_a, %hwlog_a, %hwlog_b, %hwlog_c; ";
  // Warps of a CTA.
  text +=
      "mov.u32 %hwlog_b, %ntid.x; mov.u32 %hwlog_c, %ntid.y; mul.lo.u32 %hwlog_b, %hwlog_b, %hwlog_c; "
      "mov.u32 %hwlog_c, %ntid.z; mul.lo.u32 %hwlog_b, %hwlog_b, %hwlog_c; add.u32 %hwlog_b, %hwlog_b, 31; "
      "shr.u32 %hwlog_b, %hwlog_b, 5; mul.lo.u32 %hwlog_a, %hwlog_a, %hwlog_b; ";
  // Warp of the CTA.
  text +=
      "mov.u32 %hwlog_b, %tid.z; mov.u32 %hwlog_c, %ntid.y; mov.u32 %hwlog_lower, %tid.y; "
      "mad.lo.u32 %hwlog_b, %hwlog_b, %hwlog_c, %hwlog_lower; mov.u32 %hwlog_c, %ntid.x; mov.u32 "
      "%hwlog_lower, %tid.x; "
      "mad.lo.u32 %hwlog_b, %hwlog_b, %hwlog_c, %hwlog_lower; shr.u32 %hwlog_b, %hwlog_b, 5; "
      "add.u32 %hwlog_a, %hwlog_a, %hwlog_b; ";
  text += fmt::format(
      "setp.lt.u32 %hwlog_logs, %hwlog_a, {}; min.u32 %hwlog_a, %hwlog_a, {}; mov.u64 %hwlog_count, {}; "
      "mul.wide.u32 %hwlog_entry, %hwlog_a, 4; add.u64 %hwlog_count, %hwlog_count, %hwlog_entry; "
      "mov.u64 %hwlog_base, {}; cvt.u64.u32 %hwlog_entry, %hwlog_a; "
      "mad.lo.u64 %hwlog_base, %hwlog_entry, {}, %hwlog_base; mov.u32 %hwlog_lower, %lanemask_lt; ",
      shape.warps, shape.warps - 1, kBlockCounts, kBlockEntries,
      std::uint64_t{shape.entries} * kBlockEntryBytes);
  return text;
}

std::string entry(std::size_t block, const BlockLogShape& shape) {
  return fmt::format(
      "activemask.b32 %hwlog_mask; and.b32 %hwlog_at, %hwlog_mask, %hwlog_lower; "
      "setp.eq.and.u32 %hwlog_leads, %hwlog_at, 0, %hwlog_logs; "
      "@%hwlog_leads atom.global.add.u32 %hwlog_at, [%hwlog_count], 1; "
      "setp.lt.and.u32 %hwlog_leads, %hwlog_at, {}, %hwlog_leads; mul.wide.u32 %hwlog_entry, %hwlog_at, {}; "
      "add.u64 %hwlog_entry, %hwlog_entry, %hwlog_base; mov.u32 %hwlog_at, {}; "
      "@%hwlog_leads st.global.v2.u32 [%hwlog_entry], {{%hwlog_at, %hwlog_mask}}; ",
      shape.entries, kBlockEntryBytes, block);
}

/// MAJOR.MINOR, MINOR one digit.
bool has_activemask(const std::string& version) {
  double value = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), value);
  return error == std::errc() && value >= 6.2;
}

void check(const ptx::Module& module, const std::string& name, const BlockLogShape& shape) {
  constexpr std::uint64_t kMost = kMostBlockLogBytes / kBlockEntryBytes;
  if (shape.warps == 0 || shape.entries == 0 || shape.entries > kMost / shape.warps)
    throw base::InputError("log of blocks",
                           fmt::format("{} warps with {} entries each", shape.warps, shape.entries),
                           fmt::format("Choose at least one of each, and at most {} entries in all.", kMost));
  if (!has_activemask(module.version))
    throw base::InputError(
        name, fmt::format("PTX {} has no activemask, which a log of blocks needs", module.version),
        "Compile with a .version of 6.2 or later.");
  if (module.address_size != 64)
    throw base::InputError(name, "addresses have 32 bits: a log of blocks needs 64",
                           "Compile with .address_size 64.");
  for (const ptx::VariableDecl& variable : module.variables)
    if (variable.name == kBlockCounts || variable.name == kBlockEntries)
      throw base::InputError(name, fmt::format("has a variable '{}' already", variable.name),
                             "Give the text as the compiler has written it.");
}

class Instrumenter {
 public:
  Instrumenter(const std::string& text, const BlockLogShape& shape) : edit_(text), shape_(shape) {}

  void variables(const ptx::Module& module) {
    const std::size_t line = edit_.offset(module.address_size_where);
    const std::size_t end = std::min(edit_.original().find('\n', line), edit_.original().size());
    edit_.insert(end,
                 fmt::format(" .visible .global .align 8 .b8 {}[{}]; .visible .global .align 8 .b8 {}[{}];",
                             kBlockCounts, std::uint64_t{shape_.warps} * 4, kBlockEntries, shape_.bytes()));
  }

  void function(const ptx::Function& function) {
    const ptx::FunctionText text(edit_, function);
    const std::size_t first = text.first_statement();
    edit_.insert(first, prologue(shape_));
    block(first, function, {});
    bool splits = false;  // the instruction before is a guarded branch
    for (const ptx::FunctionText::Item& item : text.items()) {
      for (const auto& label : item.labels) block(edit_.find(label.at, ':') + 1, function, label.name);
      if (splits && item.labels.empty()) block(item.from, function, {});
      splits = !item.instruction->guard.empty() && item.instruction->opcode == "bra";
    }
  }

  InstrumentedText take() { return {edit_.apply(), std::move(blocks_)}; }

 private:
  void block(std::size_t at, const ptx::Function& function, const std::string& label) {
    const auto line = 1 + std::count(edit_.original().begin(),
                                     edit_.original().begin() + static_cast<std::ptrdiff_t>(at), '\n');
    edit_.insert(at, (label.empty() ? "" : " ") + entry(blocks_.size(), shape_));
    blocks_.push_back({function.name, label, static_cast<std::uint32_t>(line)});
  }

  ptx::TextEdit edit_;
  BlockLogShape shape_;
  std::vector<LoggedBlock> blocks_;
};

}  // namespace

InstrumentedText with_block_log(const std::string& text, const std::string& name,
                                const BlockLogShape& shape) {
  const ptx::Module module = ptx::parse_text(text, name);
  check(module, name, shape);
  Instrumenter instrumenter(text, shape);
  instrumenter.variables(module);
  for (const ptx::Function& function : module.functions)
    if (!function.external) instrumenter.function(function);
  return instrumenter.take();
}

}  // namespace heddle::cli
