// Arguments of user kernels, as given on the command line:
//   TYPE=VALUE                 u32=1024, f32=-1.5e3, u64=0xff
//                              scalar: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64
//   buf=NAME:SIZE[:FILL]       buf=x:1024xf32:iota
//                              new buffer, its address is passed
//   ref=NAME[+BYTES]           ref=x+256
//                              address within a buffer declared earlier
//   struct=FIELD[,FIELD]...    struct=f32:1.5,u32:7,ptr:x
//                              struct by value, see struct_argument.h
//   hex=BYTES, file=PATH       hex=0000c03f07000000
//                              the raw bytes of a struct
// SIZE is in bytes (4096) or elements (1024xf32). FILL is zero (default), iota (0, 1, 2 ...), const=V,
// random=SEED (reals in [0, 1), integers over their whole range) or file=PATH (raw little-endian bytes,
// exactly SIZE). Buffers that are not arguments themselves are declared by --buffer NAME:SIZE[:FILL].
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/struct_argument.h"
#include "isa/types.h"

namespace heddle::cli {

struct KernelArgument {
  enum class Kind : std::uint8_t { kScalar, kBuffer, kReference, kStruct };
  Kind kind = Kind::kScalar;
  std::string place;                    ///< option and text as given, for messages
  std::vector<std::byte> value;         ///< kScalar, kStruct: its bytes; zeros for pointers
  std::vector<StructPointer> pointers;  ///< kStruct
  std::string layout;                   ///< kStruct: for messages; empty if given as bytes
  std::string name;                     ///< kBuffer, kReference
  isa::Type element = isa::Type::kU8;   ///< kBuffer
  std::uint64_t bytes = 0;              ///< kBuffer: size; kReference: offset
  std::string fill;                     ///< kBuffer
  std::string file;                     ///< kBuffer, kStruct: file that holds the bytes; empty: none
  bool passed = true;                   ///< false: memory that other arguments point to, not an argument
                                        ///< itself
};

/// Throws base::InputError naming the argument and the expected form.
[[nodiscard]] KernelArgument parse_argument(const std::string& text);
/// The buffers of --buffer, followed by all arguments of a command line. Checks that buffer names are
/// distinct and references point to existing buffers.
[[nodiscard]] std::vector<KernelArgument> parse_arguments(const std::vector<std::string>& texts,
                                                          const std::vector<std::string>& buffers = {});
/// Initial bytes of a buffer; empty if it is all zeros.
[[nodiscard]] std::vector<std::byte> fill_bytes(const KernelArgument& buffer);

/// One element as text: "-3", "0.5".
[[nodiscard]] std::string element_text(isa::Type type, const std::byte* bytes);

/// "X", "X,Y" or "X,Y,Z", each an integer; `option` for messages.
struct Dimensions {
  std::uint32_t x = 1, y = 1, z = 1;
};
[[nodiscard]] Dimensions parse_dimensions(const std::string& text, const std::string& option);

}  // namespace heddle::cli
