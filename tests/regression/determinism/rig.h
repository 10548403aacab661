// Runs kernels on a small deterministic GPU, each in a process of its own, and tells of memory, quanta and statistics.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "determinism/quantum_sequencer.h"
#include "gpu/gpu_device.h"

namespace heddle::testing {

using Json = nlohmann::ordered_json;
using Settings = std::vector<std::string>;

/// Everything with a seed perturbed; then `more`.
[[nodiscard]] Settings perturbed(unsigned seed, const Settings& more = {});

/// What is done with the device; may add to the result.
using Program = std::function<void(gpu::GpuDevice& device, Json& result)>;

/// Of the GPU, beside its settings.
struct Extras {
  std::vector<core::CoreExtensionFactory> core_extensions{};
  std::uint64_t shuffle = 0;  ///< gpu::RunOptions::shuffle_modules
  bool watch_memory = false;  ///< of each quantum; takes time, so that it is a perturbation itself
};

/// `settings`: over those of platform tiny with determinism.enabled. The result has
///   "quanta": by quantum {"waves": {"core.slot": [count, reason]}, "started": [[core, slot, cta]], "digest": of the states
///             of all wavefronts and of what they have stored, "path": the same without what the time of fences
///             decides, and of all instructions in order, "logs": of what was committed, "serial": [[core, slot, pc]]
///             in order of time, and if memory is watched "committed", "serial_done": digests of it}, of the last launch
///   "statistics", "cycles": of the last launch
///   "errors": if something was thrown
[[nodiscard]] Json run(const Settings& settings, const Program& program, const Extras& extras = {});

/// The counts and reasons of a quantum's wavefronts, in order of core and slot: "51 barrier, 81 barrier".
[[nodiscard]] std::string waves_of(const Json& result, std::size_t quantum);
[[nodiscard]] std::size_t quanta_of(const Json& result);

/// PTX of a kernel `test` with the parameters `a`, `b`, `c` (addresses; %a, %b, %c) and the registers %r0 ... %r15, %d0 ...
/// %d7, %p0 ... %p7; %t: the thread in its CTA, %w: its warp.
[[nodiscard]] std::string kernel_text(const std::string& body, const std::string& declarations = "");
/// Instructions that kernel_text() puts in front of the body.
inline constexpr std::uint32_t kPrologue = 5;
/// `count` instructions that do nothing of interest.
[[nodiscard]] std::string filler(std::uint32_t count);

/// Launches it with three buffers of `bytes` each, which are zero but for `initial` (of the first), and puts them into the
/// result as "a", "b", "c": words.
void launch(gpu::GpuDevice& device, Json& result, const std::string& ptx, std::uint32_t ctas,
            std::uint32_t threads, const std::vector<std::uint32_t>& initial = {},
            std::uint64_t bytes = 2048);
/// run() of kernel_text(body) and launch().
[[nodiscard]] Json run_body(const Settings& settings, const std::string& body, std::uint32_t ctas,
                            std::uint32_t threads, const std::vector<std::uint32_t>& initial = {},
                            const Extras& extras = {});

}  // namespace heddle::testing
