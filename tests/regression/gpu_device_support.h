// What tests of devices share: kernels, and what is thrown.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"

namespace heddle::device_tests {

#ifdef HEDDLE_SANITIZE
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
inline constexpr std::uint64_t kSlackBytes = 2 << 20;

inline const std::string kHeader = ".version 7.5\n.target sm_75\n.address_size 64\n";
inline const std::string kKernels = kHeader + R"(.visible .entry stop()
{
  trap;
}
.visible .entry nothing()
{
  ret;
}
.visible .global .b32 table[64] = {5, 6};
.visible .entry add(.param .u64 out, .param .u32 value)
{
  .reg .b32 %v;
  .reg .b64 %o;
  ld.param.u64 %o, [out];
  ld.param.u32 %v, [value];
  red.global.add.u32 [%o], %v;
  ret;
}
.visible .entry count()
{
  .reg .b32 %i;
  .reg .pred %p;
  mov.u32 %i, 0;
AGAIN:
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, 3000000;
  @%p bra AGAIN;
  ret;
}
)";

inline std::optional<base::Error> error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::Error& error) {
    return error;
  }
  return std::nullopt;
}

inline std::string text_of(const std::function<void()>& action) {
  const auto error = error_of(action);
  return error ? error->what() : "no error";
}

inline std::uint64_t resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace heddle::device_tests
