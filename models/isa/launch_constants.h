// Constant rows whose values are known at launch. Machine code reads parameters and the launch dimensions
// like this, from constant bank 0 (c[0x0][..]).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "isa/instruction.h"
#include "isa/row_bytes.h"

namespace heddle::isa {

enum class LaunchValue : std::uint8_t {
  kParameter,  ///< one row element of the parameter block at `parameter_offset`
  kBlockX,
  kBlockY,
  kBlockZ,
  kGridX,
  kGridY,
  kGridZ,
  kDynamicShared,  ///< bytes per CTA
  kTotalShared,    ///< static + dynamic, bytes per CTA
  kLocalBytes,     ///< bytes per thread: where a stack that grows down begins
  kParameterBase,  ///< generic address of the parameter block
  kMemory,  ///< what memory has at `address`: a variable in constant memory, which the program may have written
};

/// A row of Kernel::constants, of 32 or 64 bits, that each launch fills in for itself.
struct LaunchConstant {
  std::uint32_t offset = 0;  ///< of the row in Kernel::constants
  RowWidth width = RowWidth::k32;
  LaunchValue value = LaunchValue::kParameter;
  std::uint32_t parameter_offset = 0;
  std::uint64_t address = 0;  ///< kMemory
};

/// A word of a constant bank that an instruction of machine code has as an operand, at a fixed place: c[bank][offset].
struct BankWord {
  std::uint32_t pc = 0;  ///< of the instruction
  std::uint32_t bank = 0;
  std::uint32_t offset = 0;   ///< bytes
  std::uint64_t address = 0;  ///< in device memory; 0: of bank 0, which the launch fills
};

/// The values of one launch.
struct LaunchValues {
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t total_shared_bytes = 0;
  std::uint32_t local_bytes_per_thread = 0;
  std::uint64_t parameter_base = 0;
  std::span<const std::byte> parameters;
  /// Reads device memory, for kMemory.
  std::function<void(std::uint64_t address, std::span<std::byte> bytes)> read;
};

/// The kernel's constants with the rows of `which` filled in. Throws std::out_of_range if a row or a
/// parameter does not exist.
[[nodiscard]] RowBytes constants_of_launch(const RowBytes& constants, std::span<const LaunchConstant> which,
                                           const LaunchValues& values);

/// Writes one value into every lane of a 32- or 64-bit row. In a predicate row, sets all bits if the value is
/// not 0.
void broadcast(std::byte* row, RowWidth width, std::uint64_t value);

}  // namespace heddle::isa
