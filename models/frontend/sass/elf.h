// ELF64 files, as far as cubins and the programs around them need it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/sass/bytes.h"

namespace heddle::sass {

inline constexpr std::uint16_t kMachineCuda = 190;
inline constexpr std::uint32_t kSectionSymbols = 2, kSectionRela = 4, kSectionNoBits = 8, kSectionRel = 9;

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t size = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t align = 0;
};

struct ElfSymbol {
  enum Type : std::uint8_t { kNoType = 0, kObject = 1, kFunction = 2, kSection = 3 };
  enum Bind : std::uint8_t { kLocal = 0, kGlobal = 1, kWeak = 2 };
  std::string name;
  std::uint8_t type = 0;
  std::uint8_t bind = 0;
  std::uint8_t other = 0;
  std::uint16_t section = 0;  ///< 0: defined elsewhere
  std::uint64_t value = 0;    ///< offset in the section
  std::uint64_t size = 0;
};

struct ElfRelocation {
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::uint32_t symbol = 0;
  std::int64_t addend = 0;
  bool has_addend = false;  ///< otherwise it is what the place holds
};

/// A view of the bytes, which must outlive it. Malformed files are base::InputError.
class Elf {
 public:
  Elf(std::span<const std::byte> bytes, const std::string& name);

  [[nodiscard]] std::uint16_t type() const { return type_; }
  [[nodiscard]] std::uint16_t machine() const { return machine_; }
  [[nodiscard]] std::uint32_t flags() const { return flags_; }
  [[nodiscard]] std::uint8_t abi() const { return abi_; }
  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  [[nodiscard]] const std::vector<ElfSymbol>& symbols() const { return symbols_; }
  /// nullptr if there is none.
  [[nodiscard]] const ElfSection* find(std::string_view name) const;
  [[nodiscard]] std::size_t index_of(const ElfSection& section) const {
    return static_cast<std::size_t>(&section - sections_.data());
  }
  /// Nothing for a section without bits.
  [[nodiscard]] Bytes data(const ElfSection& section) const;
  /// Of all sections that relocate this one.
  [[nodiscard]] std::vector<ElfRelocation> relocations_of(const ElfSection& section) const;
  [[noreturn]] void fail(const std::string& problem) const { file_.fail(problem); }

  [[nodiscard]] static bool is_elf(std::span<const std::byte> bytes);

 private:
  void read_sections();
  void read_symbols();

  Bytes file_;
  std::uint16_t type_ = 0;
  std::uint16_t machine_ = 0;
  std::uint32_t flags_ = 0;
  std::uint8_t abi_ = 0;
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

}  // namespace heddle::sass
