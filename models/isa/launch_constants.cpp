#include "isa/launch_constants.h"

#include <cstring>
#include <stdexcept>

#include "base/lane_mask.h"

namespace heddle::isa {
namespace {

std::uint64_t value_of(const LaunchConstant& constant, const LaunchValues& values) {
  switch (constant.value) {
    case LaunchValue::kParameter: {
      const std::size_t bytes = constant.width == RowWidth::k64 ? 8 : 4;
      if (constant.parameter_offset + bytes > values.parameters.size())
        throw std::out_of_range("a launch constant lies behind the kernel's parameters");
      std::uint64_t value = 0;
      std::memcpy(&value, values.parameters.data() + constant.parameter_offset, bytes);
      return value;
    }
    case LaunchValue::kBlockX:
    case LaunchValue::kBlockY:
    case LaunchValue::kBlockZ:
      return values.block.at(static_cast<std::size_t>(constant.value) -
                             static_cast<std::size_t>(LaunchValue::kBlockX));
    case LaunchValue::kGridX:
    case LaunchValue::kGridY:
    case LaunchValue::kGridZ:
      return values.grid.at(static_cast<std::size_t>(constant.value) -
                            static_cast<std::size_t>(LaunchValue::kGridX));
    case LaunchValue::kDynamicShared:
      return values.dynamic_shared_bytes;
    case LaunchValue::kTotalShared:
      return values.total_shared_bytes;
    case LaunchValue::kLocalBytes:
      return values.local_bytes_per_thread;
    case LaunchValue::kParameterBase:
      return values.parameter_base;
    case LaunchValue::kMemory: {
      std::uint64_t value = 0;
      values.read(
          constant.address,
          std::as_writable_bytes(std::span(&value, 1)).first(constant.width == RowWidth::k64 ? 8 : 4));
      return value;
    }
  }
  return 0;
}

}  // namespace

void broadcast(std::byte* row, RowWidth width, std::uint64_t value) {
  if (width == RowWidth::kPredicate) {
    const std::uint32_t lanes = value != 0 ? 0xffff'ffffu : 0;
    std::memcpy(row, &lanes, sizeof lanes);
    return;
  }
  const std::size_t element = width == RowWidth::k64 ? 8 : 4;
  for (std::size_t lane = 0; lane < base::kLanes; ++lane) std::memcpy(row + lane * element, &value, element);
}

RowBytes constants_of_launch(const RowBytes& constants, std::span<const LaunchConstant> which,
                             const LaunchValues& values) {
  RowBytes rows = constants;
  for (const LaunchConstant& constant : which) {
    const std::size_t bytes = base::kLanes * (constant.width == RowWidth::k64 ? 8u : 4u);
    if (constant.width == RowWidth::kPredicate || constant.offset + bytes > rows.size())
      throw std::out_of_range("a launch constant has no row of numbers");
    broadcast(rows.data() + constant.offset, constant.width, value_of(constant, values));
  }
  return rows;
}

}  // namespace heddle::isa
