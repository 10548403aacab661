// Which source line an instruction comes from: the DWARF line programs of -lineinfo, versions 2 to 5.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::sass {

class Elf;

struct SourceLine {
  std::string file;  ///< with its folder, as the compiler was given it
  std::uint32_t line = 0;

  bool operator==(const SourceLine&) const = default;
};

class LineTable {
 public:
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Of the instruction at `offset` in a section of code (".text.KERNEL").
  [[nodiscard]] std::optional<SourceLine> find(std::string_view section, std::uint64_t offset) const;

  /// From a section like .debug_line; nothing if the file has none. Malformed programs are base::InputError.
  [[nodiscard]] static LineTable read(const Elf& elf, std::string_view section);

 private:
  struct Row {
    std::uint64_t offset = 0;
    std::uint32_t file = 0;  ///< index of files_
    std::uint32_t line = 0;  ///< 0: no line from here on
  };
  friend class LineProgram;
  std::vector<std::string> files_;
  std::map<std::string, std::vector<Row>, std::less<>> rows_;  ///< by section, sorted by offset
};

}  // namespace heddle::sass
