#include "oracle/sass/lane.h"

#include <algorithm>
#include <cstring>

namespace heddle::oracle::machine_code {

using Kind = Operand::Kind;

std::uint64_t Banks::read(unsigned bank, std::uint64_t offset, unsigned size) const {
  if (bank >= kCount || offset >= bytes[bank].size()) return 0;
  const std::vector<std::byte>& image = bytes[bank];
  std::uint64_t value = 0;
  std::memcpy(&value, image.data() + offset, std::min<std::uint64_t>(size, image.size() - offset));
  return value;
}

std::byte* LocalMemory::at(std::uint64_t address) {
  pages_.resize(kBytes / kPageBytes);
  std::unique_ptr<Page>& page = pages_[address / kPageBytes];
  if (!page) page = std::make_unique<Page>();
  return page->data() + address % kPageBytes;
}

std::uint32_t read_register(const Lane& lane, const Operand& operand, unsigned offset) {
  const bool uniform = operand.kind == Kind::kUniformRegister;
  const unsigned none = uniform ? sass::kUrz : sass::kRz;
  const unsigned number = operand.number == none ? none : std::min(operand.number + offset, none);
  return uniform ? lane.uniform[number] : lane.registers[number];
}

void write_register(Lane& lane, const Operand& operand, unsigned offset, std::uint32_t value) {
  const bool uniform = operand.kind == Kind::kUniformRegister;
  const unsigned none = uniform ? sass::kUrz : sass::kRz;
  if (operand.number + offset >= none) return;
  (uniform ? lane.uniform[operand.number + offset] : lane.registers[operand.number + offset]) = value;
}

bool guard_holds(const Op& op, const Lane& lane) {
  const sass::Instruction& i = op.instruction;
  return (i.guard_uniform ? lane.uniform_predicates : lane.predicates)[i.guard] != i.guard_negated;
}

std::uint32_t Values::word(Role role) const {
  const Operand* operand = op_.find(role);
  if (operand == nullptr) return 0;
  switch (operand->kind) {
    case Kind::kImmediate:
      return static_cast<std::uint32_t>(operand->value);
    case Kind::kConstant:
      return static_cast<std::uint32_t>(
          banks_.read(operand->bank, static_cast<std::uint64_t>(operand->value), 4));
    default:
      return read_register(lane_, *operand, 0);
  }
}

std::uint64_t Values::pair(Role role) const {
  const Operand* operand = op_.find(role);
  if (operand == nullptr) return 0;
  switch (operand->kind) {
    case Kind::kImmediate:
      return static_cast<std::uint64_t>(operand->value);
    case Kind::kConstant:
      return banks_.read(operand->bank, static_cast<std::uint64_t>(operand->value), 8);
    default:
      return read_register(lane_, *operand, 0) | std::uint64_t{read_register(lane_, *operand, 1)} << 32;
  }
}

bool Values::negated(Role role) const {
  const Operand* operand = op_.find(role);
  return operand != nullptr && operand->negate;
}

bool Values::absolute(Role role) const {
  const Operand* operand = op_.find(role);
  return operand != nullptr && operand->absolute;
}

std::uint32_t Values::integer(Role role) const { return negated(role) ? 0u - word(role) : word(role); }

std::uint32_t Values::inverted(Role role) const { return negated(role) ? ~word(role) : word(role); }

std::uint32_t Values::single_bits(Role role) const {
  constexpr std::uint32_t kSign = 1u << 31;
  std::uint32_t bits = word(role);
  if (absolute(role)) bits &= ~kSign;
  if (negated(role)) bits ^= kSign;
  return bits;
}

std::uint64_t Values::double_bits(Role role) const {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const Operand* operand = op_.find(role);
  // An immediate is the upper word.
  std::uint64_t bits =
      operand != nullptr && operand->kind == Kind::kImmediate ? std::uint64_t{word(role)} << 32 : pair(role);
  if (absolute(role)) bits &= ~kSign;
  if (negated(role)) bits ^= kSign;
  return bits;
}

bool Values::predicate(Role role) const {
  const Operand* operand = op_.find(role);
  if (operand == nullptr) return false;
  const bool uniform = operand->kind == Kind::kUniformPredicate;
  return (uniform ? lane_.uniform_predicates : lane_.predicates)[operand->number] != operand->negate;
}

void Values::set(std::uint32_t value) {
  if (const Operand* operand = op_.find(Role::kDst)) write_register(lane_, *operand, 0, value);
}

void Values::set_pair(std::uint64_t value) {
  const Operand* operand = op_.find(Role::kDst);
  if (operand == nullptr) return;
  write_register(lane_, *operand, 0, static_cast<std::uint32_t>(value));
  write_register(lane_, *operand, 1, static_cast<std::uint32_t>(value >> 32));
}

void Values::set_predicate(Role role, bool value) {
  const Operand* operand = op_.find(role);
  if (operand == nullptr || operand->number == sass::kPt) return;
  (operand->kind == Kind::kUniformPredicate ? lane_.uniform_predicates : lane_.predicates)[operand->number] =
      value;
}

}  // namespace heddle::oracle::machine_code
