// What ptxas' own code says of the cycles that the check of hazards asks for (core/issue/counted_cycles.h): no pair of words of a
// committed cubin stands closer together, and many stand as close as that.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "core/issue/counted_cycles.h"
#include "frontend/sass/cubin.h"
#include "frontend/sass/lower/lower.h"
#include "frontend/sass/module_image.h"
#include "frontend/sass/placed_module.h"

namespace heddle::counted_cycles_test {
namespace {

using base::Cycle;
using isa::Instruction;

isa::Module module_of(const std::filesystem::path& cubin) {
  std::ifstream file(cubin, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::uint64_t end = std::uint64_t{1} << 16;  // nothing is there: it is only looked at
  return sass::lower(sass::place(sass::cubin_of(std::as_bytes(std::span(bytes)), cubin.filename().string()),
                                 [&end](const std::string&, std::uint64_t size, std::uint32_t align) {
                                   const std::uint64_t at = (end + align - 1) / align * align;
                                   end = at + size;
                                   return at;
                                 }));
}

template <class List>
bool holds(const List& list, unsigned count, isa::RegId reg) {
  const auto last = list.begin() + count;
  return std::find(list.begin(), last, reg) != last;
}

bool exclude_each_other(const Instruction& one, const Instruction& other) {
  return one.guard.present && other.guard.present && one.guard.reg == other.guard.reg &&
         one.guard.negated != other.guard.negated;
}

bool leaves(const Instruction& instruction) {
  using isa::Opcode;
  return !instruction.guard.present &&
         (instruction.op == Opcode::kExit || instruction.op == Opcode::kBranch ||
          instruction.op == Opcode::kReturn || instruction.op == Opcode::kIndirect ||
          instruction.op == Opcode::kCall);
}

struct Found {
  unsigned pairs = 0;
  std::set<std::tuple<bool, isa::CodePipe, isa::CodePipe>> closest;  ///< pairs of pipes that are met exactly
};

/// Each result of a counted word and its readers in the straight code behind it, before it is overwritten.
void look_at(const isa::Kernel& kernel, Found& found) {
  const auto& code = kernel.code;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!core::is_counted(code[i])) continue;
    for (unsigned w = 0; w < code[i].write_count; ++w) {
      const isa::RegId reg = code[i].writes[w];
      Cycle distance = 0;
      for (std::size_t j = i; j < code.size() && distance < core::kMostCounted; ++j) {
        const Instruction& reader = code[j];
        if (j != i && holds(reader.reads, reader.read_count, reg) && !exclude_each_other(code[i], reader)) {
          const Cycle needed = core::counted_cycles(code[i], reg, reader);
          EXPECT_GE(distance, needed) << kernel.name << ": " << kernel.source_line(base::Pc(i)) << "\n  to "
                                      << kernel.source_line(base::Pc(j));
          ++found.pairs;
          if (distance == needed)
            found.closest.emplace(reader.codes.turing != 0, code[i].codes.pipe, reader.codes.pipe);
        }
        if (j != i &&
            (leaves(reader) || (!reader.guard.present && holds(reader.writes, reader.write_count, reg))))
          break;
        distance += std::max<Cycle>(reader.codes.stall, reader.codes.yield != 0 ? 2 : 1);
      }
    }
  }
}

TEST(CountedCycles, AreNoMoreThanPtxasCounts) {
  Found found;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(HEDDLE_SOURCE_DIR "/tests/data/sass"))
    if (entry.path().extension() == ".cubin") {
      SCOPED_TRACE(entry.path().filename().string());
      for (const auto& kernel : module_of(entry.path()).kernels) look_at(*kernel, found);
    }
  EXPECT_GT(found.pairs, 10'000u);
  EXPECT_GT(found.closest.size(), 60u);
}

}  // namespace
}  // namespace heddle::counted_cycles_test
