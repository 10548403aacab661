#include "frontend/sass/placed_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/error.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/driver_functions.h"

namespace heddle::sass {
namespace {

constexpr std::string_view kTextPrefix = ".text.";
constexpr Word kNopWord{0x0000'0000'0000'7918, 0x000f'c000'0000'0000};
constexpr Field kImmediate{32, 32};
constexpr std::uint64_t kFunctions = 0x7000'0000, kFunctionUnit = 16;
constexpr std::uint64_t kNoConstants = 0xffff'fffe'0000'0000;
constexpr Field kOperation{0, 12};
constexpr std::uint64_t kCallAbsolute = 0x343, kCallRelative = 0x344;  // of an address in registers
constexpr Field kCallTarget75{34, 48};
constexpr Field kCallTarget90{16, 8, 34, 48};

[[noreturn]] void fail(const std::string& where, const std::string& problem) {
  throw base::InputError(where, problem, "link the module completely: nvcc without -rdc, or nvlink");
}

std::uint64_t read_number(const std::vector<std::byte>& bytes, std::uint64_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Of ATOM, ATOMG, ATOMS and their CAS, on 128 bits.
bool is_wide_atomic(const Word& word) {
  constexpr std::array<std::uint64_t, 8> kAtomics{0x38a, 0x38b, 0x38c, 0x38d, 0x3a9, 0x98a, 0x98c, 0x9a8};
  constexpr Field kType{73, 3};
  constexpr std::uint64_t k128 = 4;
  return word.get(kType) == k128 && std::ranges::find(kAtomics, word.get(kOperation)) != kAtomics.end();
}

class Placement {
 public:
  Placement(Cubin cubin, const Allocate& allocate) : allocate_(allocate) { placed_.cubin = std::move(cubin); }

  PlacedModule run() {
    allocate_sections();
    name_variables();
    name_functions();
    list_missing();
    // Contents after addresses: initial values and banks hold addresses of each other.
    for (const DataSection& section : placed_.cubin.globals) {
      PlacedBlock& block = placed_.blocks[block_of_.at(section.name)];
      block.bytes = section.bytes;
      relocate(section, block.bytes, nullptr);
    }
    fill_bank(placed_.cubin.bank3, placed_.bank3, nullptr);
    fill_bank(placed_.cubin.bank4, placed_.bank4, nullptr);
    for (std::size_t i = 0; i < placed_.cubin.code.size(); ++i)
      if (placed_.cubin.code[i].is_entry) add_kernel(i);
    return std::move(placed_);
  }

 private:
  [[nodiscard]] const Cubin& cubin() const { return placed_.cubin; }

  std::uint64_t allocate_block(const DataSection& section, const std::string& what, bool constant) {
    PlacedBlock block;
    block.name = what;
    block.constant = constant;
    block.size = section.size;
    block.address = allocate_(what, std::max<std::uint64_t>(section.size, 1),
                              static_cast<std::uint32_t>(std::max<std::uint64_t>(section.align, 16)));
    block_of_.emplace(section.name, placed_.blocks.size());
    placed_.blocks.push_back(std::move(block));
    return placed_.blocks.back().address;
  }

  void allocate_sections() {
    for (const DataSection& section : cubin().globals)
      allocate_block(section, "variables of " + cubin().name + " (" + section.name + ")", false);
    const auto bank = [&](const std::optional<DataSection>& section, PlacedBank& out, const char* what) {
      if (section) out.address = allocate_block(*section, std::string(what) + " of " + cubin().name, true);
    };
    bank(cubin().bank3, placed_.bank3, "__constant__ variables");
    // Code of linked modules takes 4 GiB from there on for constants: nothing else may be there.
    if (!cubin().bank3) placed_.bank3.address = kNoConstants;
    bank(cubin().bank4, placed_.bank4, "addresses of variables");
    DataSection lock;
    lock.name = "(lock)";
    lock.size = sizeof(std::uint32_t);
    const auto takes_lock = [](const CodeSection& code) {
      return std::ranges::any_of(code.words, is_wide_atomic);
    };
    if (cubin().arch() == Arch::kSm90 && std::ranges::any_of(cubin().code, takes_lock))
      placed_.atomic_lock = allocate_block(lock, "lock of atomics on 128 bits of " + cubin().name, false);
  }

  void name_variables() {
    for (const Symbol& symbol : cubin().symbols) {
      if (!symbol.is_object) continue;
      const bool constant = cubin().bank3 && symbol.section == cubin().bank3->name;
      const auto block = block_of_.find(symbol.section);
      if (block == block_of_.end()) continue;
      isa::GlobalVariable variable;
      variable.name = symbol.name;
      variable.space = constant ? isa::StateSpace::kConst : isa::StateSpace::kGlobal;
      variable.address = placed_.blocks[block->second].address + symbol.value;
      variable.bytes = symbol.size;
      placed_.variables.push_back(std::move(variable));
    }
  }

  [[nodiscard]] const Symbol* find_symbol(const std::string& name) const {
    const auto symbol = std::find_if(cubin().symbols.begin(), cubin().symbols.end(),
                                     [&](const Symbol& each) { return each.name == name; });
    return symbol == cubin().symbols.end() ? nullptr : &*symbol;
  }
  [[nodiscard]] std::optional<std::size_t> code_of(const std::string& section) const {
    if (section.starts_with(kTextPrefix))
      for (std::size_t i = 0; i < cubin().code.size(); ++i)
        if (cubin().code[i].name == section.substr(kTextPrefix.size())) return i;
    return std::nullopt;
  }

  static bool is_immediate(const Relocation& each) {
    return each.type == Relocation::kLow32 || each.type == Relocation::kHigh32;
  }

  /// All functions that a pointer may name. In code, a function's address with an offset is a return address.
  void name_functions() {
    const auto add = [&](const std::vector<Relocation>& relocations, bool code) {
      for (const Relocation& each : relocations) {
        const Symbol* const symbol = find_symbol(each.symbol);
        if (symbol == nullptr || !symbol->is_function || symbol->is_entry ||
            (code && (!is_immediate(each) || each.addend != 0)))
          continue;
        if (const auto section = code_of(symbol->section); section && !function(each.symbol))
          placed_.functions.push_back(
              {symbol->name, *section, symbol->value, kFunctions + placed_.functions.size() * kFunctionUnit});
      }
    };
    for (const DataSection& section : cubin().globals) add(section.relocations, false);
    for (const auto& bank : {cubin().bank3, cubin().bank4})
      if (bank) add(bank->relocations, false);
    for (const CodeSection& code : cubin().code) add(code.relocations, true);
  }
  [[nodiscard]] std::optional<std::uint64_t> function(const std::string& name) const {
    for (const PlacedFunction& each : placed_.functions)
      if (each.name == name) return each.address;
    return std::nullopt;
  }

  /// S: the address of a symbol or a section. Constants are offsets in their bank.
  [[nodiscard]] std::uint64_t address_of(const std::string& name, const PlacedKernel* kernel,
                                         const std::string& where) const {
    const Symbol* const symbol = find_symbol(name);
    const std::string& section = symbol != nullptr ? symbol->section : name;
    const std::uint64_t value = symbol != nullptr ? symbol->value : 0;
    if (const auto driver = of_driver(name)) return driver_address(*driver);
    if (kernel == nullptr)
      if (const auto address = function(name)) return *address;
    if (cubin().bank3 && section == cubin().bank3->name) return value;
    if (const auto block = block_of_.find(section); block != block_of_.end())
      return placed_.blocks[block->second].address + value;
    if (section.starts_with(kTextPrefix) && kernel != nullptr)
      for (const PlacedKernel::Part& part : kernel->parts)
        if (cubin().code[part.section].name == section.substr(kTextPrefix.size())) return part.first + value;
    fail(where, fmt::format("a relocation names '{}', which is not in the module", name));
  }

  /// Addresses of bank 4 that nobody has: functions of the driver that are not known here, and kernels. They refuse the kernels
  /// that read them.
  void list_missing() {
    if (!cubin().bank4) return;
    for (const Relocation& each : cubin().bank4->relocations) {
      const Symbol* const symbol = find_symbol(each.symbol);
      const bool unknown = symbol != nullptr && symbol->section.empty() && !driver_function(each.symbol);
      if (unknown || each.type == Relocation::kKernel64) missing_.emplace(each.offset, each);
    }
  }
  void refuse_missing(const PlacedKernel& kernel) const {
    constexpr unsigned kBank = 4, kAddressBytes = 8;
    const std::optional<Arch> arch = cubin().arch();
    if (missing_.empty() || !arch) return;
    for (std::size_t i = 0; i < kernel.words.size(); ++i) {
      const Decoded decoded = decode(kernel.words[i], *arch);
      if (!decoded.instruction) continue;
      for (const Operand& operand : decoded.instruction->operands()) {
        if (operand.kind != Operand::Kind::kConstant || operand.bank != kBank) continue;
        const auto at = static_cast<std::uint64_t>(operand.value);
        const auto found = missing_.find(at / kAddressBytes * kAddressBytes);
        if (found == missing_.end()) continue;
        const std::string where = fmt::format("{}, kernel {}, {:#x}", cubin().name,
                                              placed_.section_of(kernel).name, i * kInstructionBytes);
        if (found->second.type == Relocation::kKernel64) refuse_kernel_address(where, found->second.symbol);
        throw base::InputError(
            where,
            fmt::format("it takes the address of {}, which the module does not have", found->second.symbol),
            "Functions of the driver but printf, malloc, free and assert are not modelled: run the kernel's "
            "PTX "
            "instead. A variable or function of another file: link the module completely.");
      }
    }
  }
  [[noreturn]] static void refuse_kernel_address(const std::string& where, const std::string& kernel) {
    throw base::InputError(
        where, fmt::format("it takes the address of kernel {}, by which kernels launch it", kernel),
        "Of machine code, kernels that launch kernels are not executed: run the program's PTX instead.");
  }

  /// Of a function that the module does not have itself.
  [[nodiscard]] std::optional<std::size_t> of_driver(const std::string& name) const {
    const bool own = std::any_of(cubin().symbols.begin(), cubin().symbols.end(), [&](const Symbol& each) {
      return each.name == name && !each.section.empty();
    });
    return own ? std::nullopt : driver_function(name);
  }

  void relocate(const DataSection& section, std::vector<std::byte>& bytes, const PlacedKernel* kernel) const {
    const std::string where = fmt::format("{}, section {}", cubin().name, section.name);
    for (const Relocation& each : section.relocations) {
      if (cubin().bank4 && section.name == cubin().bank4->name && missing_.contains(each.offset)) continue;
      if (each.type == Relocation::kKernel64) refuse_kernel_address(where, each.symbol);
      if (each.type != Relocation::kAddress64 && each.type != Relocation::kGenericAddress64)
        fail(where, fmt::format("relocations of type {} are not known", each.type));
      if (bytes.size() < section.size) bytes.resize(section.size);
      if (each.offset > bytes.size() || bytes.size() - each.offset < 8)
        fail(where, fmt::format("a relocation at {:#x} lies behind the section's {} bytes", each.offset,
                                bytes.size()));
      const std::uint64_t addend =
          each.has_addend ? static_cast<std::uint64_t>(each.addend) : read_number(bytes, each.offset);
      const std::uint64_t value = address_of(each.symbol, kernel, where) + addend;
      std::memcpy(bytes.data() + each.offset, &value, sizeof value);
    }
  }

  void fill_bank(const std::optional<DataSection>& section, PlacedBank& bank, const PlacedKernel* kernel) {
    if (!section) return;
    bank.bytes = section->bytes;
    bank.bytes.resize(section->size);
    relocate(*section, bank.bytes, kernel);
    placed_.blocks[block_of_.at(section->name)].bytes = bank.bytes;
  }

  /// Sections of code that a kernel needs: its own, all that relocations of these name, and what calls through pointers may
  /// reach.
  [[nodiscard]] std::vector<std::size_t> sections_of(std::size_t kernel) const {
    std::vector<std::size_t> all{kernel};
    const auto add_section = [&](std::size_t section) {
      if (std::find(all.begin(), all.end(), section) == all.end()) all.push_back(section);
    };
    const auto add = [&](const std::vector<Relocation>& relocations) {
      for (const Relocation& each : relocations) {
        const Symbol* const symbol = find_symbol(each.symbol);
        if (const auto section = code_of(symbol == nullptr ? each.symbol : symbol->section))
          add_section(*section);
      }
    };
    const auto calls_pointers = [](const Word& word) {
      const std::uint64_t operation = word.get(kOperation);
      return operation == kCallAbsolute || operation == kCallRelative;
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      add(cubin().code[all[i]].relocations);
      if (std::ranges::any_of(cubin().code[all[i]].words, calls_pointers))
        for (const PlacedFunction& each : placed_.functions) add_section(each.section);
      if (i == 0 && cubin().code[kernel].bank2) add(cubin().code[kernel].bank2->relocations);
    }
    return all;
  }

  void add_kernel(std::size_t section) {
    const CodeSection& own = cubin().code[section];
    PlacedKernel kernel;
    try {
      if (own.cluster_ctas > 1)
        throw base::InputError(fmt::format("{}, kernel {}", cubin().name, own.name),
                               fmt::format("the kernel asks for clusters of {} CTAs", own.cluster_ctas),
                               "Clusters of several CTAs are not modelled: compile it without them "
                               "(__cluster_dims__, .reqnctapercluster).");
      for (const std::size_t each : sections_of(section)) {
        const CodeSection& code = cubin().code[each];
        const std::size_t align = std::max<std::uint64_t>(code.align / kInstructionBytes, 1);
        while (kernel.words.size() % align != 0) kernel.words.push_back(kNopWord);
        const std::uint64_t first = kernel.words.size() * kInstructionBytes;
        kernel.words.insert(kernel.words.end(), code.words.begin(), code.words.end());
        kernel.parts.push_back({each, first, kernel.words.size() * kInstructionBytes});
      }
      for (const PlacedKernel::Part& part : kernel.parts) relocate_code(kernel, part);
      refuse_missing(kernel);
      if (own.bank2) {
        kernel.bank2.address = allocate_block(*own.bank2, "constants of kernel " + own.name, true);
        fill_bank(own.bank2, kernel.bank2, &kernel);
      }
      placed_.kernels.push_back(std::move(kernel));
    } catch (const base::InputError& why) {
      placed_.refused.push_back({own.name, std::make_shared<const base::InputError>(why)});
    }
  }

  void relocate_code(PlacedKernel& kernel, const PlacedKernel::Part& part) const {
    const CodeSection& code = cubin().code[part.section];
    const std::string where = fmt::format("{}, kernel {}", cubin().name, code.name);
    for (const Relocation& each : code.relocations) {
      if (each.offset >= part.end - part.first)
        fail(where, fmt::format("a relocation at {:#x} lies behind the code", each.offset));
      Word& word = kernel.words[(part.first + each.offset) / kInstructionBytes];
      const bool immediate = is_immediate(each);
      const bool call = each.type == Relocation::kCall75 || each.type == Relocation::kCall90;
      if (!immediate && !call) fail(where, fmt::format("relocations of type {} are not known", each.type));
      const Field target = each.type == Relocation::kCall75 ? kCallTarget75 : kCallTarget90;
      const std::uint64_t held = call ? word.get(target) * 4 : word.get(kImmediate);
      const std::uint64_t addend = each.has_addend ? static_cast<std::uint64_t>(each.addend) : held;
      const PlacedKernel* const space = immediate && addend == 0 ? nullptr : &kernel;
      const std::uint64_t value = address_of(each.symbol, space, where) + addend;
      if (call)
        word.set(target, value / 4);
      else
        word.set(kImmediate, each.type == Relocation::kLow32 ? value & 0xffff'ffffu : value >> 32);
    }
  }

  const Allocate& allocate_;
  std::map<std::uint64_t, Relocation> missing_;  ///< by offset in bank 4
  PlacedModule placed_;
  std::map<std::string, std::size_t> block_of_;  ///< section name -> index in blocks
};

}  // namespace

std::uint32_t PlacedBank::word(std::uint64_t offset) const {
  std::uint32_t value = 0;
  if (offset < bytes.size())
    std::memcpy(&value, bytes.data() + offset, std::min<std::uint64_t>(sizeof value, bytes.size() - offset));
  return value;
}

PlacedModule place(Cubin cubin, const Allocate& allocate) {
  return Placement(std::move(cubin), allocate).run();
}

}  // namespace heddle::sass
