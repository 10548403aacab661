// Values of machine code: every row of the table of forms, and every code of each of its modifiers, has a test with values or is refused by name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <tuple>

#include "base/error.h"
#include "frontend/sass/cubin.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/print.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"
#include "regression/code_values/code_case.h"
#include "unit/sass/assembler.h"
#include "unit/sass/data.h"
#include "unit/sass/lane_cases.h"

namespace heddle::code_values {
namespace {

std::vector<CodeCase> all_cases() {
  std::vector<CodeCase> all;
  for (const auto& group : {load_cases(), store_cases(), fence_cases(), atomic_cases(), control_cases(),
                            async_cases(), texture_cases(), surface_cases()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

void expect_values(host::Device& device, const char* what, std::span<const CodeCase> cases) {
  for (const CodeCase& of : cases) {
    try {
      const std::vector<std::string> wrong = differences(device, of);
      EXPECT_TRUE(wrong.empty()) << of.code << " on " << what << ": "
                                 << fmt::format("{}", fmt::join(wrong, "; ")).substr(0, 200);
    } catch (const std::exception& error) {  // nothing can run after a fault
      FAIL() << of.code << " on " << what << ": " << error.what();
    }
  }
}

std::vector<std::string> hanoi() {
  return {"core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.barrier_registers=32",
          "core.control_flow.hanoi.private_registers=16", "core.control_flow.hanoi.profile=barriers"};
}

TEST(CodeValues, OnTheModel) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", hanoi()), {});
  expect_values(gpu, "the model", all_cases());
}
TEST(CodeValues, OnTheOracle) {
  oracle::OracleDevice oracle;
  expect_values(oracle, "the oracle", all_cases());
}

void expect_refused(host::Device& device, const Refusal& of, const char* why) {
  const std::string bytes = module_of(of.arch, sass::assemble_lines(of.arch, of.code));
  const host::ModuleHandle module = device.load_module(std::as_bytes(std::span(bytes)), "case.cubin");
  try {
    static_cast<void>(device.kernel(module, "k"));
    ADD_FAILURE() << of.code << " is not refused";
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string_view(error.what()).find(why), std::string_view::npos) << error.what();
  }
  device.unload(module);
}

TEST(CodeValues, WhatIsRefusedIsRefusedByName) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
  oracle::OracleDevice oracle;
  for (const Refusal& of : refusals()) {
    SCOPED_TRACE(of.code);
    expect_refused(gpu, of, of.model);
    expect_refused(oracle, of, of.oracle);
  }
}

/// Forms, and codes of their modifiers.
struct Seen {
  std::set<const sass::Form*> forms;
  std::set<std::tuple<const sass::Form*, sass::Modifier, unsigned>> codes;

  void add(const sass::Instruction& instruction) {
    forms.insert(instruction.form);
    for (unsigned i = 0; i < sass::kMostModifiers; ++i)
      codes.insert({instruction.form, instruction.form->modifiers[i].id, instruction.modifiers[i]});
  }
  void add(sass::Word word, Arch arch) {
    if (const sass::Decoded decoded = sass::decode(word, arch); decoded.instruction)
      add(*decoded.instruction);
  }
};

/// Modules that tests execute and compare with the memory that their PTX leaves.
void add_modules(Seen& seen) {
  namespace fs = std::filesystem;
  for (const auto& file : fs::recursive_directory_iterator(HEDDLE_SOURCE_DIR "/tests/data/sass")) {
    if (file.path().extension() != ".cubin") continue;
    const std::string stem = file.path().stem();
    if (stem == "lines" || stem == "chains") continue;
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    const sass::Cubin cubin = sass::read_cubin(std::as_bytes(std::span(bytes)), stem);
    for (const sass::CodeSection& section : cubin.code)
      for (const sass::Word& word : section.words) seen.add(word, *cubin.arch());
  }
}

TEST(CodeValues, OfEveryFormWithEveryModifierAreTested) {
  Seen seen;
  for (const CodeCase& of : all_cases())
    for (const sass::Word& word : sass::assemble_lines(of.arch, of.code)) seen.add(word, of.arch);
  for (const Refusal& of : refusals())
    for (const sass::Word& word : sass::assemble_lines(of.arch, of.code)) seen.add(word, of.arch);
  add_modules(seen);
  std::size_t missing = 0, codes = 0;
  for (const auto group :
       {sass::uniform_forms(), sass::move_forms(), sass::memory_forms(), sass::atomic_forms(),
        sass::control_forms(), sass::matrix_forms(), sass::async_forms(), sass::texture_forms()})
    for (const sass::Form& form : group) {
      // Of these the others are operations of lanes alone: tests/unit/sass/lane_test.cpp.
      const bool of_lanes =
          group.data() == sass::uniform_forms().data() || group.data() == sass::move_forms().data();
      if (of_lanes && form.op != sass::Opcode::kUldc && form.op != sass::Opcode::kB2r) continue;
      const auto report = [&](bool has, const std::string& what) {
        ++codes;
        if (has) return;
        ++missing;
        ADD_FAILURE() << fmt::format("{:#x} {} of {}: no test has {}", form.code, form.name,
                                     form.archs == sass::k75   ? "sm_75"
                                     : form.archs == sass::k90 ? "sm_90"
                                                               : "both",
                                     what);
      };
      report(seen.forms.contains(&form), "it");
      if (!seen.forms.contains(&form)) continue;
      for (const sass::ModifierSpec& modifier : form.modifiers)
        for (unsigned code = 0; code < modifier.names.count; ++code)
          if (modifier.id != sass::Modifier::kNone && modifier.names.text[code] != nullptr)
            report(seen.codes.contains({&form, modifier.id, code}),
                   fmt::format("{} {} '{}'", name_of(modifier.id), code, modifier.names.text[code]));
    }
  EXPECT_EQ(missing, 0u) << "of " << codes;
}

}  // namespace
}  // namespace heddle::code_values
