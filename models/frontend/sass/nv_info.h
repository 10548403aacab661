// Attributes of cubins: sections .nv.info (of the file) and .nv.info.KERNEL.
#pragma once

#include <vector>

#include "frontend/sass/bytes.h"

namespace heddle::sass {

/// Attributes that the loader reads; files have more.
enum class NvAttribute : std::uint8_t {
  kMaxThreads = 0x05,       ///< 3 x u32: .maxntid
  kParamBank = 0x0a,        ///< u32 symbol, u16 first byte in bank 0, u16 bytes
  kRequiredThreads = 0x10,  ///< 3 x u32: .reqntid
  kFrameSize = 0x11,        ///< u32 symbol, u32 bytes
  kMinStackSize = 0x12,     ///< u32 symbol, u32 bytes
  kLargeParamInfo = 0x45,   ///< of kernels with more than 4 KiB: u32, u16 ordinal, u16 offset, u32 size
  kParamInfo = 0x17,        ///< u32, u16 ordinal, u16 offset, u32 whose bits 18 to 31 are the size
  kExitOffsets = 0x1c,      ///< u32 each
  kMaxStackSize = 0x23,     ///< u32 symbol, u32 bytes
  kRegisterCount = 0x2f,    ///< u32 symbol, u32 registers
  kIndirectTargets = 0x34,  ///< u32 branch, u32, u32 count, then u32 each; repeated
  kClusterShape = 0x3d,     ///< 3 x u32: .reqnctapercluster
  kBarriers = 0x4c,         ///< named barriers that are used
};

struct NvInfo {
  std::uint8_t attribute = 0;
  std::uint16_t value = 0;  ///< of an attribute that has no bytes
  Bytes bytes;              ///< of one that has

  [[nodiscard]] bool is(NvAttribute which) const { return attribute == static_cast<std::uint8_t>(which); }
};

/// All records of a section; a malformed one is base::InputError.
[[nodiscard]] std::vector<NvInfo> read_nv_info(const Bytes& section);

}  // namespace heddle::sass
