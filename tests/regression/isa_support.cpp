#include "isa_support.h"

#include "cli/platform_files.h"
#include "gpu/gpu_device.h"
#include "sim/error.h"

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

gpu::GpuDevice& device() {
  // SystemC has one elaboration per process, and so one GPU.
  static gpu::GpuDevice gpu(cli::load_platform("tiny", {}), {});
  return gpu;
}

}  // namespace

std::vector<std::uint32_t> run(const Fragment& fragment) {
  const auto module = device().load_ptx_text(fragment_text(fragment), "fragment.ptx");
  const std::uint64_t out = device().allocate(fragment.words * 4, "out");
  host::Args args;
  args.add(out);
  device().launch(module, "k", fragment.shape, args);
  auto words = device().download<std::uint32_t>(out, fragment.words);
  device().free(out);
  return words;
}

std::string fault_of(const Fragment& fragment) {
  try {
    static_cast<void>(run(fragment));
  } catch (const sim::Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace heddle::testing
