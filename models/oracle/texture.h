// Textures and surfaces as threads access them, of PTX and of machine code. The arithmetic is this oracle's own, from the CUDA C++
// Programming Guide ("Texture Fetching"); what that leaves open is what isa/texture.h states. The layout of headers
// (isa/texture_header.h) is data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "isa/texture_header.h"

namespace heddle::oracle {

/// What an instruction asks for, and where in a lane.
struct TextureRequest {
  enum class What : std::uint8_t { kFetch, kGather, kLoad, kStore, kQuery };
  enum class Outside : std::uint8_t { kTrap, kClamp, kZero };
  enum class Query : std::uint8_t { kWidth, kHeight, kDepth, kArraySize, kNormalized, kOne };
  What what = What::kFetch;
  unsigned dimensions = 2;  ///< of a cube 3
  bool layered = false;
  bool cube = false;
  bool whole_numbers = false;  ///< coordinates are integers
  bool numbers = true;         ///< results are f32
  bool by_object = false;      ///< of machine code: as isa::TextureOp::by_object
  unsigned component = 0;      ///< kGather
  Outside outside = Outside::kTrap;
  Query query = Query::kWidth;  ///< kOne: levels and samples
  std::uint64_t handle = 0;
  std::array<std::uint32_t, 4> coordinates{};  ///< the layer first
};

/// The memory that a lane sees. Addresses are global ones.
class TextureMemory {
 public:
  virtual ~TextureMemory() = default;
  /// False: no kernel may read it.
  virtual bool read_byte(std::uint64_t address, std::byte& byte) = 0;
  virtual const std::byte* read(std::uint64_t address, unsigned bytes) = 0;
  virtual std::byte* write(std::uint64_t address, unsigned bytes) = 0;
  [[noreturn]] virtual void fault(const std::string& why) = 0;
};

class TextureSampler {
 public:
  explicit TextureSampler(TextureMemory& memory) : memory_(memory) {}

  /// The components of a fetch; of a query the first is the answer. `data`: what a surface access loads or stores.
  std::array<std::uint32_t, 4> access(const TextureRequest& request, std::span<std::byte> data = {});

 private:
  using Header = isa::TextureHeader;
  /// A texel by its indices; outside: the border.
  struct Index {
    std::int64_t at[3] = {};
    bool outside = false;
  };
  struct Site {
    const TextureRequest& request;
    Header header;
  };

  [[nodiscard]] Header header_of(const TextureRequest& request) const;
  [[nodiscard]] static std::uint64_t address(const Header& header, std::uint64_t byte, std::int64_t y,
                                             std::int64_t z);
  /// A component as a number, or (`bits`) as integer instructions get it.
  [[nodiscard]] double number(Site& site, const Index& index, unsigned component);
  [[nodiscard]] std::uint32_t bits(Site& site, const Index& index, unsigned component);
  [[nodiscard]] std::uint32_t unfiltered(Site& site, const Index& index, unsigned component);
  [[nodiscard]] std::array<std::uint32_t, 4> fetch(Site& site);
  void surface(Site& site, std::span<std::byte> data);
  [[nodiscard]] static std::uint32_t query(const Site& site);

  TextureMemory& memory_;
};

}  // namespace heddle::oracle
