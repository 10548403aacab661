#include "unit/sass/elf_writer.h"

namespace heddle::sass {

void put(Blob& blob, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) blob.push_back(static_cast<std::byte>(value >> (8 * i)));
}
void put(Blob& blob, const std::string& text) {
  for (const char each : text) blob.push_back(static_cast<std::byte>(each));
  blob.push_back(std::byte{0});
}
void put(Blob& blob, const Blob& other) { blob.insert(blob.end(), other.begin(), other.end()); }

unsigned ElfWriter::add(const std::string& name, std::uint32_t type, Blob content, std::uint32_t link,
                        std::uint32_t info) {
  sections_.push_back({name, type, std::move(content), link, info});
  return static_cast<unsigned>(sections_.size() - 1);
}

Blob ElfWriter::symbol(std::uint32_t name, std::uint8_t info, std::uint8_t other, std::uint16_t section,
                       std::uint64_t value, std::uint64_t size) {
  Blob entry;
  put(entry, name, 4);
  put(entry, info, 1);
  put(entry, other, 1);
  put(entry, section, 2);
  put(entry, value, 8);
  put(entry, size, 8);
  return entry;
}

Blob ElfWriter::bytes() const {
  std::vector<Section> sections = sections_;
  Blob names;
  std::vector<std::size_t> name_offsets;
  sections.push_back({".shstrtab", 3, {}, 0, 0});
  for (const Section& section : sections) {
    name_offsets.push_back(names.size());
    put(names, section.name);
  }
  sections.back().content = names;
  Blob body;
  std::vector<std::size_t> offsets;
  for (const Section& section : sections) {
    offsets.push_back(64 + body.size());
    put(body, section.content);
  }
  Blob file;
  put(file, 0x464c457f, 4);
  put(file, 0x0102, 2);  // 64 bits, little-endian
  file.resize(8);
  put(file, abi_, 1);
  file.resize(16);
  put(file, 2, 2);
  put(file, machine_, 2);
  put(file, 1, 4);
  file.resize(40);
  put(file, 64 + body.size(), 8);
  put(file, flags_, 4);
  put(file, 64, 2);
  put(file, 0, 4);
  put(file, 64, 2);
  put(file, sections.size(), 2);
  put(file, sections.size() - 1, 2);
  put(file, body);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    put(file, name_offsets[i], 4);
    put(file, sections[i].type, 4);
    put(file, 0, 8);
    put(file, 0, 8);
    put(file, offsets[i], 8);
    put(file, sections[i].content.size(), 8);
    put(file, sections[i].link, 4);
    put(file, sections[i].info, 4);
    put(file, 1, 8);
    put(file, 0, 8);
  }
  return file;
}

}  // namespace heddle::sass
