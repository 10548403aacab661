// Small ELF files for tests: host programs with fat binaries, cubins with line programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::sass {

using Blob = std::vector<std::byte>;

/// Appends a little-endian number.
void put(Blob& blob, std::uint64_t value, unsigned bytes);
void put(Blob& blob, const std::string& text);  ///< with its NUL
void put(Blob& blob, const Blob& other);

class ElfWriter {
 public:
  /// `machine`: 190 for CUDA, 62 for x86-64. `flags`: 0x06005a04 for sm_90, with ABI version 8.
  ElfWriter(std::uint16_t machine, std::uint32_t flags, std::uint8_t abi)
      : machine_(machine), flags_(flags), abi_(abi) {
    add("", 0, {});
  }
  /// Returns the section's index.
  unsigned add(const std::string& name, std::uint32_t type, Blob content, std::uint32_t link = 0,
               std::uint32_t info = 0);
  /// For add(): an entry of a symbol table.
  [[nodiscard]] static Blob symbol(std::uint32_t name, std::uint8_t info, std::uint8_t other,
                                   std::uint16_t section, std::uint64_t value, std::uint64_t size);
  [[nodiscard]] Blob bytes() const;

 private:
  struct Section {
    std::string name;
    std::uint32_t type;
    Blob content;
    std::uint32_t link;
    std::uint32_t info;
  };
  std::uint16_t machine_;
  std::uint32_t flags_;
  std::uint8_t abi_;
  std::vector<Section> sections_;
};

}  // namespace heddle::sass
