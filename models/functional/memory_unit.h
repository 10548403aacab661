// Memory instructions without time. Addresses, checks and messages are the load/store unit's (core/memory/address_resolver.h); the
// values go straight to and from the image of device memory, the CTA's shared memory and the warp's local memory.
#pragma once

#include <cstdint>
#include <memory>

#include "core/memory/address_resolver.h"
#include "core/memory/texture_access.h"
#include "functional/memory_image.h"
#include "functional/state.h"
#include "host/allocation.h"
#include "host/kernel_print.h"

namespace heddle::functional {

class MemoryUnit {
 public:
  /// All outlive the unit.
  MemoryUnit(const core::LaunchContext& launch, const host::AllocationTable& allocations, MemoryImage& image);

  /// A load, store, atomic, copy, or an access to a texture or surface, by lanes `lanes`, at least one.
  void access(Cta& cta, Warp& warp, Pc pc, const isa::Instruction& instruction, LaneMask lanes);
  /// Stores to device and local memory, and atomics that have changed it.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// Reads what a lane's generic addresses name, for what it prints. Refers to its arguments.
  [[nodiscard]] host::ReadBytes memory_of(Cta& cta, Warp& warp, const core::AccessSite& site, unsigned lane);

 private:
  static constexpr std::uint32_t kLineBytes = 128;

  void device_part(Warp& warp);
  void atomics(const core::LaneOffsets& offsets, unsigned char* block);
  void copy(Warp& warp, const core::AccessContext& context);
  void fetch(const core::AccessContext& context);
  /// Where a line is.
  [[nodiscard]] unsigned char* block_of(Warp& warp, const core::LineAccess& access, bool writes);
  [[nodiscard]] core::TextureAccess::Read reader();

  const core::LaunchContext& launch_;
  const host::AllocationTable& allocations_;
  MemoryImage& image_;
  core::AddressResolver resolver_;
  core::TextureAccess textures_;
  std::unique_ptr<core::MemoryInstruction> op_;
  std::uint64_t changes_ = 0;
};

}  // namespace heddle::functional
