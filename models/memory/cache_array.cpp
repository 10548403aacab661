#include "memory/cache_array.h"

namespace heddle::memory {

CacheArray::CacheArray(const L2Config& config, const L2Geometry& geometry)
    : geometry_(geometry),
      line_bytes_(config.line_bytes),
      tags_(config.sets_per_bank(), config.ways,
            config.replacement.entry().make({config.sets_per_bank(), config.ways})),
      frames_(tags_.frames()),
      data_(base::zeroed_block(frames_.size() * line_bytes_)) {}

}  // namespace heddle::memory
