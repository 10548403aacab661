#include "core/execute/register_file.h"

#include <algorithm>

namespace heddle::core {

RegisterAccess register_access(const std::vector<std::uint32_t>& read,
                               const std::vector<std::uint32_t>& written, std::uint32_t banks) {
  RegisterAccess access;
  access.reads = static_cast<std::uint8_t>(read.size());
  access.writes = static_cast<std::uint8_t>(written.size());
  if (banks == 0) return access;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const std::uint32_t bank = read[i] % banks;
    access.read_bank[i] = static_cast<std::uint8_t>(bank);
    if (((access.read_banks >> bank) & 1u) != 0) access.reads_apart = false;
    access.read_banks |= std::uint64_t{1} << bank;
  }
  for (const std::uint32_t row : written) access.written_banks |= std::uint64_t{1} << (row % banks);
  return access;
}

std::vector<RegisterAccess> register_accesses(const isa::Kernel& kernel, std::uint32_t banks,
                                              bool behind_own) {
  const isa::RegisterLayout& layout = kernel.registers;
  // Dense register numbers: 32-bit rows, 64-bit rows (two rows here), predicates.
  const auto add = [&](isa::RegId reg, std::vector<std::uint32_t>& rows) {
    if (reg < layout.rows32) {
      const std::uint32_t number = kernel.row_registers.empty() ? reg : kernel.row_registers[reg];
      if (number != isa::Kernel::kNoRegister) rows.push_back(number);
    } else if (reg < layout.rows32 + layout.rows64) {
      const std::uint32_t low = layout.rows32 + 2 * (reg - layout.rows32);
      rows.insert(rows.end(), {low, low + 1});
    }
  };
  std::vector<RegisterAccess> accesses;
  accesses.reserve(kernel.code.size());
  std::vector<std::uint32_t> read, written;
  for (const isa::Instruction& instruction : kernel.code) {
    read.clear();
    written.clear();
    for (unsigned i = 0; i < instruction.read_count; ++i) add(instruction.reads[i], read);
    if (const std::size_t index = accesses.size(); behind_own && index != 0)
      for (const std::uint32_t kept : kernel.kept_registers[index - 1]) std::erase(read, kept);
    for (unsigned i = 0; i < instruction.write_count; ++i) add(instruction.writes[i], written);
    accesses.push_back(register_access(read, written, banks));
  }
  return accesses;
}

namespace {
constexpr std::uint32_t kUnlimited = ~0u;  ///< write-back ports
}

RegisterFileModel::RegisterFileModel(const RegisterFileConfig& config, std::uint32_t sub_cores)
    : config_(config),
      ports_(config.writeback_ports == 0 ? kUnlimited : config.writeback_ports),
      all_banks_(config.banks >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << config.banks) - 1),
      calendars_(sub_cores) {
  if (config.banks != 0)
    for (std::uint32_t warp = 0; warp < kMostWarps; ++warp) warp_bank_.push_back(warp % config.banks);
  set_read_ports(config.ports_per_bank);
  if (config.write_ports_per_bank != 0)
    for (Calendar& calendar : calendars_) calendar.writes.taken.resize(config.write_ports_per_bank - 1);
}

void RegisterFileModel::set_read_ports(std::uint32_t ports) {
  for (Calendar& calendar : calendars_) {
    calendar.reads.full = {};
    calendar.reads.taken.assign(ports - 1, {});
  }
}

void RegisterFileModel::forget_passed(Calendar& calendar, Cycle now) const {
  // What has passed is free again: its slots are those of the cycles that come into the window.
  const Cycle passed = now - calendar.now;
  const std::size_t from = calendar.now % kWindow;
  const auto forget = [from, passed](auto& slots) {
    if (passed >= kWindow) {
      slots = {};
      return;
    }
    for (std::size_t i = 0; i < passed; ++i) slots[(from + i) % kWindow] = 0;
  };
  forget(calendar.reads.full);
  for (auto& taken : calendar.reads.taken) forget(taken);
  if (config_.write_ports_per_bank != 0) {
    forget(calendar.writes.full);
    for (auto& taken : calendar.writes.taken) forget(taken);
  }
  forget(calendar.results);
  calendar.now = now;
}

void RegisterFileModel::reserve(Ports& ports, Cycle cycle, std::uint64_t banks) {
  const std::size_t slot = cycle % kWindow;
  for (auto& taken : ports.taken) {
    const std::uint64_t already = taken[slot] & banks;
    taken[slot] |= banks;
    banks = already;
  }
  ports.full[slot] |= banks;
}

Cycle RegisterFileModel::read(std::uint32_t sub_core, WarpId warp, const RegisterAccess& access, Cycle now) {
  if (config_.banks == 0) return 0;
  Calendar& calendar = at(sub_core, now);
  reads += access.reads;
  const std::uint32_t warp_bank = warp_bank_[warp.value()];
  // Operands are read from the cycle after issue on.
  const std::uint64_t banks = rotate(access.read_banks, warp_bank);
  Ports& ports = calendar.reads;
  if (access.reads_apart && (ports.full[(now + 1) % kWindow] & banks) == 0) {
    reserve(ports, now + 1, banks);
    return 0;
  }
  Cycle last = now + 1;
  for (unsigned i = 0; i < access.reads; ++i) {
    const std::uint64_t bank = rotate(std::uint64_t{1} << access.read_bank[i], warp_bank);
    Cycle cycle = now + 1;
    while ((ports.full[cycle % kWindow] & bank) != 0 && cycle + 1 < now + kWindow) ++cycle;
    reserve(ports, cycle, bank);
    last = std::max(last, cycle);
  }
  read_conflict_cycles += last - (now + 1);
  return last - (now + 1);
}

