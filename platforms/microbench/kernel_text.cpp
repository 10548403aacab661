#include "microbench/kernel_text.h"

#include <stdexcept>

namespace heddle::microbench {

TimedKernel::TimedKernel(std::string name)
    : name_(std::move(name)),
      warp_(reg("b32")),
      lane_(reg("b32")),
      round_(reg("b32")),
      start_(reg("b32")),
      stop_(reg("b32")),
      records_(reg("b64")),
      values_(reg("b64")),
      scratch_(reg("b32")),
      more_rounds_(reg("pred")) {}

std::string TimedKernel::parameter(std::string_view type) {
  const bool wide = type.ends_with("64");
  const std::string kind = type.starts_with('f') ? std::string(type) : wide ? "b64" : "b32";
  parameters_.emplace_back(type, reg(kind));
  return parameters_.back().second;
}

std::string TimedKernel::reg(std::string_view type) {
  static const std::map<std::string_view, std::string_view> prefixes = {
      {"b32", "%r"}, {"b64", "%rd"}, {"f32", "%f"}, {"f64", "%fd"}, {"pred", "%p"}};
  const auto prefix = prefixes.find(type);
  if (prefix == prefixes.end()) throw std::logic_error("no register of type " + std::string(type));
  return fmt::format("{}{}", prefix->second, registers_[std::string(type)]++);
}

std::string TimedKernel::label() { return fmt::format("L{}", labels_++); }

void TimedKernel::begin_rounds() {
  loop_ = label();
  line("mov.u32 {}, 0", round_);
  before_rounds_ = std::move(body_);
  body_.clear();
  place(loop_);
}

void TimedKernel::end_rounds(std::uint32_t rounds) {
  line("add.u32 {0}, {0}, 1", round_);
  line("setp.lt.u32 {}, {}, {}", more_rounds_, round_, rounds);
  line("@{} bra {}", more_rounds_, loop_);
}

void TimedKernel::keep(const std::string& reg) { kept_.push_back(reg); }

void TimedKernel::keep_lanes(std::string_view type, const std::string& reg) {
  kept_lanes_.emplace_back(type, reg);
}

std::string TimedKernel::prologue() const {
  std::string out;
  const auto add = [&](const std::string& text) { out += "    " + text + ";\n"; };
  add(fmt::format("ld.param.u64 {}, [records]", records_));
  add(fmt::format("ld.param.u64 {}, [values]", values_));
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    add(fmt::format("ld.param.{} {}, [p{}]", parameters_[i].first, parameters_[i].second, i));
  // Warp number in the grid: %ctaid.x * ceil(%ntid.x / 32) + %tid.x / 32.
  add(fmt::format("mov.u32 {}, %ntid.x", lane_));
  add(fmt::format("add.u32 {0}, {0}, 31", lane_));
  add(fmt::format("shr.u32 {0}, {0}, 5", lane_));
  add(fmt::format("mov.u32 {}, %tid.x", scratch_));
  add(fmt::format("shr.u32 {0}, {0}, 5", scratch_));
  add(fmt::format("mov.u32 {}, %ctaid.x", warp_));
  add(fmt::format("mad.lo.u32 {0}, {0}, {1}, {2}", warp_, lane_, scratch_));
  add(fmt::format("mov.u32 {}, %laneid", lane_));
  return out;
}

std::string TimedKernel::epilogue() const {
  std::string out;
  const auto add = [&](const std::string& text) { out += "    " + text + ";\n"; };
  const std::string at = "%at";
  if (!kept_lanes_.empty()) {
    add(fmt::format("mad.lo.u32 {}, {}, 32, {}", scratch_, warp_, lane_));
    add(fmt::format("mul.wide.u32 {}, {}, {}", at, scratch_, 8 * kept_lanes_.size()));
    add(fmt::format("add.u64 {0}, {0}, {1}", at, values_));
    for (std::size_t i = 0; i < kept_lanes_.size(); ++i)
      add(fmt::format("st.global.{} [{}+{}], {}", kept_lanes_[i].first, at, 8 * i, kept_lanes_[i].second));
  }
  add(fmt::format("mul.wide.u32 {}, {}, {}", at, warp_, 4 * record_words()));
  add(fmt::format("add.u64 {0}, {0}, {1}", at, records_));
  add(fmt::format("setp.eq.u32 {}, {}, 0", more_rounds_, lane_));
  add(fmt::format("mov.u32 {}, %smid", scratch_));
  std::size_t word = 0;
  const auto store = [&](const std::string& value) {
    add(fmt::format("@{} st.global.b32 [{}+{}], {}", more_rounds_, at, 4 * word++, value));
  };
  store(start_);
  store(stop_);
  store(scratch_);
  for (const std::string& value : kept_) store(value);
  add("exit");
  return out;
}

std::string TimedKernel::text(std::uint32_t padding) const {
  std::string out = ".version 7.5\n.target sm_75\n.address_size 64\n\n" + module_;
  out += fmt::format(".visible .entry {}(.param .u64 records, .param .u64 values", name_);
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    out += fmt::format(", .param .{} p{}", parameters_[i].first, i);
  out += ")\n{\n    .reg .b64 %at;\n";
  for (const auto& [type, count] : registers_) {
    const std::string_view prefix = type == "b32"   ? "%r"
                                    : type == "b64" ? "%rd"
                                    : type == "f32" ? "%f"
                                    : type == "f64" ? "%fd"
                                                    : "%p";
    out += fmt::format("    .reg .{} {}<{}>;\n", type, prefix, count);
  }
  out += prologue() + before_rounds_;
  for (std::uint32_t i = 0; i < padding; ++i) out += fmt::format("    mov.u32 {}, 0;\n", scratch_);
  return out + body_ + epilogue() + "}\n";
}

}  // namespace heddle::microbench
