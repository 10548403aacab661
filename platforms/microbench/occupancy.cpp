// Occupancy: how many CTAs a core holds at once, depending on their resources; measured as the number of CTAs
// with overlapping lifetimes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "microbench/session.h"
#include "microbench/suite.h"

namespace heddle::microbench::occupancy {
namespace {

struct Shape {
  std::uint32_t warps = 1;
  std::uint32_t registers = 0;  ///< values that every thread keeps live
  std::uint32_t shared_bytes = 0;
};

std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; }

/// The tightest of the four limits.
std::uint32_t expected_ctas(const gpu::GpuConfig& config, const Shape& shape,
                            std::uint32_t registers_per_thread) {
  constexpr std::uint32_t kSharedUnit =
      128;  // Fermi allocates shared memory in units of this size (core/cta/cta_slots.cpp)
  const core::OccupancyConfig& room = config.core.occupancy;
  const std::uint32_t registers =
      shape.warps * round_up(registers_per_thread * base::kLanes, room.register_unit);
  std::uint32_t count = std::min({room.max_ctas, room.max_warps / shape.warps, room.registers / registers});
  const core::SharedMemoryConfig& shared = config.core.shared_memory;
  const std::uint32_t shared_bytes =
      round_up(shape.shared_bytes, kSharedUnit) + shared.reserved_bytes_per_cta;
  if (shared_bytes != 0) count = std::min(count, shared.size_kib * 1024 / shared_bytes);
  return count;
}

/// Largest number of CTAs on a core whose lifetimes, from first to last clock, have an instant in common.
std::uint32_t most_at_once(const TimedRun& run, std::uint32_t warps_per_cta) {
  std::map<std::uint32_t, std::map<std::uint32_t, int>> changes_of_core;  // by cycle
  for (std::size_t w = 0; w < run.warps.size(); w += warps_per_cta) {
    const WarpRecord& warp = run.warps[w];
    ++changes_of_core[warp.core][warp.start];
    --changes_of_core[warp.core][warp.stop + 1];
  }
  int most = 0;
  for (const auto& [core, changes] : changes_of_core) {
    int now = 0;
    for (const auto& [cycle, change] : changes) most = std::max(most, now += change);
  }
  return static_cast<std::uint32_t>(most);
}

void measure(Session& session, const std::string& what, const Shape& shape, const std::string& keys) {
  constexpr std::uint32_t kLife = 2000;  // cycles; all CTAs of a core start within far less
  TimedKernel kernel("occupancy");
  kernel.use_shared(shape.shared_bytes);
  std::vector<std::string> values;
  for (std::uint32_t i = 0; i < shape.registers; ++i) {
    values.push_back(kernel.reg("b32"));
    kernel.line("add.u32 {}, {}, {}", values.back(), kernel.lane(), i);
  }
  const std::string passed = kernel.reg("b32"), more = kernel.reg("pred"), loop = kernel.label();
  const std::string sum = kernel.reg("b32");
  const std::string idle = kernel.reg("b32"), somewhere = kernel.parameter("u64");
  kernel.start_clock();
  kernel.place(loop);
  // Loads from L2 take long: many warps wait at little cost to the host, and no scheduling policy starves
  // other warps in favour of one that waits for memory.
  kernel.line("ld.global.cg.u32 {}, [{}]", idle, somewhere);
  kernel.stop_clock();
  kernel.line("or.b32 {0}, {0}, 1", idle);  // waits
  kernel.line("sub.u32 {}, {}, {}", passed, kernel.stop_register(), kernel.start_register());
  kernel.line("setp.lt.u32 {}, {}, {}", more, passed, kLife);
  kernel.line("@{} bra {}", more, loop);
  kernel.line("mov.u32 {}, 0", sum);
  for (const std::string& value : values) kernel.line("add.u32 {0}, {0}, {1}", sum, value);
  kernel.keep(sum);

  const gpu::GpuConfig& config = session.config();
  const core::OccupancyConfig& room = config.core.occupancy;
  const std::uint32_t ctas = config.cores * (std::min(room.max_ctas, room.max_warps / shape.warps) + 1);
  const std::uint64_t word = session.device().allocate(4, "occupancy");
  const LoadedKernel loaded = session.load(kernel);
  const TimedRun run = session.run(loaded, ctas, shape.warps * base::kLanes, word);
  for (const WarpRecord& warp : run.warps)
    session.check_values(what, {warp.words.front()},
                         std::uint64_t{shape.registers} * (std::max(shape.registers, 1u) - 1) / 2);
  session.add({.what = what,
               .measured = static_cast<double>(most_at_once(run, shape.warps)),
               .expected = exactly(expected_ctas(config, shape, session.code(loaded).registers_per_thread)),
               .unit = "CTAs",
               .keys = keys});
}

void run(Session& session) {
  const core::CoreConfig& core = session.config().core;
  measure(session, "1 warp", {.warps = 1}, "core.occupancy.max_ctas");
  for (std::uint32_t warps = 4; warps <= std::min(core.occupancy.max_warps, 32u); warps *= 2)
    measure(session, fmt::format("{} warps", warps), {.warps = warps}, "core.occupancy.max_warps");
  for (const std::uint32_t registers : {16u, 30u, 60u})
    measure(session, fmt::format("4 warps holding {} values", registers),
            {.warps = 4, .registers = registers}, "core.occupancy.registers, .register_unit");
  const std::uint32_t shared = core.shared_memory.size_kib * 1024 - core.shared_memory.reserved_bytes_per_cta;
  for (const std::uint32_t part : {1u, 2u, 3u, 5u})
    measure(session, fmt::format("1/{} of shared memory", part), {.warps = 1, .shared_bytes = shared / part},
            "core.shared_memory.size_kib");
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  const core::OccupancyConfig& room = config.core.occupancy;
  return {
      {fmt::format("core.occupancy.max_ctas={}", room.max_ctas - 1)},
      {fmt::format("core.occupancy.max_warps={}", room.max_warps * 3 / 4),
       fmt::format("core.occupancy.max_ctas={}", room.max_ctas * 2)},
      {fmt::format("core.occupancy.registers={}", room.registers * 2)},
      {fmt::format("core.occupancy.registers={}", room.registers * 2), "core.occupancy.register_unit=1024"}};
}

std::vector<std::string> smaller(const gpu::GpuConfig&) { return {"cores=1"}; }

}  // namespace

Benchmark occupancy() {
  return {.name = "occupancy",
          .description = "resident CTAs by warps, registers and shared memory",
          .run = run,
          .mutations = mutations,
          .prepare = smaller};
}

}  // namespace heddle::microbench::occupancy
