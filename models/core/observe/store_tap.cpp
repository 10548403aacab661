#include "core/observe/store_tap.h"

#include <array>
#include <memory>
#include <utility>

#include "core/state/core_state.h"
#include "isa/types.h"

namespace heddle::core {
namespace {

std::uint32_t special(const IssueTapRequest& issue, isa::SpecialRow row, unsigned lane) {
  isa::Operand operand;
  operand.offset = static_cast<std::uint32_t>(isa::special_offset(row));
  operand.space = isa::RowSpace::kSpecial;
  operand.present = true;
  return static_cast<std::uint32_t>(issue.operands->value(operand, lane));
}

std::uint64_t address_of(const IssueTapRequest& issue, unsigned lane) {
  return issue.instruction->memory.address(
      [&](const isa::Operand& row) { return issue.operands->value(row, lane); });
}

}  // namespace

CoreExtensionFactory store_taps() {
  return [](const CoreExtensionSite& site) { return std::make_unique<StoreTap>("store_tap", site); };
}

StoreTap::StoreTap(const sc_core::sc_module_name& name, const CoreExtensionSite& site)
    : sc_module(name), watch_(site.services.progress.stores), core_(site.core) {}

std::optional<std::uint32_t> StoreTap::value_of(const IssueTapRequest& issue, unsigned lane,
                                                std::uint64_t address) const {
  const isa::Instruction& instruction = *issue.instruction;
  const std::uint64_t word = watch_.word();
  const unsigned bytes = isa::type_bytes(instruction.type);
  if (instruction.op == isa::Opcode::kAtomic) return std::nullopt;
  for (unsigned e = 0; e < instruction.vector; ++e) {
    const std::uint64_t at = address + std::uint64_t{e} * bytes;
    if (word < at || word + 4 > at + bytes) continue;
    if (!instruction.src[e].present) return std::nullopt;
    return static_cast<std::uint32_t>(issue.operands->value(instruction.src[e], lane) >> 8 * (word - at));
  }
  return std::nullopt;
}

void StoreTap::tap(IssueTapRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  if (request.op == IssueTapRequest::Op::kInterest) {
    launch_ = request.launch;
    request.wanted =
        watch_.on() && (instruction.op == isa::Opcode::kStore || instruction.op == isa::Opcode::kAtomic) &&
        (instruction.space == isa::StateSpace::kGlobal || instruction.space == isa::StateSpace::kGeneric);
    return;
  }
  const std::uint64_t bytes = std::uint64_t{isa::type_bytes(instruction.type)} * instruction.vector;
  std::optional<unsigned> last;
  request.exec.for_each([&](unsigned lane) {
    if (watch_.covers(address_of(request, lane), bytes)) last = lane;
  });
  if (!last) return;
  using isa::SpecialRow;
  const auto row = [&](SpecialRow which) { return special(request, which, *last); };
  sim::StoreWatch::Store store;
  store.cycle = request.cycle;
  store.launch = launch_->grid_id + 1;
  store.kernel = launch_->kernel->name;
  store.position = launch_->kernel->location(request.pc);
  store.cta = {row(SpecialRow::kCtaidX), row(SpecialRow::kCtaidY), row(SpecialRow::kCtaidZ)};
  store.thread = {row(SpecialRow::kTidX), row(SpecialRow::kTidY), row(SpecialRow::kTidZ)};
  store.atomic = instruction.op == isa::Opcode::kAtomic;
  store.value = value_of(request, *last, address_of(request, *last));
  watch_.issued(core_.value(), std::move(store));
}

}  // namespace heddle::core
