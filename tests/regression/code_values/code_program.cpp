// A kernel around the words of a case: it loads registers and memory from a buffer and stores them into another one.
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>

#include "frontend/sass/decode.h"
#include "isa/texture_header.h"
#include "regression/code_values/code_case.h"
#include "unit/sass/assembler.h"
#include "unit/sass/elf_writer.h"

namespace heddle::code_values {
namespace {

using sass::Blob;
using sass::CaseValues;
using sass::Word;

constexpr std::uint32_t kGlobalBytes = 256, kSharedBytes = 256, kLocalBytes = 64;

/// Registers of the code around the case.
enum : unsigned { kByteOfThread = 248, kThread = 250, kScratch = 251, kAddress = 252 };

Blob attribute(std::uint8_t id, const Blob& content) {
  Blob record;
  sass::put(record, 4, 1);
  sass::put(record, id, 1);
  sass::put(record, content.size(), 2);
  sass::put(record, content);
  return record;
}
Blob numbers(const std::vector<std::uint32_t>& values) {
  Blob blob;
  for (const std::uint32_t value : values) sass::put(blob, value, 4);
  return blob;
}

class Program {
 public:
  Program(Arch arch, unsigned threads) : arch_(arch), threads_(threads) {
    add("S2R@919 d={} 72:8=0x21", unsigned{kThread});
    add("IMAD.WIDE.U32@825 d={} a={} i=4", unsigned{kByteOfThread}, unsigned{kThread});
  }
  template <class... Values>
  void add(const char* line, const Values&... values) {
    words_.push_back(sass::assemble(arch_, fmt::format(fmt::runtime(line), values...)));
  }
  void add_case(const std::string& code) {
    for (const Word& word : sass::assemble_lines(arch_, code, words_.size())) {
      words_.push_back(word);
      const sass::Opcode op = sass::decode(word, arch_).instruction->op;
      if (op == sass::Opcode::kBrx || op == sass::Opcode::kBrxu) add_targets();
    }
  }
  /// The thread's own word of the buffer that a parameter points to.
  void use_buffer(unsigned parameter) {
    for (const unsigned half : {0u, 1u})
      add("MOV@a02 d={} 72:4=15 38:16={}", kAddress + half, parameters_at(arch_) + 8 * parameter + 4 * half);
    add("IMAD.WIDE.U32@825 d={0} a={1} i=4 c={0}", unsigned{kAddress}, unsigned{kThread});
  }
  void load(unsigned number, unsigned slot) {
    add("{} d={} a={} o={}", arch_ == Arch::kSm75 ? "LDG.E.SYS@381" : "LDG.E@381", number, unsigned{kAddress},
        slot * threads_ * 4);
  }
  void store(unsigned number, unsigned slot) {
    add("{} a={} b={} o={}", arch_ == Arch::kSm75 ? "STG.E.SYS@386" : "STG.E@386", unsigned{kAddress}, number,
        slot * threads_ * 4);
  }
  void meet() {
    if (threads_ > 32) add("BAR.SYNC@b1d");
  }
  /// What `name` says, from the word in the scratch register.
  void set(const std::string& name) {
    const auto [kind, number] = parts(name);
    if (kind == "P")
      add("ISETP.NE.U32.AND@20c 81:3={} a={} b=255", number, unsigned{kScratch});
    else if (kind == "L")
      add("STL@387 b={} o={}", unsigned{kScratch}, number);
    else
      add("{} 16:6={} a={}", arch_ == Arch::kSm75 ? "R2UR@3c2" : "R2UR@2ca", kind == "UP" ? 62 : number,
          unsigned{kScratch});
    if (kind == "UP") add("UISETP.NE.U32.AND@28c 81:3={} 24:6=62 32:6=63", number);
  }
  /// ... and into it.
  void get(const std::string& name) {
    const auto [kind, number] = parts(name);
    if (kind == "P")
      add("SEL@807 d={} i=1 87:3={} 90=1", unsigned{kScratch}, number);
    else if (kind == "L")
      add("LDL@983 d={} o={}", unsigned{kScratch}, number);
    else
      add("MOV@c02 d={} 32:6={} 91=1 72:4=15", unsigned{kScratch}, number);
  }
  [[nodiscard]] static std::pair<std::string, unsigned> parts(const std::string& name) {
    const std::size_t digits = name.find_first_of("0123456789");
    return {name.substr(0, digits), static_cast<unsigned>(std::stoul(name.substr(digits)))};
  }
  [[nodiscard]] unsigned shared_rounds() const { return kSharedBytes / 4 / threads_; }
  [[nodiscard]] const std::vector<Word>& words() const { return words_; }
  [[nodiscard]] const std::vector<std::uint32_t>& targets() const { return targets_; }

