#include "isa_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/parser.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle::testing {

std::string fragment_text(const Fragment& fragment) {
  return ".version 9.0\n.target sm_75\n.address_size 64\n" + fragment.module +
         "\n.visible .entry k(.param .u64 out)\n{\n"
         ".reg .b32 %r<32>, %t; .reg .b64 %w<32>, %out, %mine; .reg .b16 %h<16>; .reg .f32 %f<16>; .reg "
         ".f64 %d<8>;\n"
         ".reg .pred %p<16>;\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\n"
         "mul.wide.u32 %mine, %t, 4; add.u64 %mine, %mine, %out;\n" +
         fragment.body + "\nret;\n}\n";
}

namespace {

struct Equipment {
  gpu::GpuDevice device{gpu::load_platform("tiny", {}), {}};
  bool simulates = true;
};

Equipment& equipment() {
  // SystemC has one elaboration per process, and so one GPU.
  static Equipment all;
  static const bool once = [] {
    all.device.simulate_only([](const std::string&) { return all.simulates; });
    return true;
  }();
  static_cast<void>(once);
  return all;
}
gpu::GpuDevice& device() { return equipment().device; }

std::vector<std::uint32_t> launch(const Fragment& fragment, host::ModuleHandle module) {
  const std::uint64_t out = device().allocate(fragment.words * 4, "out");
  host::Args args;
  args.add(out);
  device().launch(module, "k", fragment.shape, args);
  auto words = device().download<std::uint32_t>(out, fragment.words);
  device().free(out);
  return words;
}

/// The words of forms that have been run: form, word; the empty word stands for the form itself.
using Seen = std::set<std::pair<const ptx::CompiledForm*, std::string_view>>;
Seen& seen() {
  static Seen words;
  return words;
}

void note(const ptx::Instruction& instruction) {
  for (const ptx::CompiledForm& form : ptx::forms_of(instruction.opcode)) {
    ptx::Modifiers meaning;
    std::size_t misfit = 0;
    if (!form.match(instruction.modifiers, meaning, misfit)) continue;
    seen().emplace(&form, "");
    for (const ptx::Slot& slot : form.slots)
      for (const std::string_view word : slot.words)
        if (std::find(instruction.modifiers.begin(), instruction.modifiers.end(), word) !=
            instruction.modifiers.end())
          seen().emplace(&form, word);
    return;
  }
}
void note(const ptx::Block& block) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) note(*instruction);
    if (const auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&statement)) note(**inner);
  }
}

}  // namespace

FormCoverage form_coverage() {
  FormCoverage coverage;
  for (const std::string_view opcode : ptx::known_opcodes())
    for (const ptx::CompiledForm& form : ptx::forms_of(opcode)) {
      if (form.form.handler == ptx::decode_lane || form.form.handler == ptx::decode_cvt) continue;
      ++coverage.forms;
      const auto want = [&](std::string_view word) {
        ++coverage.words;
        if (!seen().contains({&form, word}))
          coverage.missing.push_back(
              std::string(opcode).append(" .").append(word).append(" of ").append(form.form.modifiers));
      };
      want("");
      for (const ptx::Slot& slot : form.slots)
        for (const std::string_view word : slot.words) want(word);
    }
  return coverage;
}
bool anything_ran() { return !seen().empty(); }

std::vector<std::uint32_t> run(const Fragment& fragment) {
  const std::string text = fragment_text(fragment);
  const ptx::Module parsed = ptx::parse_text(text, "fragment.ptx");
  for (const ptx::Function& function : parsed.functions) note(function.body);
  const auto module = device().load_ptx_text(text, "fragment.ptx");
  auto words = launch(fragment, module);
  if (!fragment.timed) {
    equipment().simulates = false;
    EXPECT_EQ(launch(fragment, module), words) << "without time\n" << text;
    equipment().simulates = true;
  }
  return words;
}

std::vector<std::uint32_t> on_oracle(const Fragment& fragment) {
  oracle::OracleDevice device;
  const auto module = device.load_ptx_text(fragment_text(fragment), "fragment.ptx");
  const std::uint64_t out = device.allocate(fragment.words * 4, "out");
  host::Args args;
  args.add(out);
  device.launch(module, "k", fragment.shape, args);
  return device.download<std::uint32_t>(out, fragment.words);
}

namespace {

template <class Run>
std::string error_of(Run run, const Fragment& fragment) {
  try {
    static_cast<void>(run(fragment));
  } catch (const base::Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

std::string fault_of(const Fragment& fragment) { return error_of(run, fragment); }
std::string oracle_fault_of(const Fragment& fragment) { return error_of(on_oracle, fragment); }

}  // namespace heddle::testing
