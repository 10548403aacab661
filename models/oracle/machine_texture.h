// Textures and surfaces as threads access them. The arithmetic is this oracle's own, from the CUDA C++ Programming Guide
// ("Texture Fetching"); what that leaves open is what isa/texture.h states. The layout of headers (isa/texture_header.h) is data.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "isa/texture_header.h"
#include "oracle/machine_memory.h"
#include "oracle/machine_operands.h"

namespace heddle::oracle::mimd {

class Textures {
 public:
  Textures(Accesses& accesses, const Operands& operands) : accesses_(accesses), operands_(operands) {}

  void access(Cta& cta, Thread& thread, const Step& step);

 private:
  using Header = isa::TextureHeader;
  /// A texel by its indices; outside: the border.
  struct Index {
    std::int64_t at[3] = {};
    bool outside = false;
  };
  struct Site {
    Cta& cta;
    Thread& thread;
    const Step& step;
    const Texture& texture;
    Header header;
  };

  [[nodiscard]] Header header_of(Cta& cta, Thread& thread, const Step& step) const;
  [[nodiscard]] static std::uint64_t address(const Header& header, std::uint64_t byte, std::int64_t y,
                                             std::int64_t z);
  [[nodiscard]] const std::byte* read(Site& site, std::uint64_t at, unsigned bytes);
  /// A component as a number, or (`bits`) as integer instructions get it.
  [[nodiscard]] double number(Site& site, const Index& index, unsigned component);
  [[nodiscard]] std::uint32_t bits(Site& site, const Index& index, unsigned component);
  [[nodiscard]] std::uint32_t unfiltered(Site& site, const Index& index, unsigned component);
  void fetch(Site& site);
  void surface(Site& site);
  void query(Site& site);

  Accesses& accesses_;
  const Operands& operands_;
};

}  // namespace heddle::oracle::mimd
