// Compilation as a step of loading a module: the passes that every kernel goes through, and those that let
// MIMD-style kernels run on SIMT hardware (key core.compiler; [SSDE], [AWARE] §5.4.2). The latter skip
// kernels with `.pragma "heddle nossde";` and those named in core.compiler_except.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "compiler/pipeline.h"
#include "compiler/spill_registers.h"
#include "frontend/ptx/ast.h"
#include "frontend/ptx/decode/library.h"
#include "gpu/gpu_config.h"
#include "isa/kernel.h"

namespace heddle::gpu {

/// Parses a module, PTX or a listing (frontend/listing); `ssde` changes its text first, without changing line numbers. Throws base::InputError if a
/// loop that may deadlock cannot be transformed.
[[nodiscard]] std::shared_ptr<const ptx::Module> compile_source(const std::string& text,
                                                                const std::string& name,
                                                                const GpuConfig& config,
                                                                const ptx::Library& library);

/// A program's passes in addition to the standard ones.
using MorePasses = std::function<void(compiler::Pipeline&)>;

/// 32-bit registers that each thread can have where so many warps are resident on a core.
[[nodiscard]] std::uint32_t registers_for(const core::OccupancyConfig& room, std::uint64_t warps);

/// Runs compiler::Pipeline::standard(), spilling what exceeds the kernel's launch bounds (.maxnreg; .minnctapersm with
/// .maxntid or .reqntid) or `limit` registers per thread, delayed reconvergence if core.compiler selects it, and the placement of
/// convergence instructions (core.convergence).
void compile_kernels(isa::Module& module, const ptx::Module& tree, const GpuConfig& config,
                     const MorePasses& more_passes, std::uint32_t limit = compiler::SpillRegisters::kNoLimit);

/// The same for machine code: its own convergence instructions count, so none are placed. core.compiler=ssde, which changes
/// PTX text, is a base::InputError.
void compile_machine_code(isa::Module& module, const GpuConfig& config, const MorePasses& more_passes);

}  // namespace heddle::gpu
