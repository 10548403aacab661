#include "oracle/machine_texture.h"

#include <array>
#include <cstring>

#include "oracle/texture.h"

namespace heddle::oracle::mimd {
namespace {

/// Of a thread at a step.
class ThreadMemory final : public TextureMemory {
 public:
  ThreadMemory(Accesses& accesses, const Operands& operands, Cta& cta, Thread& thread, const Step& step)
      : accesses_(accesses), operands_(operands), cta_(cta), thread_(thread), step_(step) {}

  bool read_byte(std::uint64_t address, std::byte& byte) override {
    const std::byte* const from = accesses_.byte_at(cta_, thread_, address);
    if (from != nullptr) byte = *from;
    return from != nullptr;
  }
  const std::byte* read(std::uint64_t address, unsigned bytes) override {
    return accesses_.read_at(cta_, thread_, at(address), 0, bytes);
  }
  std::byte* write(std::uint64_t address, unsigned bytes) override {
    return accesses_.write_at(cta_, thread_, at(address), 0, bytes);
  }
  void fault(const std::string& why) override { operands_.fault(cta_, thread_, step_, why); }

 private:
  [[nodiscard]] Step at(std::uint64_t address) const {
    Step access;
    access.where = step_.where;
    access.space = isa::StateSpace::kGlobal;
    access.displacement = static_cast<std::int64_t>(address);
    return access;
  }
  Accesses& accesses_;
  const Operands& operands_;
  Cta& cta_;
  Thread& thread_;
  const Step& step_;
};

}  // namespace

void access_texture(Accesses& accesses, const Operands& operands, Cta& cta, Thread& thread,
                    const Step& step) {
  const Texture& texture = *step.texture;
  TextureRequest request = texture;
  request.handle = operands.value(cta, thread, texture.object);
  for (std::size_t i = 0; i < texture.places.size(); ++i)
    request.coordinates[i] = static_cast<std::uint32_t>(operands.value(cta, thread, texture.places[i]));
  ThreadMemory memory(accesses, operands, cta, thread, step);
  const bool loads = texture.what == Texture::What::kLoad, stores = texture.what == Texture::What::kStore;
  std::array<std::byte, 16> data{};
  const std::size_t element = isa::type_bytes(step.type);
  const std::size_t count = loads ? step.targets : stores ? texture.values.size() : 0;
  for (std::size_t i = 0; stores && i < count; ++i) {
    const std::uint64_t value = operands.value(cta, thread, texture.values[i]);
    std::memcpy(data.data() + i * element, &value, element);
  }
  const auto results = TextureSampler(memory).access(request, std::span(data).first(count * element));
  for (std::size_t i = 0; i < static_cast<std::size_t>(step.targets); ++i) {
    std::uint64_t value = 0;
    if (loads)
      std::memcpy(&value, data.data() + i * element, element);
    else
      value = results[i];
    operands.assign(thread, step.target[i], value);
  }
}

}  // namespace heddle::oracle::mimd
