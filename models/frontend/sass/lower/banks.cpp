#include "frontend/sass/lower/banks.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/sass/lower/rows.h"

namespace heddle::sass {
namespace {

// Bank 0 (specifications, "Launch state").
constexpr std::uint32_t kBlock = 0x00, kGrid = 0x0c, kSharedWindow75 = 0x18, kLocalWindow = 0x20,
                        kStack = 0x28, kDynamicShared = 0x2c, kGridId = 0x30, kBank3Of75 = 0x50,
                        kBank3Of90 = 0xd0, kEnvironmentOf75 = 0x88, kEnvironmentOf90 = 0x40,
                        kReserved90 = 0x6c, kCores = 0x10c, kReservedShared90 = 0x114, kGraph75 = 0x120,
                        kGraph90 = 0x190, kIsClusterLaunch = 0x140, kClusterShape = 0x144,
                        kClusterReciprocal = 0x150, kClusters = 0x15c, kClusterEnd = 0x168,
                        kClusterSize = 0x188, kAliasFence90 = 0x18c, kDescriptor90 = 0x208;

}  // namespace

isa::Operand Banks::launch_row(const isa::LaunchConstant& constant) {
  isa::LaunchConstant row = constant;
  const isa::Operand operand = pool_.separate_row(isa::RowWidth::k32);
  row.offset = operand.offset;
  kernel_.launch_constants.push_back(row);
  return operand;
}

isa::Operand Banks::launch_word(std::uint32_t offset, std::string& problem) {
  using isa::LaunchValue;
  const auto value = [&](LaunchValue which) {
    return launch_row({.offset = 0, .width = isa::RowWidth::k32, .value = which});
  };
  const auto half = [&](std::uint64_t address, std::uint32_t first) {
    return pool_.row(isa::RowWidth::k32, (offset == first ? address : address >> 32) & 0xffff'ffffu);
  };
  const auto is_half_of = [&](std::uint32_t first) { return offset == first || offset == first + 4; };
  if (offset >= section_.parameter_base) {
    const std::uint32_t at = offset - section_.parameter_base;
    if (at < kernel_.param_bytes)
      return launch_row({.offset = 0,
                         .width = isa::RowWidth::k32,
                         .value = LaunchValue::kParameter,
                         .parameter_offset = at});
    return pool_.row(isa::RowWidth::k32, 0);  // behind the parameters
  }
  switch (offset) {
    case kBlock:
      return value(LaunchValue::kBlockX);
    case kBlock + 4:
      return value(LaunchValue::kBlockY);
    case kBlock + 8:
      return value(LaunchValue::kBlockZ);
    case kGrid:
      return value(LaunchValue::kGridX);
    case kGrid + 4:
      return value(LaunchValue::kGridY);
    case kGrid + 8:
      return value(LaunchValue::kGridZ);
    case kStack:
      return value(LaunchValue::kLocalBytes);
    case kDynamicShared:
      return value(LaunchValue::kDynamicShared);
    case kGridId:
      return KernelRows::special(isa::SpecialRow::kGridIdLow);
    case kGridId + 4:
      return KernelRows::special(isa::SpecialRow::kGridIdHigh);
    default:
      break;
  }
  const bool sm_75 = module_.cubin.arch() == Arch::kSm75;
  if (is_half_of(kLocalWindow)) return half(isa::kLocalWindowBase, kLocalWindow);
  if (sm_75 && is_half_of(kSharedWindow75)) return half(isa::kSharedWindowBase, kSharedWindow75);
  // %envreg1 and %envreg2: the workspace of a cooperative launch.
  const std::uint32_t environment = sm_75 ? kEnvironmentOf75 : kEnvironmentOf90;
  if (offset == environment + 4) return KernelRows::special(isa::SpecialRow::kGridWorkspaceHigh);
  if (offset == environment + 8) return KernelRows::special(isa::SpecialRow::kGridWorkspaceLow);
  const std::uint32_t bank3 = sm_75 ? kBank3Of75 : kBank3Of90;
  if (is_half_of(bank3)) return half(module_.bank3.address, bank3);
  if (!sm_75 && is_half_of(kDescriptor90))
    return pool_.row(isa::RowWidth::k32, 0);  // opaque, and enters no address
  if (offset == kCores) return KernelRows::special(isa::SpecialRow::kNsmId);
  if (is_half_of(sm_75 ? kGraph75 : kGraph90)) return pool_.row(isa::RowWidth::k32, 0);  // no graph
  // Bit 0: fence.proxy.alias is one of the whole system.
  if (!sm_75 && offset == kAliasFence90) return pool_.row(isa::RowWidth::k32, 0);
  // What SR_SMEMSZ has more than %total_smem_size.
  if (!sm_75 && offset == kReservedShared90) return pool_.row(isa::RowWidth::k32, 0);
  // %reserved_smem_offset_1: where the shared memory begins that is no variable's.
  if (!sm_75 && offset == kReserved90) {
    // CTAs without variables have it as well.
    kernel_.reserved_shared_bytes = CodeSection::kReservedShared90;
    kernel_.static_shared_bytes = std::max(kernel_.static_shared_bytes, kernel_.reserved_shared_bytes);
    return pool_.row(isa::RowWidth::k32, 0);
  }
  if (!sm_75 && ((offset >= kIsClusterLaunch && offset < kClusterEnd) || offset == kClusterSize))
    return cluster_word(offset);
  problem = fmt::format("c[0x0][{:#x}] is launch state that is not modelled", offset);
  return {};
}

/// A CTA is a cluster of its own.
isa::Operand Banks::cluster_word(std::uint32_t offset) {
  constexpr std::uint32_t kOne = 0x3f800000;  // a number of a CTA becomes that of its cluster by a product
  if (offset >= kClusters && offset < kClusterEnd)
    return launch_row({.offset = 0,
                       .width = isa::RowWidth::k32,
                       .value = static_cast<isa::LaunchValue>(
                           static_cast<std::uint32_t>(isa::LaunchValue::kGridX) + (offset - kClusters) / 4)});
  return pool_.row(isa::RowWidth::k32, offset == kIsClusterLaunch                               ? 0
                                       : offset >= kClusterReciprocal && offset != kClusterSize ? kOne
                                                                                                : 1);
}

isa::Operand Banks::word(unsigned bank, std::uint32_t offset, std::string& problem) {
  const auto known = launch_rows_.find({bank, offset});
  if (known != launch_rows_.end()) return known->second;
  isa::Operand operand;
  switch (bank) {
    case 0:
      operand = launch_word(offset, problem);
      break;
    case 2:
      return pool_.row(isa::RowWidth::k32, placed_.bank2.word(offset));
    case 3:
      if (offset + 4 > module_.bank3.bytes.size())
        return pool_.row(isa::RowWidth::k32, 0);  // as on the hardware
      operand = launch_row({.offset = 0,
                            .width = isa::RowWidth::k32,
                            .value = isa::LaunchValue::kMemory,
                            .address = module_.bank3.address + offset});
      break;
    case 4:
      return pool_.row(isa::RowWidth::k32, module_.bank4.word(offset));
    default:
      problem = fmt::format("there is no constant bank {}", bank);
      return {};
  }
  if (operand.present) launch_rows_.emplace(std::pair(bank, offset), operand);
  return operand;
}

}  // namespace heddle::sass
