#include "frontend/ptx/decode/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "frontend/ptx/builder.h"

namespace heddle::ptx {
namespace {

constexpr std::pair<std::string_view, std::string_view> kNamedSlots[] = {
    {"@rnd", "rnd=rn|rz|rm|rp"},
    {"@allrnd", "rnd=rn|rz|rm|rp|rni|rzi|rmi|rpi|rna"},
    {"@cmp", "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"@bool", "bool=and|or|xor"},
    {"@scope", "scope=cta|cluster|gpu|sys"},
    {"@atom_order", "order=relaxed|acquire|release|acq_rel"},
    {"@red_order", "order=relaxed|release"},
    {"@atom_space", "space=global|shared|shared::cta"},
    {"@int", "u16|u32|u64|s16|s32|s64"},
    {"@bits", "b16|b32|b64"},
    {"@compared", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"},
    {"@carried", "u32|s32|u64|s64"},
    {"@converted", "u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64"},
    {"@wmma_space", "space=global|shared|shared::cta"},
    {"@evict", "cache=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"@fetched", "L2::64B|L2::128B|L2::256B"},
    {"@data", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
};

/// The parts of `text` between separators; none for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// An error in the table is a bug in Heddle, found by the first test that decodes anything.
[[noreturn]] void bad_table(const Form& form, std::string_view what) {
  throw std::logic_error("form table: " + std::string(form.opcode) + ": " + std::string(what));
}

Slot compile_slot(const Form& form, std::string_view text) {
  Slot slot;
  if (text.ends_with('?')) {
    slot.optional = true;
    text.remove_suffix(1);
  }
  if (text.starts_with('@')) {
    const auto* named = std::find_if(std::begin(kNamedSlots), std::end(kNamedSlots),
                                     [&](const auto& entry) { return entry.first == text; });
    if (named == std::end(kNamedSlots)) bad_table(form, text);
    text = named->second;
  }
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) {
    const auto kind = modifier_kind(text.substr(0, equals));
    if (!kind) bad_table(form, text);
    slot.kind = *kind;
    text.remove_prefix(equals + 1);
  }
  slot.words = split(text, '|');
  for (const std::string_view word : slot.words) {
    slot.kinds.push_back(equals == std::string_view::npos ? natural_kind(word) : slot.kind);
    Modifiers probe;
    if (!apply_modifier(slot.kinds.back(), word, probe)) bad_table(form, word);
  }
  return slot;
}

OperandSpec compile_operand(const Form& form, std::string_view text) {
  OperandSpec spec;
  const auto take = [&](bool at_front, std::string_view piece) {
    if (!(at_front ? text.starts_with(piece) : text.ends_with(piece))) return false;
    at_front ? text.remove_prefix(piece.size()) : text.remove_suffix(piece.size());
    return true;
  };
  spec.optional = take(false, "?");
  spec.destination = take(true, "=");
  spec.relaxed_width = take(true, "~");
  spec.second_destination = take(false, "|pred");
  if (text == "t") {
    spec.source = OperandSpec::Source::kFirst;
  } else if (text == "s") {
    spec.source = OperandSpec::Source::kSecond;
  } else if (text == "w") {
    spec.source = OperandSpec::Source::kWide;
  } else if (text == "-") {
    spec.source = OperandSpec::Source::kMemberMask;
    spec.fixed = isa::Type::kB32;
  } else if (text == "i") {
    spec.source = OperandSpec::Source::kImmediate;
    spec.fixed = isa::Type::kU8;
  } else {
    spec.source = OperandSpec::Source::kFixed;
    spec.fixed = type_from_name(text);
    if (spec.fixed == isa::Type::kNone) bad_table(form, text);
  }
  return spec;
}

CompiledForm compile(const Form& form) {
  CompiledForm compiled{form, {}, {}, 0};
  for (const std::string_view slot : split(form.modifiers, ' '))
    compiled.slots.push_back(compile_slot(form, slot));
  for (const std::string_view operand : split(form.operands, ' ')) {
    compiled.operands.push_back(compile_operand(form, operand));
    if (!compiled.operands.back().optional) compiled.least_operands = compiled.operands.size();
  }
  return compiled;
}

using Table = std::map<std::string_view, std::vector<CompiledForm>>;

const Table& table() {
  static const Table all = [] {
    Table built;
    for (const auto* part :
         {&arithmetic_forms(), &half_forms(), &logic_forms(), &data_forms(), &control_forms(), &sync_forms(),
          &warp_forms(), &video_forms(), &texture_forms(), &async_forms(), &matrix_forms()})
      for (const Form& form : *part) built[form.opcode].push_back(compile(form));
    return built;
  }();
  return all;
}

isa::Type twice_as_wide(isa::Type type) {
  switch (type) {
    case isa::Type::kU16:
      return isa::Type::kU32;
    case isa::Type::kS16:
      return isa::Type::kS32;
    case isa::Type::kU32:
      return isa::Type::kU64;
    case isa::Type::kS32:
      return isa::Type::kS64;
    default:
      return isa::Type::kNone;
  }
}

/// Marks in `used` every word that occurs in some supported combination.
void find_used(const CompiledForm& form, std::size_t slot, const Modifiers& meaning,
               std::vector<std::size_t>& chosen, std::vector<std::vector<bool>>& used) {
  constexpr std::size_t kNone = ~std::size_t{0};
  if (slot == form.slots.size()) {
    if (isa::find_lane_fn(lane_spec(form, meaning)) == nullptr) return;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (chosen[i] != kNone) used[i][chosen[i]] = true;
    used.back()[0] = true;
    return;
  }
  const Slot& at = form.slots[slot];
  if (at.optional) {
    chosen[slot] = kNone;
    find_used(form, slot + 1, meaning, chosen, used);
  }
  for (std::size_t w = 0; w < at.words.size(); ++w) {
    Modifiers next = meaning;
    if (!apply_modifier(at.kinds[w], at.words[w], next)) continue;
    chosen[slot] = w;
    find_used(form, slot + 1, next, chosen, used);
  }
}

}  // namespace

isa::Type OperandSpec::type(const Modifiers& modifiers) const {
  switch (source) {
    case Source::kFirst:
      return modifiers.types[0];
    case Source::kSecond:
      return modifiers.types[1];
    case Source::kWide:
      return twice_as_wide(modifiers.types[0]);
    case Source::kFixed:
    case Source::kMemberMask:
    case Source::kImmediate:
      return fixed;
  }
  return fixed;
}

bool CompiledForm::match(const std::vector<std::string>& modifiers, Modifiers& meaning,
                         std::size_t& misfit) const {
  std::uint32_t filled = 0;
  for (misfit = 0; misfit < modifiers.size(); ++misfit) {
    bool fits = false;
    // A CTA is a cluster of its own, whose shared memory is that of the CTA.
    std::string_view name = modifiers[misfit];
    if (name == "shared::cluster") name = "shared::cta";
    for (std::size_t s = 0; s < slots.size() && !fits; ++s) {
      if ((filled >> s) & 1u) continue;
      const auto word = std::find(slots[s].words.begin(), slots[s].words.end(), name);
      if (word == slots[s].words.end()) continue;
      const auto kind = slots[s].kinds[static_cast<std::size_t>(word - slots[s].words.begin())];
      if (!apply_modifier(kind, *word, meaning)) continue;
      filled |= 1u << s;
      fits = true;
    }
    if (!fits) return false;
  }
  for (std::size_t s = 0; s < slots.size(); ++s)
    if (!slots[s].optional && ((filled >> s) & 1u) == 0) return false;
  return true;
}

const std::vector<CompiledForm>& forms_of(std::string_view opcode) {
  static const std::vector<CompiledForm> none;
  const auto found = table().find(opcode);
  return found == table().end() ? none : found->second;
}

std::vector<std::string_view> known_opcodes() {
  std::vector<std::string_view> names;
  for (const auto& [opcode, forms] : table()) names.push_back(opcode);
  return names;
}

isa::LaneSpec lane_spec(const CompiledForm& form, const Modifiers& m) {
  isa::LaneSpec spec;
  spec.op = form.form.lane;
  spec.type = m.types[0];
  // mul.wide and mad.wide name the type of the factors; the lane function is selected by the type of the
  // result.
  if (!form.operands.empty() && form.operands[0].source == OperandSpec::Source::kWide)
    spec.type = twice_as_wide(m.types[0]);
  spec.src_type = m.types[1];
  spec.compare = m.compare;
  spec.combine = m.combine;
  spec.rounding = m.rounding;
  spec.property = m.property;
  spec.ftz = m.ftz;
  spec.sat = m.sat;
  spec.relu = m.relu;
  spec.satfinite = m.satfinite;
  spec.nan = m.nan;
  spec.xorsign = m.xorsign;
  spec.approx = m.approx || m.full;
  spec.full = m.full;
  spec.clamp = m.clamp;
  spec.carry_out = m.carry_out;
  return spec;
}

std::string describe(const CompiledForm& form) {
  std::vector<std::vector<bool>> used;
  const bool has_lane_function = form.form.handler == decode_lane || form.form.handler == decode_cvt;
  for (const Slot& slot : form.slots) used.emplace_back(slot.words.size(), !has_lane_function);
  used.emplace_back(1, !has_lane_function);  // whether any combination is supported
  if (has_lane_function) {
    std::vector<std::size_t> chosen(form.slots.size());
    find_used(form, 0, {}, chosen, used);
  }
  if (!used.back()[0]) return {};
  std::string text(form.form.opcode);
  for (std::size_t s = 0; s < form.slots.size(); ++s) {
    std::string words;
    bool several = false;
    for (std::size_t w = 0; w < form.slots[s].words.size(); ++w) {
      if (!used[s][w]) continue;
      several = !words.empty();
      words += fmt::format("{}{}", several ? "|" : "", form.slots[s].words[w]);
    }
    if (words.empty()) continue;
    if (form.slots[s].optional)
      text += fmt::format("{{.{}}}", words);
    else if (several)
      text += fmt::format(".({})", words);
    else
      text += fmt::format(".{}", words);
  }
  return text;
}

}  // namespace heddle::ptx
