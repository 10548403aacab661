// Keys of the caches, of shared memory and of fences; how the array of L1 and shared memory is divided.
#include <charconv>
#include <sstream>
#include <string>

#include "base/error.h"
#include "core/config.h"

namespace heddle::core {

void L1dConfig::visit(base::ConfigVisitor& v) {
  v.field("enabled", enabled, {.doc = "false: global and local memory go to L2"});
  v.field("size_kib", size_kib,
          {.unit = "KiB", .doc = "capacity; 0: what shared memory leaves of unified_kib", .max = 1024});
  v.field(
      "unified_kib", unified_kib,
      {.unit = "KiB",
       .doc = "memory array that L1 and core.shared_memory divide (Fermi: 64, split 16/48 or 48/16); 0: they "
              "have arrays of their own",
       .max = 2048});
  v.choice("carve_out", carve_out, {"fixed", "by_kernel"},
           "how the array is divided: as size_kib and core.shared_memory.size_kib say; or for each launch: "
           "shared memory "
           "gets the least of core.shared_memory.carve_outs in which all CTAs have room that fit on a core, "
           "and L1 the "
           "rest (then size_kib must be 0)");
  v.field("line_bytes", line_bytes,
          {.unit = "bytes",
           .doc = "line size; also the coalescing segment and the L2 line",
           .min = 32,
           .max = 128});
  v.field("sector_bytes", sector_bytes,
          {.unit = "bytes",
           .doc = "part of a line that is fetched and valid by itself (Turing: 32); 0: whole lines",
           .max = 128});
  v.field("ways", ways, {.doc = "associativity", .min = 1, .max = 64});
  replacement.visit(v, "replacement", cache::kReplacementDoc);
  v.field("latency_cycles", latency_cycles,
          {.unit = "core cycles", .doc = "load hit: issue to dependent issue", .min = 2, .max = 1000});
  v.field("mshr_entries", mshr_entries,
          {.unit = "lines", .doc = "outstanding line fills", .min = 1, .max = 1024});
  v.field("mshr_targets", mshr_targets,
          {.unit = "accesses", .doc = "accesses merged into one outstanding fill", .min = 1, .max = 64});
  v.field("cache_global_loads", cache_global_loads,
          {.doc = "false: global loads go to L2 (compile flag -dlcm=cg) unless they say .ca or .nc"});
  v.choice("global_write", global_write, {"write_evict", "write_through", "write_through_allocate"},
           "store to global memory: to L2 in any case; the copy in L1 is evicted, updated, or updated and "
           "made if there is "
           "none, without fetching what is not written ([GPUDet] §2.1.2: evict)");
  v.choice("local_write", local_write,
           {"write_evict", "write_through", "write_through_allocate", "write_back"},
           "store to local memory: as for global, or kept in L1 until its line is replaced ([GPUDet] §2.1.2: "
           "write-back)");
}

void ConstantCacheConfig::visit(base::ConfigVisitor& v) {
  v.field("uniform_at_issue", uniform_at_issue,
          {.doc = "where machine code's loads of constants into uniform registers (ULDC) find the cache. "
                  "false: in the "
                  "load/store unit, as other loads of constants; true: at issue, so that one that hits is as "
                  "fast as an "
                  "operand, and one that misses keeps its warp until the line is there"});
  v.field("immediate_kib", immediate_kib,
          {.unit = "KiB",
           .doc = "capacity of the cache of operands at fixed places of constant banks (ULDC, "
                  "c[0x0][0x210]), in machine code with "
                  "control codes: a warp whose next instruction has one waits until its line is there; 0: "
                  "they always are",
           .max = 64});
  v.field("immediate_latency_cycles", immediate_latency_cycles,
          {.unit = "core cycles",
           .doc = "that a warp waits for such a line that the second level has",
           .min = 1,
           .max = 1000});
  v.field("second_kib", second_kib,
          {.unit = "KiB",
           .doc = "capacity of a second level in the core, between this cache and L2 (from Maxwell on); 0: "
                  "there is none",
           .max = 1024});
  v.field("second_ways", second_ways, {.doc = "associativity of the second level", .min = 1, .max = 64});
  v.field("second_latency_cycles", second_latency_cycles,
          {.unit = "core cycles",
           .doc = "ld.const and ld.param that hit the second level: issue to dependent issue",
           .min = 2,
           .max = 1000});
  v.field("size_kib", size_kib,
          {.unit = "KiB", .doc = "capacity ([GPUDet] Tab 5.2: 8)", .min = 1, .max = 64});
  v.field("line_bytes", line_bytes,
          {.unit = "bytes",
           .doc = "line size, also what one miss fetches (stock GPGPU-Sim Fermi: 64)",
           .min = 32,
           .max = 128});
  v.field("ways", ways, {.doc = "associativity (stock GPGPU-Sim Fermi: 2)", .min = 1, .max = 64});
  replacement.visit(v, "replacement", cache::kReplacementDoc);
  v.field(
      "latency_cycles", latency_cycles,
      {.unit = "core cycles",
       .doc = "ld.const and ld.param that hit: issue to dependent issue (Heddle's own choice: a little above "
              "an arithmetic instruction)",
       .min = 2,
       .max = 1000});
  v.field("mshr_entries", mshr_entries,
          {.unit = "lines", .doc = "outstanding fills (stock GPGPU-Sim Fermi: 2)", .min = 1, .max = 256});
  v.field("mshr_targets", mshr_targets,
          {.unit = "reads",
           .doc = "reads merged into one outstanding fill (stock GPGPU-Sim Fermi: 32)",
           .min = 1,
           .max = 64});
}

void TextureConfig::visit(base::ConfigVisitor& v) {
  const auto byte = [&](const char* key, std::uint8_t& value, const base::FieldInfo& info) {
    std::uint32_t number = value;
    v.field(key, number, info);
    value = static_cast<std::uint8_t>(number);
  };
  byte("lanes_per_cycle", lanes_per_cycle,
       {.unit = "threads",
        .doc = "threads whose texels are addressed, and filtered, in a cycle; one with eight texels (linear "
               "filtering in 3D) counts twice (four texture units a multiprocessor: [TU102])",
        .min = 1,
        .max = 32});
  byte("latency_cycles", latency_cycles,
       {.unit = "core cycles",
        .doc = "of a fetch beyond its texels' accesses: header, addresses, filter (Heddle's own choice)",
        .max = 255});
  byte("queue_entries", queue_entries,
       {.unit = "instructions",
        .doc = "fetches that wait for texels at once (Heddle's own choice)",
        .min = 1,
        .max = 64});
  v.field(
      "cached", cached,
      {.doc = "true: texels are read through L1, if it is there (unified since Maxwell); false: from L2"});
}

void SharedMemoryConfig::visit(base::ConfigVisitor& v) {
  v.field("size_kib", size_kib, {.unit = "KiB", .doc = "capacity", .min = 1, .max = 1024});
  v.field("banks", banks,
          {.unit = "banks", .doc = "32-bit words served per cycle, one per bank", .min = 1, .max = 32});
  v.field(
      "wide_lanes", wide_lanes,
      {.unit = "lanes",
       .doc = "neighbouring lanes of a load or store of 16 bytes a lane that a pass serves at most, even if "
              "all read the same word; 0: as many as the banks allow",
       .max = 32});
  v.field("latency_cycles", latency_cycles,
          {.unit = "core cycles",
           .doc = "load without conflict: issue to dependent issue",
           .min = 2,
           .max = 1000});
  v.field("carve_outs", carve_outs,
          {.doc = "with core.l1d.carve_out by_kernel: the sizes in KiB that shared memory may have, "
                  "ascending, between "
                  "blanks; empty: any"});
  v.field("reserved_bytes_per_cta", reserved_bytes_per_cta,
          {.unit = "bytes",
           .doc = "of shared memory that a CTA takes beside its own: for the system, from sm_80 on",
           .max = 65'536});
}

void FenceConfig::visit(base::ConfigVisitor& v) {
  v.field("cta_cycles", cta_cycles,
          {.unit = "core cycles",
           .doc = "fence of the scope of the CTA: issue to the next instruction of the warp at least; 0: "
                  "only what it "
                  "waits for counts",
           .max = 100'000});
  v.field("gpu_cycles", gpu_cycles,
          {.unit = "core cycles",
           .doc = "the same of the scopes of the cluster, the GPU and the system: the way of a message to "
                  "all L2 slices "
                  "and back",
           .max = 100'000});
  v.field(
      "completion_cycles", completion_cycles,
      {.unit = "core cycles",
       .doc =
           "the part of gpu_cycles after the last answer of L2. With it a message goes behind each atomic "
           "of the core that is under way, to its L2 slice, and the fence ends so much after the last answer "
           "to these and to the core's writes, gpu_cycles after its issue at least; 0: no message, and it "
           "ends with that answer. Not with memory_model legacy, where fences wait for the warp's own "
           "operations",
       .max = 100'000});
  v.field("round_cycles", round_cycles,
          {.unit = "core cycles",
           .doc = "fences of those scopes leave a core in rounds. A round takes so long at least, and until "
                  "what the core had written before is performed; fences that come meanwhile make the next "
                  "one together; 0: each goes at once. Not with memory_model legacy",
           .max = 100'000});
  v.choice("messages", messages, {"atomics", "slices"},
           "with completion_cycles: to which L2 slices messages go; behind each atomic of the core that is "
           "under way; or one to every slice, in each round (or for each fence), answered by the core's half "
           "of L2 and looked up in both (memory.l2.far_turns)");
  v.field("join_cycles", join_cycles,
          {.unit = "core cycles",
           .doc = "with round_cycles: a fence that comes at most so much behind the beginning of a round "
                  "goes with it",
           .max = 100'000});
}

std::vector<std::uint32_t> SharedMemoryConfig::carve_out_sizes() const {
  std::vector<std::uint32_t> sizes;
  std::istringstream words(carve_outs);
  for (std::string word; words >> word;) {
    std::uint32_t size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size() || (!sizes.empty() && size <= sizes.back()))
      throw base::InputError("core.shared_memory.carve_outs",
                             "'" + carve_outs + "' is not a list of sizes in ascending order",
                             "write KiB and blanks, as 0 8 16 32, or nothing for any size");
    sizes.push_back(size);
  }
  return sizes;
}

void CoreConfig::validate_carve_outs() const {
  if (l1d.unified_kib == 0 || l1d.size_kib != 0 || !l1d.enabled)
    throw base::InputError(
        "core.l1d.carve_out",
        "by_kernel divides the array of L1 and shared memory, and there is none, or L1 has a size",
        "set core.l1d.unified_kib, core.l1d.size_kib to 0 and core.l1d.enabled to true");
  const std::vector<std::uint32_t> sizes = shared_memory.carve_out_sizes();
  if (!sizes.empty() && sizes.back() < shared_memory.size_kib)
    throw base::InputError(
        "core.shared_memory.carve_outs",
        "none has room for all of shared memory (" + std::to_string(shared_memory.size_kib) + " KiB)",
        "add a size, or make core.shared_memory.size_kib smaller");
  for (const std::uint32_t size : sizes) {
    if (size >= l1d.unified_kib)
      throw base::InputError(
          "core.shared_memory.carve_outs",
          std::to_string(size) + " KiB leave nothing of " + std::to_string(l1d.unified_kib) + " KiB for L1",
          "use sizes below core.l1d.unified_kib");
    if ((l1d.unified_kib - size) * 1024 % (l1d.line_bytes * l1d.ways) != 0)
      throw base::InputError("core.l1d.ways",
                             std::to_string(l1d.ways) + " ways do not divide the L1 beside " +
                                 std::to_string(size) + " KiB of shared memory into whole sets",
                             "use fewer ways, a power of two");
  }
}

L1dConfig CoreConfig::resolved_l1d() const {
  L1dConfig resolved = l1d;
  if (l1d.carve_out == CarveOut::kByKernel) {
    const std::vector<std::uint32_t> sizes = shared_memory.carve_out_sizes();
    resolved.size_kib = l1d.unified_kib - (sizes.empty() ? 0 : sizes.front());
  } else if (resolved.size_kib == 0 && l1d.unified_kib > shared_memory.size_kib)
    resolved.size_kib = l1d.unified_kib - shared_memory.size_kib;
  return resolved;
}

std::uint32_t CoreConfig::l1d_kib_beside(std::uint32_t shared_bytes) const {
  if (l1d.carve_out == CarveOut::kFixed) return resolved_l1d().size_kib;
  const std::uint32_t needed = (shared_bytes + 1023) / 1024;
  // Every core asks at every launch.
  const char* at = shared_memory.carve_outs.data();
  for (const char* const end = at + shared_memory.carve_outs.size(); at != end;) {
    std::uint32_t size = 0;
    const auto [behind, error] = std::from_chars(at, end, size);
    if (error == std::errc() && size >= needed) return l1d.unified_kib - size;
    at = error == std::errc() ? behind : at + 1;  // a blank
  }
  return l1d.unified_kib - needed;
}

}  // namespace heddle::core
