// The compiler as a step of loading a module: the passes that every kernel takes, and those with which MIMD-style
// kernels run on SIMT hardware (key core.compiler; mimd-simt-and-bows §7, §3.3). For these, kernels with `.pragma "heddle nossde";` and those of
// core.compiler_except stay as they are.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "compiler/pipeline.h"
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

/// A program's passes beside the usual ones.
using MorePasses = std::function<void(compiler::Pipeline&)>;

/// What decoding leaves to the compiler (compiler::Pipeline::standard), and delayed reconvergence points if
/// core.compiler asks for them.
void compile_kernels(isa::Module& module, const ptx::Module& tree, const GpuConfig& config,
                     const MorePasses& more_passes);

}  // namespace heddle::gpu
