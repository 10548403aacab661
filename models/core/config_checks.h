// What CoreConfig::validate() asks of its sections. Each throws base::InputError.
#pragma once

#include <cstdint>
#include <string>

#include "core/config.h"

namespace heddle::core {

/// Lines are a power of two, and sets are whole. `path` is for the message.
void check_cache(const std::string& path, std::uint32_t size_kib, std::uint32_t line_bytes,
                 std::uint32_t ways);
void check_lsu(const LsuConfig& lsu);
void check_constants(const ConstantCacheConfig& cache);

}  // namespace heddle::core
