// The compiler's part in running MIMD-style kernels on SIMT hardware, as a step of loading a module (key
// core.compiler; mimd-simt-and-bows §7, §3.3). Kernels with `.pragma "heddle nossde";` and those of
// core.compiler_except stay as they are.
#pragma once

#include <memory>
#include <string>

#include "frontend/ptx/ast.h"
#include "frontend/ptx/decode/library.h"
#include "gpu/gpu_config.h"
#include "isa/kernel.h"

namespace heddle::gpu {

/// Parses a module; `ssde` changes its text first, without changing line numbers. Throws base::InputError if a
/// loop that may deadlock cannot be transformed.
[[nodiscard]] std::shared_ptr<const ptx::Module> compile_source(const std::string& text,
                                                                const std::string& name,
                                                                const GpuConfig& config,
                                                                const ptx::Library& library);

/// `delayed_reconvergence` gives the branches of the decoded kernels their later reconvergence points.
void compile_kernels(isa::Module& module, const ptx::Module& tree, const GpuConfig& config);

}  // namespace heddle::gpu
