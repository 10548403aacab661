#include "determinism/config.h"

#include <bit>

#include "base/error.h"

namespace heddle::determinism {

void ZBufferConfig::visit(base::ConfigVisitor& v) {
  v.field("clock_mhz", clock_mhz,
          {.unit = "MHz", .doc = "clock of the Z-buffer units", .min = 1, .max = 1e5});
  v.field("request_entries", request_entries,
          {.unit = "entries", .doc = "size of the request buffer", .min = 1, .max = 64});
  v.field("comparator_entries", comparator_entries,
          {.unit = "entries", .doc = "size of the comparator buffer ([GPUDet:A7])", .min = 1, .max = 64});
  v.field("cache_kib", cache_kib,
          {.unit = "KiB", .doc = "capacity of the Z-cache (lines of 128 bytes)", .min = 1, .max = 1024});
  v.field("cache_ways", cache_ways, {.doc = "associativity of the Z-cache", .min = 1, .max = 32});
  v.field(
      "latency_cycles", latency_cycles,
      {.unit = "unit cycles",
       .doc =
           "z_latency: from a hit in the Z-cache until its depths are in the comparator buffer ([GPUDet:A7])",
       .min = 1,
       .max = 64});
  v.field("l2_queue", l2_queue,
          {.unit = "requests",
           .doc = "queue to L2 for reads and write-backs of depth lines, and for colours",
           .min = 1,
           .max = 64});
  v.choice("set_full", set_full, {"stall", "skip"},
           "what is scheduled while all ways of the set of the oldest ready request are locked "
           "([GPUDet:A10]). stall: nothing; skip: requests to other sets");
  v.field("full_depth_packet", full_depth_packet,
          {.doc = "a COLOR_UPDATE has a depth for each word (284 bytes). false: one depth for all (160 "
                  "bytes) ([GPUDet:A4])"});
  v.field("depth_bits", depth_bits,
          {.unit = "bits",
           .doc = "width of a depth. With fewer bits the quantum number overflows earlier. An overflow "
                  "resets all depths ([GPUDet:A25])",
           .min = 2,
           .max = 32});
}

void ZBufferConfig::validate(const std::string& where) const {
  const std::uint32_t lines = cache_kib * 1024 / 128;
  if (lines % cache_ways != 0 || !std::has_single_bit(lines / cache_ways))
    throw base::InputError(
        where + ".cache_ways",
        "does not divide the " + std::to_string(lines) + " lines into a power of two of sets",
        "Choose a size and associativity whose quotient is a power of two.");
}

void LockCommitConfig::visit(base::ConfigVisitor& v) {
  v.field("retry_cycles", retry_cycles,
          {.unit = "core cycles",
           .doc = "from the answer that a chunk's lock is taken to the next attempt",
           .max = 1e6});
}

}  // namespace heddle::determinism
