#include "hang/lane_accesses.h"

#include <array>
#include <cstring>
#include <utility>

#include "isa/atomic.h"
#include "isa/mbarrier.h"

namespace heddle::hang {
namespace {

using isa::Instruction;
using isa::StateSpace;

constexpr unsigned kWordBytes = 4;
constexpr unsigned kWordBits = 32;
constexpr unsigned kByteBits = 8;
constexpr unsigned kLongest = 8;  ///< bytes of an element
/// Accesses with more possible addresses than this are not followed.
constexpr std::size_t kMostAddresses = 256;
/// Local memory interleaves words by lane (core/memory_instruction.h).
constexpr std::uint64_t kLocalRowBytes = std::uint64_t{kWordBytes} * kLanes;

constexpr std::uint64_t mask_of(unsigned bytes) {
  return bytes >= kLongest ? ~std::uint64_t{0} : (std::uint64_t{1} << (bytes * kByteBits)) - 1;
}

/// As a load extends an element to the width of its register.
std::uint64_t extended(std::uint64_t value, isa::Type type, isa::RowWidth width) {
  const unsigned bytes = isa::type_bytes(type);
  if (isa::is_signed(type) && bytes < kLongest) {
    const std::uint64_t sign = std::uint64_t{1} << (bytes * kByteBits - 1);
    value = (value ^ sign) - sign;
  }
  return width == isa::RowWidth::k64 ? value : value & mask_of(kWordBytes);
}

/// The rows of an address, present or not, and how far each is shifted left.
std::array<std::pair<isa::Operand, unsigned>, 4> shifted_rows(const isa::MemoryOperand& memory) {
  return {{{memory.base, memory.base_shift},
           {memory.high, kWordBits},
           {memory.second, 0},
           {memory.second_high, kWordBits}}};
}

Values high_words(const std::vector<std::uint64_t>& values, ValueTable& table) {
  std::vector<std::uint64_t> words;
  for (const std::uint64_t value : values) words.push_back(value >> kWordBits);
  return table.set(std::move(words));
}

}  // namespace

Values row_of_lane(ValueTable& values, const std::byte* row, isa::RowWidth width, unsigned lane) {
  std::uint64_t wide = 0;
  std::uint32_t word = 0;
  switch (width) {
    case isa::RowWidth::k64:
      std::memcpy(&wide, row + lane * sizeof wide, sizeof wide);
      return values.one(wide);
    case isa::RowWidth::k32:
      std::memcpy(&word, row + lane * sizeof word, sizeof word);
      return values.one(word);
    case isa::RowWidth::kPredicate:
      std::memcpy(&word, row, sizeof word);
      return values.one(word >> lane & 1u);
  }
  return kAnyValue;
}

LaneAccesses::LaneAccesses(const Snapshot& snapshot, const std::byte* constants, ValueTable& values,
                           const WarpState& warp, unsigned lane, AbstractMemory& memory, LaneOutcome& outcome,
                           bool keeps_local)
    : snapshot_(snapshot),
      constants_(constants),
      values_(values),
      warp_(warp),
      lane_(lane),
      memory_(memory),
      outcome_(outcome),
      keeps_local_(keeps_local),
      registers_(snapshot.kernel->registers.registers()) {}

Values LaneAccesses::read(const isa::Operand& operand, const LaneRegisters& registers) {
  if (operand.space == isa::RowSpace::kRegister) return registers[operand.reg];
  const bool constant = operand.space == isa::RowSpace::kConstant;
  // Constants are the same for all lanes.
  if (!constant) special_.try_emplace(operand.offset, operand);
  return row_of_lane(values_, (constant ? constants_ : warp_.special) + operand.offset, operand.width, lane_);
}

void LaneAccesses::write(const isa::Operand& operand, Values values, bool may_skip,
                         LaneRegisters& registers) {
  if (!operand.present) return;
  Values& target = registers[operand.reg];
  target = may_skip ? values_.join(target, values) : values;
}

void LaneAccesses::complete(LaneRegisters& registers) const {
  for (std::size_t i = registers.size() - registers_; i < local_start_.size(); ++i)
    registers.push_back(local_start_[i]);
}

void LaneAccesses::note(LaneInputs& inputs) const {
  for (const auto& [offset, operand] : special_) inputs.special.push_back(operand);
  for (const auto& [where, values] : loads_) {
    inputs.own = inputs.own || where.first.space == Word::Space::kLocal;
    inputs.shared = inputs.shared || where.first.space == Word::Space::kShared;
    inputs.loads.push_back({where.first, where.second, values});
  }
  inputs.moved = moved_;
}

bool LaneAccesses::locate(const Instruction& instruction, std::uint64_t address, unsigned bytes,
                          Location& location) const {
  if (bytes == 0 || (address & (bytes - 1)) != 0) return false;
  StateSpace space = instruction.space;
  if (space == StateSpace::kGeneric) {
    if (address - isa::kSharedWindowBase < isa::kSharedWindowBytes) {
      space = StateSpace::kShared;
      address -= isa::kSharedWindowBase;
    } else if (address - isa::kLocalWindowBase < isa::kLocalWindowBytes) {
      space = StateSpace::kLocal;
      address -= isa::kLocalWindowBase;
    }
  }
  const auto inside = [&](std::uint64_t limit) { return address < limit && bytes <= limit - address; };
  location.byte = static_cast<unsigned>(address % kWordBytes);
  switch (space) {
    case StateSpace::kShared:
      if (!inside(snapshot_.shared_bytes)) return false;
      location.word = {Word::Space::kShared, warp_.core,
                       (warp_.shared_base + address) / kWordBytes * kWordBytes};
      return true;
    case StateSpace::kLocal:
      if (!inside(snapshot_.local_bytes)) return false;
      location.word = {
          Word::Space::kLocal, warp_.core,
          warp_.local_region + address / kWordBytes * kLocalRowBytes + std::uint64_t{lane_} * kWordBytes};
      return true;
    case StateSpace::kParam:
      if (!inside(snapshot_.param_bytes)) return false;
      address += snapshot_.param_base;
      break;
    default:
      if (!snapshot_.memory->accessible(address, bytes, instruction.op != isa::Opcode::kLoad)) return false;
      break;
  }
  location.constant = space == StateSpace::kParam || space == StateSpace::kConst;
  location.byte = static_cast<unsigned>(address % kWordBytes);
  location.word = {Word::Space::kDevice, 0, address / kWordBytes * kWordBytes};
  return true;
}

bool LaneAccesses::addresses(const Instruction& instruction, const LaneRegisters& registers,
                             std::vector<std::uint64_t>& at) {
  const isa::MemoryOperand& memory = instruction.memory;
  Values sums = values_.one(static_cast<std::uint64_t>(memory.displacement));
  for (const auto& [row, shift] : shifted_rows(memory))
    if (row.present) sums = values_.sum(sums, read(row, registers), shift, kMostAddresses);
  if (sums == kAnyValue) return false;
  for (const std::uint64_t sum : values_.of(sums))
    at.push_back(memory.wide() ? sum : sum & mask_of(kWordBytes));
  return true;
}

namespace {

/// The word `index` words further. In local memory the words of a thread are one row apart.
Word behind(const Word& word, unsigned index) {
  Word next = word;
  next.address += index * (word.space == Word::Space::kLocal ? kLocalRowBytes : kWordBytes);
  return next;
}

}  // namespace

Values LaneAccesses::loaded(const Word& word, bool through_l1) {
  const Values values = memory_.load(word, warp_.core, through_l1);
  const auto [entry, is_new] = loads_.try_emplace({word, through_l1}, values);
  moved_ = moved_ || entry->second != values;
  return values;
}

Values* LaneAccesses::local_word(const Word& word, LaneRegisters& registers) {
  if (word.space != Word::Space::kLocal || !keeps_local_) return nullptr;
  const auto [entry, is_new] = local_.try_emplace(word, local_start_.size());
  if (is_new) local_start_.push_back(loaded(word, false));
  const std::size_t first = registers_;
  while (registers.size() - first <= entry->second)
    registers.push_back(local_start_[registers.size() - first]);
  return &registers[first + entry->second];
}

Values LaneAccesses::word_of(const Word& word, bool through_l1, LaneRegisters& registers) {
  if (const Values* local = local_word(word, registers)) return *local;
  return loaded(word, through_l1);
}

void LaneAccesses::write_word(const Word& word, Values values, LaneRegisters& registers, bool may_skip) {
  if (Values* local = local_word(word, registers)) {
    *local = may_skip ? values_.join(*local, values) : values;
    return;
  }
  const Values before = loaded(word, false);
  if (values == kAnyValue || before == kAnyValue || values_.join(before, values) != before ||
      values_.size(before) > 1)
    outcome_.writes.insert(word);
  memory_.store(word, values);
}

Values LaneAccesses::fetch(const Location& location, unsigned bytes, bool through_l1,
                           LaneRegisters& registers) {
  if (!location.constant) outcome_.reads.insert(location.word);
  const Values low = word_of(location.word, through_l1, registers);
  // A constant cache may still hold the previous value.
  if (low == kAnyValue || (location.constant && values_.size(low) > 1)) return kAnyValue;
  if (bytes == kWordBytes) return low;
  std::vector<std::uint64_t> found;
  if (bytes < kWordBytes) {
    for (const std::uint64_t word : values_.of(low))
      found.push_back(word >> (location.byte * kByteBits) & mask_of(bytes));
    return values_.set(std::move(found));
  }
  const Word second = behind(location.word, 1);
  if (!location.constant) outcome_.reads.insert(second);
  const Values high = word_of(second, through_l1, registers);
  if (high == kAnyValue || (location.constant && values_.size(high) > 1) ||
      values_.size(low) * values_.size(high) > ValueTable::kMostCombinations)
    return kAnyValue;
  for (const std::uint64_t upper : values_.of(high))
    for (const std::uint64_t lower : values_.of(low)) found.push_back(upper << kWordBits | lower);
  return values_.set(std::move(found));
}

void LaneAccesses::put(const Location& location, unsigned bytes, Values stored, LaneRegisters& registers,
                       bool may_skip) {
  const auto write = [&](const Word& word, Values values) { write_word(word, values, registers, may_skip); };
  if (stored == kAnyValue) {
    write(location.word, kAnyValue);
    if (bytes > kWordBytes) write(behind(location.word, 1), kAnyValue);
    return;
  }
  std::vector<std::uint64_t> low;
  std::vector<std::uint64_t> high;
  if (bytes < kWordBytes) {
    outcome_.reads.insert(location.word);  // the rest of the word is preserved
    const Values before = word_of(location.word, false, registers);
    if (before == kAnyValue || values_.size(before) * values_.size(stored) > ValueTable::kMostCombinations)
      return write(location.word, kAnyValue);
    const unsigned shift = location.byte * kByteBits;
    const std::uint64_t field = mask_of(bytes) << shift;
    for (const std::uint64_t word : values_.of(before))
      for (const std::uint64_t value : values_.of(stored))
        low.push_back((word & ~field) | (value << shift & field));
  } else {
    for (const std::uint64_t value : values_.of(stored)) {
      low.push_back(value & mask_of(kWordBytes));
      high.push_back(value >> kWordBits);
    }
  }
  write(location.word, values_.set(std::move(low)));
  if (bytes > kWordBytes) write(behind(location.word, 1), values_.set(std::move(high)));
}

bool LaneAccesses::load(const Instruction& instruction, std::uint32_t pc, bool may_skip,
                        LaneRegisters& registers) {
  const unsigned element = isa::type_bytes(instruction.type);
  std::vector<std::uint64_t> at;
  if (element == 0 || element > kLongest || !addresses(instruction, registers, at)) return false;
  const bool through_l1 = snapshot_.through_l1[pc];
  const LaneRegisters before = registers;
  for (unsigned e = 0; e < instruction.vector; ++e) {
    const isa::Operand& dst = instruction.dst[e];
    std::vector<std::uint64_t> found;
    bool any = false;
    for (const std::uint64_t address : at) {
      Location location;
      // The whole vector is aligned; its elements are in the same space.
      if (!locate(instruction, address, element * instruction.vector, location) ||
          !locate(instruction, address + std::uint64_t{e} * element, element, location))
        return false;
      const Values values = fetch(location, element, through_l1, registers);
      any = any || values == kAnyValue;
      if (any || !dst.present) continue;
      for (const std::uint64_t value : values_.of(values))
        found.push_back(extended(value, instruction.type, dst.width));
    }
    if (!dst.present) continue;
    const Values result = any ? kAnyValue : values_.set(std::move(found));
    registers[dst.reg] = may_skip ? values_.join(before[dst.reg], result) : result;
  }
  return true;
}

bool LaneAccesses::store(const Instruction& instruction, bool may_skip, LaneRegisters& registers) {
  const unsigned element = isa::type_bytes(instruction.type);
  std::vector<std::uint64_t> at;
  if (element == 0 || element > kLongest || !addresses(instruction, registers, at)) return false;
  for (unsigned e = 0; e < instruction.vector; ++e) {
    Values stored = read(instruction.src[e], registers);
    if (stored != kAnyValue) {
      std::vector<std::uint64_t> cut;
      for (const std::uint64_t value : values_.of(stored)) cut.push_back(value & mask_of(element));
      stored = values_.set(std::move(cut));
    }
    for (const std::uint64_t address : at) {
      Location location;
      if (!locate(instruction, address, element * instruction.vector, location) ||
          !locate(instruction, address + std::uint64_t{e} * element, element, location))
        return false;
      put(location, element, stored, registers, may_skip || at.size() > 1);
    }
  }
  return true;
}

bool LaneAccesses::atomic(const Instruction& instruction, bool may_skip, LaneRegisters& registers) {
  const unsigned bytes = isa::type_bytes(instruction.type);
  std::vector<std::uint64_t> at;
  if (bytes == 0 || bytes > kLongest || !addresses(instruction, registers, at)) return false;
  if (isa::tests_phase(instruction)) {
    std::vector<std::uint64_t> over;
    const Values states = read(instruction.src[0], registers);
    bool any = states == kAnyValue;
    for (const std::uint64_t address : at) {
      Location location;
      if (!locate(instruction, address, bytes, location)) return false;
      const Values there = fetch(location, bytes, false, registers);
      any = any || there == kAnyValue;
      if (any) break;
      for (const std::uint64_t barrier : values_.of(there))
        for (const std::uint64_t state : values_.of(states))
          over.push_back(isa::phase_is_over(barrier, state) ? 1 : 0);
    }
    write(instruction.dst[0], any ? kAnyValue : values_.set(std::move(over)), may_skip, registers);
    return true;
  }
  const bool cas = isa::compares(instruction.atomic_op);
  const auto operand_of = [&](unsigned source) {
    const Values low = read(instruction.src[source], registers);
    const isa::Operand& upper = instruction.high_of(source);
    return !upper.present
               ? low
               : values_.sum(low, read(upper, registers), kWordBits, ValueTable::kMostCombinations);
  };
  const Values operand = operand_of(cas ? 1 : 0);
  const Values compare = cas ? operand_of(0) : values_.one(0);
  std::vector<std::uint64_t> olds;
  bool any = instruction.atomic_op == isa::AtomicOp::kCast;  // whose result is no value of memory
  for (const std::uint64_t address : at) {
    Location location;
    if (!locate(instruction, address, bytes, location)) return false;
    const Values there = fetch(location, bytes, false, registers);
    if (there == kAnyValue || operand == kAnyValue || compare == kAnyValue ||
        values_.size(there) * values_.size(operand) * values_.size(compare) > ValueTable::kMostCombinations) {
      any = any || there == kAnyValue;
      put(location, bytes, kAnyValue, registers, true);
      if (!any)
        for (const std::uint64_t old : values_.of(there)) olds.push_back(old);
      continue;
    }
    const bool in_global = location.word.space != Word::Space::kShared;
    std::vector<std::uint64_t> written;
    for (const std::uint64_t old : values_.of(there)) {
      olds.push_back(old);
      for (const std::uint64_t value : values_.of(operand))
        for (const std::uint64_t expected : values_.of(compare))
          written.push_back(isa::apply_atomic(instruction.atomic_op, instruction.type, old,
                                              value & mask_of(bytes), expected & mask_of(bytes), in_global) &
                            mask_of(bytes));
    }
    put(location, bytes, values_.set(std::move(written)), registers, true);
  }
  write(instruction.dst[1], any ? kAnyValue : high_words(olds, values_), may_skip, registers);
  Values result = kAnyValue;
  if (!any) {
    for (std::uint64_t& old : olds) old = extended(old, instruction.type, instruction.dst[0].width);
    result = values_.set(std::move(olds));
  }
  write(instruction.dst[0], result, may_skip, registers);
  return true;
}

}  // namespace heddle::hang
