#include "frontend/sass/line_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/sass/elf.h"

namespace heddle::sass {
namespace {

// DWARF 5, sections 6.2.4 and 7.22
enum Standard : std::uint8_t {
  kCopy = 1,
  kAdvancePc,
  kAdvanceLine,
  kSetFile,
  kSetColumn,
  kNegate,
  kBasicBlock,
  kConstAddPc,
  kFixedAdvancePc,
};
enum Extended : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };
enum Content : std::uint8_t { kPath = 1, kDirectoryIndex = 2 };
enum AttributeForm : std::uint8_t {
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlock = 0x09,
  kData1 = 0x0b,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kData16 = 0x1e,
  kLineStrp = 0x1f,
};

/// Reads on from a position.
class Cursor {
 public:
  Cursor(Bytes bytes, std::uint64_t at) : bytes_(std::move(bytes)), at_(at) {}
  [[nodiscard]] std::uint64_t at() const { return at_; }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  void skip(std::uint64_t count) {
    (void)bytes_.piece(at_, count, "a line program");
    at_ += count;
  }
  std::uint64_t number(unsigned size) {
    const std::uint64_t value = bytes_.number(at_, size, "a line program");
    at_ += size;
    return value;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 127u} << shift;
      if ((next & 128) == 0) return value;
    }
  }
  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 127u} << shift;
      shift += 7;
      if ((next & 128) != 0) continue;
      if (shift < 64 && (next & 64) != 0) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }
  std::string text() {
    std::string value = bytes_.text(at_, "a name in a line program");
    at_ = static_cast<std::uint64_t>(std::find(bytes_.all().begin() + static_cast<std::ptrdiff_t>(at_),
                                               bytes_.all().end(), std::byte{0}) -
                                     bytes_.all().begin()) +
          1;
    return value;
  }

 private:
  Bytes bytes_;
  std::uint64_t at_;
};

}  // namespace

/// One unit of the section.
class LineProgram {
 public:
  LineProgram(const Elf& elf, const ElfSection& section, LineTable& table)
      : elf_(elf), bytes_(elf.data(section)), table_(table), relocations_(elf.relocations_of(section)) {}

  void run() {
    table_.files_.emplace_back();  // for rows whose file has no name
    for (std::uint64_t at = 0; at < bytes_.size();) at = unit(at);
    for (auto& [name, rows] : table_.rows_)
      std::stable_sort(rows.begin(), rows.end(),
                       [](const LineTable::Row& a, const LineTable::Row& b) { return a.offset < b.offset; });
  }

 private:
  std::uint64_t unit(std::uint64_t at) {
    Cursor cursor(bytes_, at);
    std::uint64_t length = cursor.number(4);
    offset_bytes_ = 4;
    if (length == 0xffffffff) {
      length = cursor.number(8);
      offset_bytes_ = 8;
    }
    (void)bytes_.piece(cursor.at(), length, "a line program");
    const std::uint64_t end = cursor.at() + length;
    version_ = static_cast<unsigned>(cursor.number(2));
    if (version_ < 2 || version_ > 5)
      bytes_.fail(fmt::format("the line program at byte {} has version {}", at, version_));
    if (version_ >= 5) cursor.skip(2);
    const std::uint64_t header = cursor.number(offset_bytes_);
    const std::uint64_t begin = cursor.at() + header;
    if (begin > end || begin < cursor.at())
      bytes_.fail(fmt::format("the header of the line program at byte {} is longer than the program", at));
    least_ = cursor.byte();
    if (version_ >= 4) cursor.skip(1);
    cursor.skip(1);
    line_base_ = static_cast<std::int8_t>(cursor.byte());
    line_range_ = cursor.byte();
    if (line_range_ == 0) bytes_.fail(fmt::format("the line program at byte {} has a line range of 0", at));
    operand_counts_.assign(cursor.byte(), 0);
    if (operand_counts_.empty())
      bytes_.fail(fmt::format("the line program at byte {} has no operations", at));
    for (std::size_t i = 1; i < operand_counts_.size(); ++i) operand_counts_[i] = cursor.byte();
    files_.clear();
    version_ >= 5 ? names5(cursor) : names2(cursor);
    execute(Cursor(Bytes(bytes_.all().first(end), bytes_.where()), begin), end);
    return end;
  }

  void names2(Cursor& cursor) {
    std::vector<std::string> folders{""};
    for (std::string name = cursor.text(); !name.empty(); name = cursor.text()) folders.push_back(name);
    files_.push_back(file("", ""));  // files count from 1
    for (std::string name = cursor.text(); !name.empty(); name = cursor.text()) {
      const std::uint64_t folder = cursor.uleb();
      (void)cursor.uleb();
      (void)cursor.uleb();
      files_.push_back(file(folder < folders.size() ? folders[folder] : "", name));
    }
  }

  void names5(Cursor& cursor) {
    std::vector<std::string> folders;
    table5(cursor, [&](const std::string& name, std::uint64_t) { folders.push_back(name); });
    table5(cursor, [&](const std::string& name, std::uint64_t folder) {
      files_.push_back(file(folder < folders.size() ? folders[folder] : "", name));
    });
  }

