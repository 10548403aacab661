#include "core/register_file.h"

#include <algorithm>
#include <bit>

namespace heddle::core {

std::vector<RegisterAccess> register_accesses(const isa::Kernel& kernel, std::uint32_t banks) {
  const isa::RegisterLayout& layout = kernel.registers;
  // Dense register numbers: 32-bit rows, 64-bit rows (two rows here), predicates.
  const auto add = [&layout](isa::RegId reg, auto& rows, std::uint8_t& count) {
    if (reg < layout.rows32) {
      rows[count++] = reg;
    } else if (reg < layout.rows32 + layout.rows64) {
      const auto low = static_cast<std::uint16_t>(layout.rows32 + 2 * (reg - layout.rows32));
      rows[count++] = low;
      rows[count++] = static_cast<std::uint16_t>(low + 1);
    }
  };
  std::vector<RegisterAccess> accesses(kernel.code.size());
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const isa::Instruction& instruction = kernel.code[pc];
    RegisterAccess& access = accesses[pc];
    for (unsigned i = 0; i < instruction.read_count; ++i)
      add(instruction.reads[i], access.read, access.reads);
    for (unsigned i = 0; i < instruction.write_count; ++i)
      add(instruction.writes[i], access.written, access.writes);
    if (banks == 0) continue;
    for (std::uint16_t& row : access.read) row = static_cast<std::uint16_t>(row % banks);
    for (std::uint16_t& row : access.written) row = static_cast<std::uint16_t>(row % banks);
  }
  return accesses;
}

RegisterFileModel::RegisterFileModel(const RegisterFileConfig& config, std::uint32_t sub_cores)
    : config_(config),
      bank_ports_(std::size_t{sub_cores} * config.banks * config.ports_per_bank),
      writeback_ports_(std::size_t{sub_cores} * config.writeback_ports) {
  if (config.banks != 0)
    for (std::uint32_t warp = 0; warp < kMostWarps; ++warp) warp_bank_.push_back(warp % config.banks);
}

std::uint64_t RegisterFileModel::busy_from(Port& port, Cycle cycle) {
  const Cycle passed = cycle - port.base;
  port.busy = passed < 64 ? port.busy >> passed : 0;
  port.base = cycle;
  return port.busy;
}

Cycle RegisterFileModel::read(std::uint32_t sub_core, WarpId warp, const RegisterAccess& access, Cycle now) {
  if (config_.banks == 0) return 0;
  const std::uint32_t warp_bank = warp_bank_[warp.value()];
  Cycle last = 0;
  for (unsigned i = 0; i < access.reads; ++i) {
    Port* const ports = ports_of(sub_core, warp_bank, access.read[i]);
    Port* best = ports;
    // Operands are read from the cycle after issue on.
    auto slot = static_cast<unsigned>(std::countr_one(busy_from(ports[0], now) | 1u));
    for (std::uint32_t p = 1; p < config_.ports_per_bank; ++p) {
      const auto other = static_cast<unsigned>(std::countr_one(busy_from(ports[p], now) | 1u));
      if (other < slot) {
        slot = other;
        best = &ports[p];
      }
    }
    slot = std::min(slot, 63u);
    best->busy |= std::uint64_t{1} << slot;
    last = std::max<Cycle>(last, slot);
  }
  reads += access.reads;
  const Cycle late = last > 1 ? last - 1 : 0;
  read_conflict_cycles += late;
  return late;
}

Cycle RegisterFileModel::write(std::uint32_t sub_core, WarpId warp, const RegisterAccess& access, Cycle now) {
  std::uint64_t busy = 0;
  Port* const results = writeback_ports_.data() + std::size_t{sub_core} * config_.writeback_ports;
  if (config_.writeback_ports != 0) {
    busy = ~std::uint64_t{0};
    for (std::uint32_t p = 0; p < config_.writeback_ports; ++p) busy &= busy_from(results[p], now);
  }
  if (config_.banks != 0) {
    const std::uint32_t warp_bank = warp_bank_[warp.value()];
    for (unsigned i = 0; i < access.writes; ++i) {
      Port* const ports = ports_of(sub_core, warp_bank, access.written[i]);
      std::uint64_t bank_busy = ~std::uint64_t{0};
      for (std::uint32_t p = 0; p < config_.ports_per_bank; ++p) bank_busy &= busy_from(ports[p], now);
      busy |= bank_busy;
    }
  }
  // All rows of a result (a 64-bit or vector destination) are written in one cycle.
  const unsigned slot = std::min(static_cast<unsigned>(std::countr_one(busy)), 63u);
  const std::uint64_t bit = std::uint64_t{1} << slot;
  const auto take = [bit](Port* ports, std::uint32_t count) {
    for (std::uint32_t p = 0; p < count; ++p)
      if ((ports[p].busy & bit) == 0) {
        ports[p].busy |= bit;
        return;
      }
  };
  take(results, config_.writeback_ports);
  if (config_.banks != 0)
    for (unsigned i = 0; i < access.writes; ++i)
      take(ports_of(sub_core, warp_bank_[warp.value()], access.written[i]), config_.ports_per_bank);
  ++writes;
  write_conflict_cycles += slot;
  return now + slot;
}

RegisterFile::RegisterFile(const sc_core::sc_module_name& name, const RegisterFileConfig& config,
                           std::uint32_t sub_cores, sim::StatGroup& stats)
    : sc_module(name), model_(config, sub_cores), banks_(config.banks) {
  stats.counter("reads", "rows", "operand rows read", &model_.reads);
  stats.counter("read_conflict_cycles", "core cycles",
                "instructions' operands came later because of bank conflicts, summed",
                &model_.read_conflict_cycles);
  stats.counter("writes", "results", "results written", &model_.writes);
  stats.counter("write_conflict_cycles", "core cycles",
                "results waited for a write-back port or a bank, summed", &model_.write_conflict_cycles);
}

void RegisterFile::begin_launch(const isa::Kernel& kernel) {
  code_ = kernel.code.data();
  accesses_ = register_accesses(kernel, banks_);
}

void RegisterFile::serve(RegisterFileRequest& request) {
  const RegisterAccess& access = accesses_[static_cast<std::size_t>(request.instruction - code_)];
  if (request.op == RegisterFileRequest::Op::kRead)
    request.late = model_.read(request.sub_core, request.warp, access, request.cycle);
  else
    request.late = model_.write(request.sub_core, request.warp, access, request.cycle) - request.cycle;
}

}  // namespace heddle::core
