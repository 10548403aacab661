// What must hold of a Z-buffer unit whatever the timing (preconditions.h): looked at while it runs.
#include <fmt/format.h>

#include <bit>

#include "determinism/z_buffer_model.h"

namespace heddle::determinism {

void ZBufferModel::check_block(std::uint32_t entry) const {
  const std::uint64_t chunk = requests_[entry].update.chunk;
  const std::uint32_t line = cache_.find(chunk);
  if (line == ZCache::kNone || cache_.state(line) != ZCache::State::kLocked)
    watch_.broken("[GPUDet:Z3]",
                  fmt::format("a request to {:#x} is blocked, and no release will wake it", chunk));
}

void ZBufferModel::check_service(std::uint32_t entry) const {
  const std::uint64_t chunk = requests_[entry].update.chunk;
  for (std::uint32_t i = 0; i < requests_.size(); ++i) {
    const Request& other = requests_[i];
    if (i != entry && other.state == RequestState::kInService && !other.compared &&
        other.update.chunk == chunk)
      return watch_.broken("[GPUDet] §4.4.3",
                           fmt::format("two requests to {:#x} are in service at once", chunk));
  }
}

void ZBufferModel::check_compare(std::uint32_t entry, const DepthLine& stored, WordMask passed) const {
  const Request& request = requests_[entry];
  const Depth depth = request.update.depth;
  for (std::uint32_t i = 0; i < requests_.size(); ++i) {
    const Request& other = requests_[i];
    if (other.state != RequestState::kInvalid && !other.compared && other.age < request.age &&
        other.update.chunk == request.update.chunk && other.update.depth == depth)
      return watch_.broken("[GPUDet:D5] ([GPUDet:Z2])",
                           fmt::format("a later entry of a wavefront to {:#x} is compared in front of an "
                                       "earlier one",
                                       request.update.chunk));
  }
  for (WordMask left = touched_words(request.update.mask); left != 0; left &= left - 1) {
    const auto word = static_cast<unsigned>(std::countr_zero(left));
    const bool passes = (passed >> word & 1u) != 0;
    if (passes != (depth <= stored[word]))
      return watch_.broken(
          "[GPUDet:D6] ([GPUDet:Z1])",
          fmt::format("depth {} {} depth {} at {:#x}", depth, passes ? "passes" : "does not pass",
                      stored[word], request.update.chunk + word * 4ull));
    if (stored[word] >> watch_.wavefront_bits < depth >> watch_.wavefront_bits)
      return watch_.broken("[GPUDet] §4.4.2",
                           fmt::format("{:#x} has depth {} of a later quantum than {}",
                                       request.update.chunk + word * 4ull, stored[word], depth));
  }
}

void ZBufferModel::check_sent() {
  const L2Request& request = to_l2_.front();
  if (request.number != sent_++)
    watch_.broken("[GPUDet:Z4]", fmt::format("L2 gets what is about {:#x} out of order", request.chunk));
  if (request.op == L2Request::Op::kColorWrite && !(request.mask == bytes_of(request.passed)))
    watch_.broken("[GPUDet] §4.4.3", fmt::format("words at {:#x} are written that have lost", request.chunk));
}

void ZBufferModel::check_acknowledge(std::uint32_t entry) const {
  if (!requests_[entry].visible)
    watch_.broken("[GPUDet] §4.4.3 ([GPUDet:S2])",
                  fmt::format("colours for {:#x} are acknowledged before L2 has accepted them",
                              requests_[entry].update.chunk));
}

}  // namespace heddle::determinism