  template <class Take>
  void table5(Cursor& cursor, const Take& take) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> format(cursor.byte());
    for (auto& [content, form] : format) {
      content = cursor.uleb();
      form = cursor.uleb();
    }
    const std::uint64_t count = cursor.uleb();
    if (format.empty() ? count != 0 : count > bytes_.size())
      bytes_.fail(fmt::format("a line program has {} names", count));
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string path;
      std::uint64_t folder = 0;
      for (const auto& [content, form] : format) {
        std::string text;
        const std::uint64_t value = attribute(cursor, form, text);
        if (content == kPath) path = text;
        if (content == kDirectoryIndex) folder = value;
      }
      take(path, folder);
    }
  }

  std::uint64_t attribute(Cursor& cursor, std::uint64_t form, std::string& text) {
    switch (form) {
      case kString:
        text = cursor.text();
        return 0;
      case kLineStrp:
      case kStrp: {
        const ElfSection* const strings = elf_.find(form == kStrp ? ".debug_str" : ".debug_line_str");
        const std::uint64_t offset = cursor.number(offset_bytes_);
        if (strings != nullptr) text = elf_.data(*strings).text(offset, "a name of a line program");
        return 0;
      }
      case kUdata:
        return cursor.uleb();
      case kData1:
        return cursor.number(1);
      case kData2:
        return cursor.number(2);
      case kData4:
        return cursor.number(4);
      case kData8:
        return cursor.number(8);
      case kData16:
        cursor.skip(16);
        return 0;
      case kBlock:
        cursor.skip(cursor.uleb());
        return 0;
      default:
        bytes_.fail(fmt::format("a line program has a name of the unknown form {:#x}", form));
    }
  }

  std::uint32_t file(const std::string& folder, const std::string& name) {
    table_.files_.push_back(folder.empty() || name.starts_with('/') ? name : folder + "/" + name);
    return static_cast<std::uint32_t>(table_.files_.size() - 1);
  }

  struct State {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::int64_t line = 1;
  };

  void execute(Cursor cursor, std::uint64_t end) {
    State state;
    std::vector<LineTable::Row>* rows = nullptr;
    const auto emit = [&](bool last) {
      if (rows == nullptr) return;
      const std::uint32_t file = state.file < files_.size() ? files_[state.file] : 0;
      rows->push_back(
          {state.address, file, last || state.line < 0 ? 0 : static_cast<std::uint32_t>(state.line)});
    };
    const auto base = static_cast<unsigned>(operand_counts_.size());
    while (cursor.at() < end) {
      const std::uint8_t operation = cursor.byte();
      if (operation >= base) {
        const unsigned adjusted = operation - base;
        state.address += std::uint64_t{adjusted / line_range_} * least_;
        state.line += line_base_ + static_cast<int>(adjusted % line_range_);
        emit(false);
        continue;
      }
      switch (operation) {
        case 0: {
          const std::uint64_t size = cursor.uleb();
          const std::uint64_t next = cursor.at() + size;
          if (size == 0) break;
          const std::uint8_t extended = cursor.byte();
          if (extended == kSetAddress) {
            rows = set_address(cursor, static_cast<unsigned>(std::min<std::uint64_t>(size - 1, 8)), state);
          } else if (extended == kEndSequence) {
            emit(true);
            state = {};
            rows = nullptr;
          }
          if (next < cursor.at() || next > end)
            bytes_.fail("an operation of a line program is longer than the program");
          cursor.skip(next - cursor.at());
          break;
        }
        case kCopy:
          emit(false);
          break;
        case kAdvancePc:
          state.address += cursor.uleb() * least_;
          break;
        case kAdvanceLine:
          state.line += cursor.sleb() % (std::int64_t{1} << 32);
          break;
        case kSetFile:
          state.file = cursor.uleb();
          break;
        case kConstAddPc:
          state.address += std::uint64_t{(255 - base) / line_range_} * least_;
          break;
        case kFixedAdvancePc:
          state.address += cursor.number(2);
          break;
        default:
          for (unsigned i = 0; i < operand_counts_[operation]; ++i) (void)cursor.uleb();
      }
    }
  }

  /// The rows of the section that the address is relocated to.
  std::vector<LineTable::Row>* set_address(Cursor& cursor, unsigned size, State& state) {
    const std::uint64_t at = cursor.at();
    state.address = cursor.number(size);
    const auto found = std::find_if(relocations_.begin(), relocations_.end(),
                                    [&](const ElfRelocation& each) { return each.offset == at; });
    if (found == relocations_.end()) return nullptr;
    const ElfSymbol& symbol = elf_.symbols()[found->symbol];
    if (symbol.section == 0 || symbol.section >= elf_.sections().size()) return nullptr;
    state.address =
        symbol.value + (found->has_addend ? static_cast<std::uint64_t>(found->addend) : state.address);
    return &table_.rows_[elf_.sections()[symbol.section].name];
  }

  const Elf& elf_;
  Bytes bytes_;
  LineTable& table_;
  std::vector<ElfRelocation> relocations_;
  unsigned version_ = 0;
  unsigned offset_bytes_ = 4;
  unsigned least_ = 1;
  int line_base_ = 0;
  unsigned line_range_ = 1;
  std::vector<std::uint8_t> operand_counts_;  ///< by operation; its size is the first special one
  std::vector<std::uint32_t> files_;          ///< indices of the table's files
};

LineTable LineTable::read(const Elf& elf, std::string_view name) {
  LineTable table;
  if (const ElfSection* const section = elf.find(name); section != nullptr)
    LineProgram(elf, *section, table).run();
  return table;
}

std::optional<SourceLine> LineTable::find(std::string_view section, std::uint64_t offset) const {
  const auto rows = rows_.find(section);
  if (rows == rows_.end()) return std::nullopt;
  const auto next = std::upper_bound(rows->second.begin(), rows->second.end(), offset,
                                     [](std::uint64_t at, const Row& row) { return at < row.offset; });
  if (next == rows->second.begin()) return std::nullopt;
  const Row& row = *(next - 1);
  if (row.line == 0) return std::nullopt;
  return SourceLine{files_[row.file], row.line};
}

}  // namespace heddle::sass
