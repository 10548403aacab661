#include "core/cta/cta_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/index_set.h"

namespace heddle::core {
namespace {

constexpr std::uint32_t kSharedGranularity = 128;  ///< bytes; Fermi's allocation unit
constexpr std::uint32_t kDynamicAlign = 16;        ///< bytes, in machine code

std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::uint32_t addressable_shared_bytes(const isa::Kernel& kernel, std::uint32_t dynamic_bytes) {
  if (!kernel.is_machine_code()) return kernel.static_shared_bytes + dynamic_bytes;
  const std::uint32_t start =
      dynamic_bytes == 0 ? kernel.static_shared_bytes : round_up(kernel.static_shared_bytes, kDynamicAlign);
  return round_up(start + dynamic_bytes, kSharedGranularity);
}

CtaNeeds needs_of(const LaunchContext& launch, const CoreConfig& config) {
  const std::uint32_t per_warp =
      round_up(launch.kernel->registers_per_thread * base::kLanes, config.occupancy.register_unit);
  // What machine code has in its addresses already is not reserved twice.
  const std::uint32_t reserved = config.shared_memory.reserved_bytes_per_cta;
  return {launch.warps_per_cta, per_warp * launch.warps_per_cta,
          round_up(launch.shared_bytes_per_cta, kSharedGranularity) + reserved -
              std::min(reserved, launch.kernel->reserved_shared_bytes)};
}

std::uint32_t max_resident(const CtaNeeds& needs, const CoreConfig& config, std::string& why) {
  const OccupancyConfig& room = config.occupancy;
  const std::uint32_t shared = config.shared_memory.size_kib * 1024;
  std::uint32_t count = room.max_ctas;
  const auto limit = [&](std::uint32_t available, std::uint32_t needed, const char* what) {
    if (needed == 0) return;
    if (available < needed) why = fmt::format("a CTA needs {} {}, a core has {}", needed, what, available);
    count = std::min(count, available / needed);
  };
  limit(room.max_warps, needs.warps, "warp slots");
  limit(room.registers, needs.registers, "registers");
  limit(shared, needs.shared_bytes, "bytes of shared memory");
  return count;
}

CtaSlots::CtaSlots(const CoreConfig& config)
    : config_(config),
      slots_(config.occupancy.max_ctas),
      free_warps_(config.occupancy.max_warps),
      free_warp_count_(config.occupancy.max_warps),
      free_registers_(config.occupancy.registers) {
  for (std::uint32_t w = 0; w < config.occupancy.max_warps; ++w) free_warps_.insert(w);
}

template <class Fn>
void CtaSlots::for_each_free_region(Fn&& fn) const {
  std::vector<const Slot*> used;
  for (const Slot& slot : slots_)
    if (slot.used && slot.needs.shared_bytes != 0) used.push_back(&slot);
  std::sort(used.begin(), used.end(),
            [](const Slot* a, const Slot* b) { return a->shared_base < b->shared_base; });
  std::uint32_t at = 0;
  for (const Slot* slot : used) {
    if (fn(at, slot->shared_base - at)) return;
    at = slot->shared_base + slot->needs.shared_bytes;
  }
  fn(at, config_.shared_memory.size_kib * 1024 - at);
}

std::optional<std::uint32_t> CtaSlots::find_shared(std::uint32_t bytes) const {
  std::optional<std::uint32_t> first;
  for_each_free_region([&](std::uint32_t at, std::uint32_t size) {
    if (size >= bytes) first = at;
    return first.has_value();
  });
  return first;
}

std::uint32_t CtaSlots::count_shared(std::uint32_t bytes, std::uint32_t most) const {
  if (bytes == 0) return most;
  std::uint32_t count = 0;
  for_each_free_region([&](std::uint32_t /*at*/, std::uint32_t size) {
    count += size / bytes;
    return count >= most;
  });
  return std::min(count, most);
}

std::uint32_t CtaSlots::room(const CtaNeeds& needs) const {
  auto count = static_cast<std::uint32_t>(slots_.size()) - resident_;
  if (needs.warps != 0) count = std::min(count, free_warp_count_ / needs.warps);
  if (needs.registers != 0) count = std::min(count, free_registers_ / needs.registers);
  return count == 0 ? 0 : count_shared(needs.shared_bytes, count);
}

CtaSlot CtaSlots::take(const CtaNeeds& needs, std::vector<WarpId>& warps, std::uint32_t& shared_base) {
  const auto free_slot =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return !slot.used; });
  Slot& slot = *free_slot;
  occupy(slot, needs, shared_base = *find_shared(needs.shared_bytes));
  for (std::uint32_t i = 0; i < needs.warps; ++i) {
    const std::uint32_t warp = *free_warps_.next(0);
    free_warps_.erase(warp);
    slot.warps.emplace_back(warp);
  }
  warps = slot.warps;
  return CtaSlot{static_cast<std::uint32_t>(free_slot - slots_.begin())};
}

void CtaSlots::take_at(CtaSlot id, const CtaNeeds& needs, std::vector<WarpId>& warps,
                       std::uint32_t& shared_base) {
  Slot& slot = slots_.at(id.value());
  const std::uint32_t first = id.value() * needs.warps;
  bool free = !slot.used && first + needs.warps <= config_.occupancy.max_warps;
  for (std::uint32_t i = 0; free && i < needs.warps; ++i) free = free_warps_.contains(first + i);
  if (!free) throw std::logic_error(fmt::format("CTA slot {} of a core is not free", id.value()));
  occupy(slot, needs, shared_base = id.value() * needs.shared_bytes);
  for (std::uint32_t warp = first; warp < first + needs.warps; ++warp) {
    free_warps_.erase(warp);
    slot.warps.emplace_back(warp);
  }
  warps = slot.warps;
}

void CtaSlots::occupy(Slot& slot, const CtaNeeds& needs, std::uint32_t shared_base) {
  slot.used = true;
  slot.needs = needs;
  slot.shared_base = shared_base;
  slot.warps.clear();
  free_warp_count_ -= needs.warps;
  free_registers_ -= needs.registers;
  ++resident_;
}

void CtaSlots::give_back(CtaSlot id) {
  Slot& slot = slots_[id.value()];
  slot.used = false;
  for (const WarpId warp : slot.warps) free_warps_.insert(warp.value());
  free_warp_count_ += slot.needs.warps;
  free_registers_ += slot.needs.registers;
  --resident_;
}

}  // namespace heddle::core