 private:
  /// The last word may go to the four that follow: a record of EIATTR_INDIRECT_BRANCH_TARGETS.
  void add_targets() {
    constexpr std::uint32_t kCount = 4, kBytes = sass::kInstructionBytes;
    const auto next = static_cast<std::uint32_t>(words_.size()) * kBytes;
    targets_.insert(targets_.end(), {next - kBytes, 0, kCount});
    for (std::uint32_t i = 0; i < kCount; ++i) targets_.push_back(next + i * kBytes);
  }

  Arch arch_;
  unsigned threads_;
  std::vector<Word> words_;
  std::vector<std::uint32_t> targets_;
};

/// The object's header without a base, and its texels.
std::pair<isa::TextureHeader, std::vector<std::uint32_t>> object_of(const std::string& name) {
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  isa::TextureHeader header;
  header.channels = 4;
  header.kind = isa::ChannelKind::kUnsigned;
  header.surface = has("surface");
  header.layered = has("ARRAY");
  header.cube = has("CUBE");
  header.dimensions = has("1D") ? 1 : has("3D") ? 3 : 2;
  header.width = 4;
  header.height = header.dimensions == 1 ? 1 : 4;
  header.depth = (header.dimensions == 3 ? 4 : header.layered != 0 ? 3 : 1) * (header.cube != 0 ? 6 : 1);
  std::vector<std::uint32_t> texels(isa::lay_out_array(header, false) / 4);
  for (unsigned i = 0; i < texels.size(); ++i)
    texels[i] = texel(i / 4 % 4, i / 16 % header.height, i / 16 / header.height, i % 4);
  return {header, texels};
}

/// Words of a memory by name: "G8=1,2" are those at 8 and 12.
void write_words(std::vector<std::uint32_t>& memory, const std::string& name, const CaseValues& values) {
  const unsigned at = Program::parts(name).second / 4;
  for (unsigned i = 0; i < values.size(); ++i) memory.at(at + i) = static_cast<std::uint32_t>(values[i]);
}

}  // namespace

std::string module_of(Arch arch, const std::vector<Word>& words,
                      const std::vector<std::uint32_t>& branch_targets) {
  const bool of75 = arch == Arch::kSm75;
  const std::uint32_t base = parameters_at(arch), bytes_of_parameters = 32;
  sass::ElfWriter elf(190, of75 ? 0x06004b04 : 0x06005a04, 8);
  Blob code;
  std::vector<Word> all = words;
  all.push_back(sass::assemble(arch, "EXIT@94d"));
  for (const Word& word : all) {
    sass::put(code, word.low, 8);
    sass::put(code, word.high, 8);
  }
  const unsigned text = elf.add(".text.k", 1, code, 0, 255u << 24);
  Blob names;
  sass::put(names, "");
  sass::put(names, "k");
  const unsigned strings = elf.add(".strtab", 3, names);
  Blob symbols = sass::ElfWriter::symbol(0, 0, 0, 0, 0, 0);
  sass::put(symbols,
            sass::ElfWriter::symbol(1, 0x12, 0x10, static_cast<std::uint16_t>(text), 0, code.size()));
  elf.add(".symtab", 2, symbols, strings);
  Blob info = attribute(0x2f, numbers({1, 255}));
  sass::put(info, attribute(0x11, numbers({1, kLocalBytes})));
  elf.add(".nv.info", 0x70000000, info);
  Blob kernel_info = attribute(0x0a, numbers({1, base | bytes_of_parameters << 16}));
  for (std::uint32_t i = 0; i < 3; ++i)
    sass::put(kernel_info,
              attribute(0x17, numbers({0, i | i * 8 << 16, (i < 2 ? 8u : 16u) << 18 | 0x1f000})));
  if (!branch_targets.empty()) sass::put(kernel_info, attribute(0x34, numbers(branch_targets)));
  elf.add(".nv.info.k", 0x70000000, kernel_info);
  elf.add(".nv.constant0.k", 1, Blob(base + bytes_of_parameters));
  elf.add(".nv.shared.k", 1, Blob(kSharedBase + kSharedBytes));
  const Blob bytes = elf.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> differences(host::Device& device, const CodeCase& of) {
  const unsigned threads = of.threads;
  const std::uint64_t global = device.allocate(kGlobalBytes, "G");
  auto [header, texels] = object_of(of.object);
  header.base = device.upload(texels, "texels");
  const std::uint64_t handle = device.upload(std::vector{header}, "object");
  const sass::CaseSymbols symbols{
      {"G", global}, {"SH", isa::kSharedWindowBase}, {"LO", isa::kLocalWindowBase}, {"T", handle}};
  std::vector<std::uint32_t> memory(kGlobalBytes / 4), shared(kSharedBytes / 4);
  std::map<std::string, CaseValues> old, expected;
  for (const auto& [name, values] : sass::case_assignments(of.before, symbols)) {
    if (name.front() == 'G')
      write_words(memory, name, values);
    else if (name.front() == 'S')
      write_words(shared, name, values);
    else
      old[name] = values;
  }
  std::vector<std::uint32_t> memory_then = memory, shared_then = shared;
  for (const auto& [name, values] : sass::case_assignments(of.after, symbols)) {
    if (name.front() == 'G') {
      write_words(memory_then, name, values);
    } else if (name.front() == 'S') {
      write_words(shared_then, name, values);
    } else if (name.front() == 'T') {
      write_words(texels, name, values);
    } else {
      expected[name] = values;
      if (!old.contains(name)) old[name] = {name.front() == 'P' ? 1u : 0xdead'beefu};
    }
  }

  Program program(of.arch, threads);
  std::vector<std::uint32_t> in;
  const auto give = [&](const CaseValues& values) {
    for (unsigned i = 0; i < threads; ++i)
      in.push_back(static_cast<std::uint32_t>(values.at(i % values.size())));
    return static_cast<unsigned>(in.size() / threads - 1);
  };
  program.use_buffer(0);
  for (unsigned round = 0; round < program.shared_rounds(); ++round) {
    program.load(kScratch, give({shared.begin() + round * threads, shared.begin() + (round + 1) * threads}));
    program.add("STS@388 a={} b={} o={}", unsigned{kByteOfThread}, unsigned{kScratch},
                kSharedBase + round * threads * 4);
  }
  for (const auto& [name, values] : old) {
    const bool is_register = name.front() == 'R';
    program.load(is_register ? Program::parts(name).second : unsigned{kScratch}, give(values));
    if (!is_register) program.set(name);
  }
  program.meet();
  program.add_case(of.code);
  program.use_buffer(1);
  unsigned slots = 0;
  for (const auto& [name, values] : expected)
    if (name.front() == 'R') program.store(Program::parts(name).second, slots++);
  for (const auto& [name, values] : expected) {
    if (name.front() == 'R') continue;
    program.get(name);
    program.store(kScratch, slots++);
  }
  program.meet();
  for (unsigned round = 0; round < program.shared_rounds(); ++round) {
    program.add("LDS@984 d={} a={} o={}", unsigned{kScratch}, unsigned{kByteOfThread},
                kSharedBase + round * threads * 4);
    program.store(kScratch, slots++);
  }

  const std::string bytes = module_of(of.arch, program.words(), program.targets());
  const host::ModuleHandle module = device.load_module(std::as_bytes(std::span(bytes)), "case.cubin");
  const std::uint64_t from = device.upload(in, "in");
  const std::uint64_t to = device.allocate(std::uint64_t{slots} * threads * 4, "out");
  device.write(global, std::as_bytes(std::span(memory)));
  auto constants = kConstants;
  if (!of.object.empty()) constants.back() = static_cast<std::uint32_t>(handle);
  device.launch(module, "k", {{1, 1, 1}, {threads, 1, 1}, 0}, host::Args().add(from).add(to).add(constants));
  const auto out = device.download<std::uint32_t>(to, std::size_t{slots} * threads);
  const auto memory_found = device.download<std::uint32_t>(global, memory.size());
  const auto texels_found = device.download<std::uint32_t>(header.base, texels.size());
  device.unload(module);
  for (const std::uint64_t each : {from, to, global, handle, header.base}) device.free(each);

  std::vector<std::string> wrong;
  const auto compare = [&](const std::string& where, std::uint32_t found, std::uint64_t right) {
    if (found != static_cast<std::uint32_t>(right))
      wrong.push_back(fmt::format("{} is {:#x}, not {:#x}", where, found, static_cast<std::uint32_t>(right)));
  };
  std::size_t at = 0;
  const auto compare_slot = [&](const std::string& name, const CaseValues& values) {
    for (unsigned i = 0; i < threads; ++i)
      compare(fmt::format("{} of thread {}", name, i), out[at + i], values[i % values.size()]);
    at += threads;
  };
  for (const bool registers : {true, false})
    for (const auto& [name, values] : expected)
      if ((name.front() == 'R') == registers) compare_slot(name, values);
  for (std::size_t i = 0; i < shared_then.size(); ++i)
    compare(fmt::format("S{}", 4 * i), out[at + i], shared_then[i]);
  for (std::size_t i = 0; i < memory_then.size(); ++i)
    compare(fmt::format("G{}", 4 * i), memory_found[i], memory_then[i]);
  for (std::size_t i = 0; i < texels.size(); ++i)
    compare(fmt::format("T{}", 4 * i), texels_found[i], texels[i]);
  return wrong;
}

}  // namespace heddle::code_values
