#include "oracle/machine_operands.h"

#include <fmt/format.h>

#include <functional>

#include "base/error.h"
#include "oracle/bits.h"

namespace heddle::oracle::mimd {

namespace {
std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}
}  // namespace

std::string triple(const std::array<std::uint32_t, 3>& v) {
  return fmt::format("({}, {}, {})", v[0], v[1], v[2]);
}

std::uint64_t Operands::special(const Cta& cta, const Thread& thread, Special which) const {
  const std::uint32_t lane = thread.index % 32;
  const std::uint32_t bit = 1u << lane;
  switch (which) {
    case Special::kTidX:
      return thread.tid[0];
    case Special::kTidY:
      return thread.tid[1];
    case Special::kTidZ:
      return thread.tid[2];
    case Special::kNtidX:
      return shape_.block.x;
    case Special::kNtidY:
      return shape_.block.y;
    case Special::kNtidZ:
      return shape_.block.z;
    case Special::kCtaidX:
      return cta.id[0];
    case Special::kCtaidY:
      return cta.id[1];
    case Special::kCtaidZ:
      return cta.id[2];
    case Special::kNctaidX:
      return shape_.grid.x;
    case Special::kNctaidY:
      return shape_.grid.y;
    case Special::kNctaidZ:
      return shape_.grid.z;
    case Special::kLaneId:
      return lane;
    // Where a warp runs is not a property of the program. These are fixed values, so results of kernels that
    // use them cannot be compared.
    case Special::kWarpId:
      return thread.index / 32;
    case Special::kNwarpId:
      return cta.warps.size();
    case Special::kLanemaskEq:
      return bit;
    case Special::kLanemaskLt:
      return bit - 1;
    case Special::kLanemaskLe:
      return bit | (bit - 1);
    case Special::kLanemaskGt:
      return ~(bit | (bit - 1)) & low_bits(32);
    case Special::kLanemaskGe:
      return ~(bit - 1) & low_bits(32);
    case Special::kDynamicSharedSize:
      return shape_.dynamic_shared_bytes;
    case Special::kTotalSharedSize:
      return cta.shared.size();
    case Special::kWorkspaceLow:
      return surroundings_.workspace & low_bits(32);
    case Special::kWorkspaceHigh:
      return surroundings_.workspace >> 32;
    case Special::kClock:
      return executed_;
    case Special::kZero:
      return 0;
    case Special::kOne:
      return 1;
  }
  return 0;
}

std::uint64_t Operands::value(const Cta& cta, const Thread& thread, const Source& source) const {
  std::uint64_t bits = source.bits;
  if (source.from == Source::From::kSlot)
    bits = thread.regs[source.slot];
  else if (source.from == Source::From::kSpecial)
    bits = special(cta, thread, source.special);
  else if (source.from == Source::From::kFrame)
    bits += thread.base;
  else if (source.from == Source::From::kElement)
    bits = element_address(thread, source);
  return source.negated ? bits ^ 1 : bits;
}

std::uint64_t Operands::element_address(const Thread& thread, const Source& source) const {
  const Element& element = program_.elements[source.slot];
  return (source.bits + (element.in_frame ? thread.base : 0) + distance(thread, element)) & element.mask;
}

void Operands::assign(const Thread& thread, const Target& target, std::uint64_t bits) {
  if (target.slot >= 0) thread.regs[target.slot] = bits & target.mask;
}

void Operands::pack(const Cta& cta, const Thread& thread, const Step& step) const {
  const unsigned bits = isa::type_bytes(step.from) * 8;
  std::uint64_t whole = 0;
  for (unsigned i = 0; i < step.sources; ++i)
    whole |= (value(cta, thread, step.source[i]) & low_bits(bits)) << (i * bits);
  assign(thread, step.target[0], whole);
}

void Operands::unpack(const Cta& cta, const Thread& thread, const Step& step) const {
  const unsigned bits = isa::type_bytes(step.from) * 8;
  const std::uint64_t whole = value(cta, thread, step.source[0]);
  for (unsigned i = 0; i < step.targets; ++i)
    assign(thread, step.target[i], (whole >> (i * bits)) & low_bits(bits));
}

std::uint64_t Operands::distance(const Thread& thread, const Element& element) {
  std::uint64_t bytes = 0;
  for (const Element::Term& term : element.terms) {
    std::uint64_t index = thread.regs[term.slot];
    if (term.is_signed32) index = static_cast<std::uint64_t>(std::int64_t{value_of<std::int32_t>(index)});
    bytes += index * term.stride;
  }
  return bytes;
}

std::uint64_t Operands::linear_id(const Cta& cta) const {
  return cta.id[0] + std::uint64_t{shape_.grid.x} * (cta.id[1] + std::uint64_t{shape_.grid.y} * cta.id[2]);
}

const isa::SourceText* Operands::source_of(const Step& step) const {
  // Functions are stored one after the other. Some steps are not part of the program (a launch's own errors).
  const isa::SourceText* source = program_.kernel->source.get();
  const std::less<const Step*> before;
  if (before(&step, program_.steps.data()) || !before(&step, program_.steps.data() + program_.steps.size()))
    return source;
  const auto index = static_cast<std::size_t>(&step - program_.steps.data());
  for (const FunctionCode& function : program_.functions)
    if (function.entry <= index && function.source) source = function.source.get();
  return source;
}

std::string Operands::where(const Step& step) const {
  const isa::SourceText* const source = source_of(step);
  return (source ? source->name : "PTX") + ":" + std::to_string(step.where.line) + " (kernel " +
         program_.kernel->name + ")";
}

void Operands::fault(const Cta& cta, const Thread& thread, const Step& step, const std::string& message,
                     const std::string& remedy) const {
  const isa::SourceText* const source = source_of(step);
  const std::string line = source ? trimmed(source->line(step.where.line)) : "";
  throw base::KernelFault(where(step),
                          "thread " + triple(thread.tid) + " of CTA " + triple(cta.id) + ": " + message +
                              (line.empty() ? "" : "\n    " + line),
                          remedy);
}

}  // namespace heddle::oracle::mimd
