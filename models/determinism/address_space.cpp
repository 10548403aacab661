#include "determinism/address_space.h"

#include <cstring>

#include "base/error.h"

namespace heddle::determinism {

void AddressSpace::validate(const memory::MemoryConfig& config) {
  const auto refuse = [](const std::string& key, const std::string& what, const std::string& remedy) {
    throw base::InputError("memory." + key,
                           what + ", and commits of a deterministic GPU are of 128-byte chunks", remedy);
  };
  if (config.l2.line_bytes != kChunkBytes)
    refuse("l2.line_bytes", "is " + std::to_string(config.l2.line_bytes), "Set it to 128.");
  if (config.partition_interleave_bytes < kChunkBytes)
    refuse("partition_interleave_bytes", "is " + std::to_string(config.partition_interleave_bytes),
           "Choose at least 128.");
  if (config.dram.addresses == memory::ChannelAddresses::kDense)
    throw base::InputError("memory.dram.addresses",
                           "is dense: depths have no place in a channel of limited capacity",
                           "Set it to sparse.");
}

void store_depths(const DepthLine& depths, unsigned char* to) {
  for (const Depth depth : depths) {
    const std::uint32_t bits = static_cast<std::uint32_t>(depth) ^ static_cast<std::uint32_t>(kNoDepth);
    std::memcpy(to, &bits, sizeof bits);
    to += sizeof bits;
  }
}

DepthLine load_depths(const unsigned char* from) {
  DepthLine depths;
  for (Depth& depth : depths) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    depth = static_cast<Depth>(bits ^ static_cast<std::uint32_t>(kNoDepth));
    from += sizeof bits;
  }
  return depths;
}

}  // namespace heddle::determinism