Cycle RegisterFileModel::write(std::uint32_t sub_core, WarpId warp, const RegisterAccess& access, Cycle now) {
  Calendar& calendar = at(sub_core, now);
  const std::uint64_t banks = config_.banks == 0 ? 0 : rotate(access.written_banks, warp_bank_[warp.value()]);
  Ports& ports = config_.write_ports_per_bank != 0 ? calendar.writes : calendar.reads;
  const Cycle last = now + kWindow - 1;
  Cycle cycle = now;
  while (((ports.full[cycle % kWindow] & banks) != 0 || calendar.results[cycle % kWindow] >= ports_) &&
         cycle != last)
    ++cycle;
  reserve(ports, cycle, banks);
  ++calendar.results[cycle % kWindow];
  ++writes;
  write_conflict_cycles += cycle - now;
  return cycle;
}

RegisterFile::RegisterFile(const sc_core::sc_module_name& name, const RegisterFileConfig& config,
                           std::uint32_t sub_cores, base::StatGroup& stats)
    : sc_module(name),
      model_(config, sub_cores),
      banks_(config.banks),
      per_home_warp_(config.formations == RegisterFileConfig::Formations::kPerHomeWarp),
      ports_per_bank_(config.ports_per_bank),
      has_reuse_cache_(config.reuse_cache),
      last_(sub_cores) {
  stats.counter("reads", "rows", "operand rows read", &model_.reads);
  stats.counter("read_conflict_cycles", "core cycles",
                "instructions' operands came later because of bank conflicts, summed",
                &model_.read_conflict_cycles);
  stats.counter("writes", "results", "results written", &model_.writes);
  stats.counter("write_conflict_cycles", "core cycles",
                "results waited for a write-back port or a bank, summed", &model_.write_conflict_cycles);
  if (has_reuse_cache_) stats.counter("reused", "rows", "operand rows that the reuse cache had", &reused_);
  stats.counter("lane_reads", "32-bit registers", "operands read, by each active lane", &lane_reads_);
  stats.counter("lane_writes", "32-bit registers", "results written, by each active lane", &lane_writes_);
}

void RegisterFile::begin_launch(LaunchNotice& notice) {
  if (kernel_ != notice.launch->kernel) load(notice.launch->kernel);
  std::fill(last_.begin(), last_.end(), Last{});
}

void RegisterFile::load(const std::shared_ptr<const isa::Kernel>& kernel) {
  kernel_ = kernel;
  code_ = kernel->code.data();
  accesses_ = register_accesses(*kernel, banks_);
  if (!has_reuse_cache_) return;
  keeps_ = kernel->is_machine_code();
  model_.set_read_ports(keeps_ ? 1 : ports_per_bank_);
  if (keeps_) behind_own_ = register_accesses(*kernel, banks_, true);
}

const RegisterAccess& RegisterFile::reads_of(const RegisterFileRequest& request) {
  const std::size_t index = index_of(request);
  if (!keeps_) [[likely]]
    return accesses_[index];
  Last& last = last_[request.sub_core];
  const bool behind =
      last.instruction != nullptr && last.warp == request.warp && last.instruction + 1 == request.instruction;
  last = {request.warp, request.instruction};
  if (!behind) return accesses_[index];
  reused_ += accesses_[index].reads - behind_own_[index].reads;
  return behind_own_[index];
}

void RegisterFile::serve(RegisterFileRequest& request) {
  return request.op == RegisterFileRequest::Op::kRead ? read(request) : write(request);
}

// The model's read and write belong in these two: so common are they.
[[gnu::flatten]] void RegisterFile::read(RegisterFileRequest& request) {
  const RegisterAccess& rows = reads_of(request);
  lane_reads_ += std::uint64_t{rows.reads} * request.lanes;
  if (request.homes != 1) [[unlikely]]
    return read_each(request, rows);
  request.late = model_.read(request.sub_core, request.warp, rows, request.cycle);
}

[[gnu::flatten]] void RegisterFile::write(RegisterFileRequest& request) {
  const RegisterAccess& rows = accesses_[index_of(request)];
  lane_writes_ += std::uint64_t{rows.writes} * request.lanes;
  if (request.homes != 1) [[unlikely]]
    return write_each(request, rows);
  request.late = model_.write(request.sub_core, request.warp, rows, request.cycle) - request.cycle;
}

void RegisterFile::read_each(RegisterFileRequest& request, const RegisterAccess& rows) {
  for (std::uint32_t i = 0; i < accesses_of(request); ++i)
    request.late = std::max(request.late, model_.read(request.sub_core, request.warp, rows, request.cycle));
}

void RegisterFile::write_each(RegisterFileRequest& request, const RegisterAccess& rows) {
  for (std::uint32_t i = 0; i < accesses_of(request); ++i)
    request.late = std::max(
        request.late, model_.write(request.sub_core, request.warp, rows, request.cycle) - request.cycle);
}

}  // namespace heddle::core
