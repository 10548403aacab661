#include "frontend/sass/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/nv_info.h"

namespace heddle::sass {
namespace {

constexpr std::string_view kText = ".text.";
constexpr std::uint8_t kEntry = 0x10;  // of a symbol's `other`: STO_CUDA_ENTRY
constexpr std::uint16_t kRelocatable = 1;

std::array<std::uint32_t, 3> three(const Bytes& bytes) {
  return {bytes.u32(0, "a CTA's size"), bytes.u32(4, "a CTA's size"), bytes.u32(8, "a CTA's size")};
}

std::vector<std::uint32_t> list(const Bytes& bytes) {
  std::vector<std::uint32_t> all;
  for (std::uint64_t at = 0; at + 4 <= bytes.size(); at += 4)
    all.push_back(bytes.u32(at, "a list of offsets"));
  return all;
}

class CubinReader {
 public:
  CubinReader(std::span<const std::byte> bytes, const std::string& name) : elf_(bytes, name) {
    cubin_.name = name;
  }

  Cubin read() {
    if (elf_.machine() != kMachineCuda)
      throw base::InputError(
          cubin_.name, fmt::format("this is an ELF file for machine {}, not a cubin (190)", elf_.machine()),
          "Give a cubin, or a program or object with a fat binary in it.");
    // CUDA 13 files have the architecture in bits 8 to 15 and 0 to 7 of the version; older ones in bits 0 to 7.
    constexpr std::uint8_t kNewAbi = 8;
    cubin_.sm = elf_.abi() >= kNewAbi ? elf_.flags() >> 8 & 0xff : elf_.flags() & 0xff;
    cubin_.relocatable = elf_.type() == kRelocatable;
    for (const ElfSymbol& symbol : elf_.symbols()) cubin_.symbols.push_back(symbol_of(symbol));
    for (const ElfSection& section : elf_.sections())
      if (section.name.starts_with(kText) && section.type != kSectionNoBits) read_code(section);
    cubin_.bank3 = data_section(".nv.constant3");
    cubin_.bank4 = data_section(".nv.constant4");
    for (const char* const name : {".nv.global.init", ".nv.global"})
      if (auto section = data_section(name)) cubin_.globals.push_back(std::move(*section));
    read_attributes();
    cubin_.lines = LineTable::read(elf_, ".debug_line");
    return std::move(cubin_);
  }

 private:
  [[nodiscard]] Symbol symbol_of(const ElfSymbol& symbol) const {
    Symbol of;
    of.name = symbol.name;
    if (symbol.section != 0 && symbol.section < elf_.sections().size())
      of.section = elf_.sections()[symbol.section].name;
    of.value = symbol.value;
    of.size = symbol.size;
    of.is_function = symbol.type == ElfSymbol::kFunction;
    of.is_object = symbol.type == ElfSymbol::kObject;
    of.is_global = symbol.bind == ElfSymbol::kGlobal;
    of.is_weak = symbol.bind == ElfSymbol::kWeak;
    of.is_entry = of.is_function && (symbol.other & kEntry) != 0;
    return of;
  }

  void read_code(const ElfSection& section) {
    CodeSection code;
    code.name = section.name.substr(kText.size());
    code.align = section.align;
    const Bytes bytes = elf_.data(section);
    if (bytes.size() % kInstructionBytes != 0)
      bytes.fail(fmt::format("{} bytes are no whole number of instructions of 16", bytes.size()));
    for (std::uint64_t at = 0; at < bytes.size(); at += kInstructionBytes)
      code.words.push_back({bytes.u64(at, "an instruction"), bytes.u64(at + 8, "an instruction")});
    for (const Symbol& symbol : cubin_.symbols)
      if (symbol.is_function && symbol.section == section.name) {
        code.functions.push_back(symbol);
        code.is_entry |= symbol.is_entry;
      }
    std::stable_sort(code.functions.begin(), code.functions.end(), [&](const Symbol& a, const Symbol& b) {
      return std::pair(a.value, a.name != code.name) < std::pair(b.value, b.name != code.name);
    });
    code.relocations = relocations(section);
    if (const std::uint32_t registers = section.info >> 24; registers != 0)
      code.info_registers = code.registers = registers;
    if (const ElfSection* const shared = elf_.find(".nv.shared." + code.name))
      code.shared_bytes = shared->size;
    if (const ElfSection* const bank0 = elf_.find(".nv.constant0." + code.name))
      code.bank0_bytes = code.parameter_base = bank0->size;  // without parameters they would begin at its end
    code.bank2 = data_section(".nv.constant2." + code.name);
    cubin_.code.push_back(std::move(code));
  }

  [[nodiscard]] std::vector<Relocation> relocations(const ElfSection& section) const {
    std::vector<Relocation> all;
    for (const ElfRelocation& each : elf_.relocations_of(section)) {
      const ElfSymbol& symbol = elf_.symbols()[each.symbol];
      const bool is_section = symbol.type == ElfSymbol::kSection && symbol.section < elf_.sections().size();
      all.push_back({each.offset, each.type, is_section ? elf_.sections()[symbol.section].name : symbol.name,
                     each.addend, each.has_addend});
    }
    return all;
  }

  [[nodiscard]] std::optional<DataSection> data_section(const std::string& name) const {
    const ElfSection* const section = elf_.find(name);
    if (section == nullptr) return std::nullopt;
    const auto bytes = elf_.data(*section).all();
    return DataSection{
        name, {bytes.begin(), bytes.end()}, section->size, section->align, relocations(*section)};
  }

  void read_attributes() {
    if (const ElfSection* const section = elf_.find(".nv.info")) read_file_attributes(elf_.data(*section));
    for (CodeSection& code : cubin_.code)
      if (const ElfSection* const section = elf_.find(".nv.info." + code.name))
        read_attributes(code, elf_.data(*section));
  }

