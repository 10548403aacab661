#include "unit/ptx/support.h"

#include <bit>
#include <cctype>
#include <cstring>
#include <stdexcept>

#include "base/error.h"
#include "compiler/pipeline.h"

namespace heddle::ptx::testing {

std::string kernel_text(const std::string& body, const std::string& params, const std::string& globals) {
  return std::string(kHeader) + globals + "\n.visible .entry k(" + params + ") {" + kRegisters + "\n" + body +
         "\n}\n";
}

Module parse(const std::string& text) { return parse_text(text, "test.ptx"); }

isa::Module decode_module(const std::string& text, Kernels of) {
  std::uint64_t next = isa::kGlobalBase;
  isa::Module module = decode(parse(text), [&](const std::string&, std::uint64_t bytes, std::uint32_t align) {
    next = (next + align - 1) / align * align;
    const std::uint64_t address = next;
    next += bytes;
    return address;
  });
  compiler::Pipeline::standard().run(module);
  if (of == Kernels::kAll) module.require_all();
  return module;
}

std::shared_ptr<const isa::Kernel> kernel(const std::string& body, const std::string& params,
                                          const std::string& globals) {
  return decode_module(kernel_text(body, params, globals)).kernels.at(0);
}

std::vector<isa::Instruction> code(const std::string& body, const std::string& params,
                                   const std::string& globals) {
  std::vector<isa::Instruction> all = kernel(body, params, globals)->code;
  all.pop_back();
  return all;
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(decode_module(text));
  } catch (const base::InputError& error) {
    return error.what();
  }
  return {};
}

std::string body_error(const std::string& body, const std::string& params, const std::string& globals) {
  return error_of(kernel_text(body, params, globals));
}

std::string as_test_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  return name.substr(0, 60);
}

std::string name_of(const isa::Kernel& kernel, const isa::Operand& operand) {
  if (!operand.present || operand.space != isa::RowSpace::kRegister) return {};
  return kernel.register_names.at(operand.reg);
}

std::uint64_t constant_of(const isa::Kernel& kernel, const isa::Operand& operand) {
  if (!operand.present || operand.space != isa::RowSpace::kConstant) throw std::logic_error("not a constant");
  std::uint64_t value = 0;
  std::memcpy(&value, kernel.constants.data() + operand.offset, operand.width == isa::RowWidth::k64 ? 8 : 4);
  return value;
}

OneWarp::OneWarp(std::shared_ptr<const isa::Kernel> kernel)
    : kernel_(std::move(kernel)), registers_(kernel_->registers.bytes()), special_(isa::kSpecialBlockBytes) {}

OneWarp::Place OneWarp::place(const std::string& reg) const {
  const isa::RegisterLayout& layout = kernel_->registers;
  for (std::uint32_t i = 0; i < kernel_->register_names.size(); ++i) {
    if (kernel_->register_names[i] != reg) continue;
    if (i < layout.rows32) return {layout.offset32(i), isa::RowWidth::k32};
    if (i < layout.rows32 + layout.rows64) return {layout.offset64(i - layout.rows32), isa::RowWidth::k64};
    return {layout.offset_predicate(i - layout.rows32 - layout.rows64), isa::RowWidth::kPredicate};
  }
  throw std::logic_error("the kernel does not use " + reg);
}

const std::byte* OneWarp::row(const isa::Operand& operand) const {
  switch (operand.space) {
    case isa::RowSpace::kRegister:
      return registers_.data() + operand.offset;
    case isa::RowSpace::kConstant:
      return kernel_->constants.data() + operand.offset;
    case isa::RowSpace::kSpecial:
      return special_.data() + operand.offset;
  }
  return nullptr;
}

std::byte* OneWarp::special(isa::SpecialRow row) { return special_.data() + isa::special_offset(row); }

void OneWarp::set(const std::string& reg, unsigned lane, std::uint64_t value) {
  const Place at = place(reg);
  auto* start = registers_.data() + at.offset;
  if (at.width == isa::RowWidth::kPredicate) {
    std::uint32_t mask = 0;
    std::memcpy(&mask, start, 4);
    mask = value != 0 ? mask | 1u << lane : mask & ~(1u << lane);
    std::memcpy(start, &mask, 4);
    return;
  }
  const std::size_t size = at.width == isa::RowWidth::k64 ? 8 : 4;
  std::memcpy(start + lane * size, &value, size);
}

std::uint64_t OneWarp::get(const std::string& reg, unsigned lane) const {
  const Place at = place(reg);
  const auto* start = registers_.data() + at.offset;
  std::uint64_t value = 0;
  if (at.width == isa::RowWidth::kPredicate) {
    std::memcpy(&value, start, 4);
    return value >> lane & 1u;
  }
  const std::size_t size = at.width == isa::RowWidth::k64 ? 8 : 4;
  std::memcpy(&value, start + lane * size, size);
  return value;
}

float OneWarp::get_float(const std::string& reg) const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(get(reg)));
}

void OneWarp::run(std::uint64_t cycle) {
  for (const isa::Instruction& instruction : kernel_->code) {
    const bool lanes = instruction.op == isa::Opcode::kLane || instruction.op == isa::Opcode::kTimer ||
                       instruction.op == isa::Opcode::kWarpSync;
    if (!lanes || instruction.lane_fn == nullptr) continue;
    isa::LaneArgs args;
    for (unsigned i = 0; i < 2; ++i)
      if (instruction.dst[i].present) args.dst[i] = registers_.data() + instruction.dst[i].offset;
    for (unsigned i = 0; i < 4; ++i) {
      if (!instruction.src[i].present) continue;
      args.src[i] = row(instruction.src[i]);
      if (instruction.src[i].negated) args.negated = static_cast<std::uint8_t>(args.negated | 1u << i);
    }
    args.mask = 0xffff'ffffu;
    if (instruction.guard.present) {
      std::memcpy(&args.mask, row(instruction.guard), 4);
      if (instruction.guard.negated) args.mask = ~args.mask;
    }
    args.cycle = cycle;
    args.immediate = instruction.immediate;
    instruction.lane_fn(args);
  }
}

}  // namespace heddle::ptx::testing
