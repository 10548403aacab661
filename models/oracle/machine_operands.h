// Operands of a thread's instructions, and what is said about an instruction that cannot go on.
#pragma once

#include <cstdint>
#include <string>

#include "host/device.h"
#include "oracle/machine_state.h"
#include "oracle/program.h"

namespace heddle::oracle {

/// What a launch has besides its parameters.
struct LaunchSurroundings {
  std::uint64_t workspace = 0;       ///< of a cooperative launch; 0: it is not
  host::DeviceHeap* heap = nullptr;  ///< of kernels that use it
};

namespace mimd {

class Operands {
 public:
  /// `executed`: thread instructions so far, which is the clock. All of them outlive this.
  Operands(const Program& program, const host::Launch& shape, const LaunchSurroundings& surroundings,
           const std::uint64_t& executed)
      : program_(program), shape_(shape), surroundings_(surroundings), executed_(executed) {}

  [[nodiscard]] std::uint64_t special(const Cta& cta, const Thread& thread, Special which) const;
  [[nodiscard]] std::uint64_t value(const Cta& cta, const Thread& thread, const Source& source) const;
  /// Bytes from the start of an array to its element.
  [[nodiscard]] static std::uint64_t distance(const Thread& thread, const Element& element);
  static void assign(const Thread& thread, const Target& target, std::uint64_t bits);
  void pack(const Cta& cta, const Thread& thread, const Step& step) const;
  void unpack(const Cta& cta, const Thread& thread, const Step& step) const;

  [[nodiscard]] std::uint64_t linear_id(const Cta& cta) const;
  [[nodiscard]] std::string where(const Step& step) const;
  [[noreturn]] void fault(const Cta& cta, const Thread& thread, const Step& step, const std::string& message,
                          const std::string& remedy = {}) const;

 private:
  [[nodiscard]] std::uint64_t element_address(const Thread& thread, const Source& source) const;
  /// The source text of the function that contains the step.
  [[nodiscard]] const isa::SourceText* source_of(const Step& step) const;

  const Program& program_;
  const host::Launch& shape_;
  const LaunchSurroundings& surroundings_;
  const std::uint64_t& executed_;
};

/// "(1, 2, 3)"
[[nodiscard]] std::string triple(const std::array<std::uint32_t, 3>& v);

}  // namespace mimd
}  // namespace heddle::oracle