  void read_file_attributes(const Bytes& section) {
    for (const NvInfo& record : read_nv_info(section)) {
      if (!record.is(NvAttribute::kRegisterCount) && !record.is(NvAttribute::kFrameSize) &&
          !record.is(NvAttribute::kMinStackSize) && !record.is(NvAttribute::kMaxStackSize))
        continue;
      const std::uint32_t symbol = record.bytes.u32(0, "an attribute's symbol");
      const std::uint32_t value = record.bytes.u32(4, "an attribute's value");
      if (symbol >= cubin_.symbols.size())
        section.fail(fmt::format("an attribute names symbol {}, of {}", symbol, cubin_.symbols.size()));
      const auto code = std::find_if(cubin_.code.begin(), cubin_.code.end(), [&](const CodeSection& each) {
        return each.name == cubin_.symbols[symbol].name;
      });
      if (code == cubin_.code.end()) continue;  // of a function inside of a kernel
      if (record.is(NvAttribute::kRegisterCount)) code->registers = value;
      if (record.is(NvAttribute::kFrameSize)) code->frame_bytes = value;
      if (record.is(NvAttribute::kMinStackSize) || record.is(NvAttribute::kMaxStackSize))
        code->stack_bytes = std::max(code->stack_bytes, value);
    }
  }

  static void read_attributes(CodeSection& code, const Bytes& section) {
    for (const NvInfo& record : read_nv_info(section)) {
      const Bytes& bytes = record.bytes;
      if (record.is(NvAttribute::kParamBank)) {
        code.parameter_base = bytes.u16(4, "the place of the parameters");
        code.parameter_bytes = bytes.u16(6, "the place of the parameters");
      } else if (record.is(NvAttribute::kParamInfo)) {
        code.parameters.push_back(
            {bytes.u16(4, "a parameter"), bytes.u16(6, "a parameter"), bytes.u32(8, "a parameter") >> 18});
      } else if (record.is(NvAttribute::kLargeParamInfo)) {
        code.parameters.push_back(
            {bytes.u16(4, "a parameter"), bytes.u16(6, "a parameter"), bytes.u32(8, "a parameter")});
      } else if (record.is(NvAttribute::kMaxThreads)) {
        code.max_threads = three(bytes);
      } else if (record.is(NvAttribute::kRequiredThreads)) {
        code.required_threads = three(bytes);
      } else if (record.is(NvAttribute::kClusterShape)) {
        const auto shape = three(bytes);
        code.cluster_ctas = std::uint64_t{shape[0]} * shape[1] * shape[2];
      } else if (record.is(NvAttribute::kExitOffsets)) {
        code.exit_offsets = list(bytes);
      } else if (record.is(NvAttribute::kBarriers)) {
        code.barriers = record.value;
      } else if (record.is(NvAttribute::kIndirectTargets)) {
        read_targets(code, bytes);
      }
    }
    std::stable_sort(code.parameters.begin(), code.parameters.end(),
                     [](const Parameter& a, const Parameter& b) { return a.ordinal < b.ordinal; });
    for (const Parameter& parameter : code.parameters)
      if (parameter.offset + std::uint64_t{parameter.size} > code.parameter_bytes)
        section.fail(
            fmt::format("parameter {} with {} bytes at {} lies outside of the {} bytes of parameters",
                        parameter.ordinal, parameter.size, parameter.offset, code.parameter_bytes));
  }

  static void read_targets(CodeSection& code, const Bytes& bytes) {
    for (std::uint64_t at = 0; at < bytes.size();) {
      CodeSection::IndirectBranch branch{bytes.u32(at, "an indirect branch"), {}};
      const std::uint32_t count = bytes.u32(at + 8, "an indirect branch");
      branch.targets =
          list(bytes.piece(at + 12, std::uint64_t{count} * 4, "the targets of an indirect branch"));
      code.indirect_branches.push_back(std::move(branch));
      at += 12 + std::uint64_t{count} * 4;
    }
  }

  Elf elf_;
  Cubin cubin_;
};

}  // namespace

const CodeSection* Cubin::find(std::string_view kernel) const {
  const auto found =
      std::find_if(code.begin(), code.end(), [&](const CodeSection& each) { return each.name == kernel; });
  return found == code.end() ? nullptr : &*found;
}

std::optional<Arch> Cubin::arch() const {
  if (sm == 75) return Arch::kSm75;
  if (sm == 90) return Arch::kSm90;
  return std::nullopt;
}

Cubin read_cubin(std::span<const std::byte> bytes, const std::string& name) {
  return CubinReader(bytes, name).read();
}

std::vector<Instruction> decode_section(const Cubin& cubin, const CodeSection& code) {
  const std::optional<Arch> arch = cubin.arch();
  if (!arch)
    throw base::InputError(cubin.name, fmt::format("this cubin is for sm_{}", cubin.sm),
                           "Compile for sm_75 or sm_90: nvcc -cubin -arch=sm_75.");
  std::vector<Instruction> instructions;
  instructions.reserve(code.words.size());
  for (std::size_t i = 0; i < code.words.size(); ++i) {
    const Word word = code.words[i];
    Decoded decoded = decode(word, *arch);
    if (!decoded.instruction)
      throw base::InputError(
          fmt::format("{}, kernel {}", cubin.name, code.name),
          fmt::format("the instruction at {:#x} (word {:016x} {:016x}) cannot be decoded: {}",
                      i * kInstructionBytes, word.low, word.high, decoded.problem),
          "The module's other kernels can be used.");
    instructions.push_back(*decoded.instruction);
  }
  return instructions;
}

}  // namespace heddle::sass
