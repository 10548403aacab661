// The blocks of a commit unit as its model sees them: in a GPU block sockets (commit_unit.h), else the models themselves.
#pragma once

#include <optional>

#include "tm/commit_ring.h"
#include "tm/hazard_detection.h"
#include "tm/set_buffers.h"

namespace heddle::tm {

struct CommitBlocks {
  EventPort<RingEvent>& ring;
  EventPort<SetBufferEvent>& buffers;
  EventPort<HazardEvent>& hazards;
};

/// Without SystemC.
class PlainCommitBlocks {
 public:
  explicit PlainCommitBlocks(const CommitUnitConfig& config) : ring_(config), buffers_(config) {
    if (has_history(config)) history_.emplace(config);
    hazards_ = make_hazard_model(config, history_ ? &*history_ : nullptr);
  }
  [[nodiscard]] CommitBlocks ports() { return {ring_, buffers_, *hazards_}; }

 private:
  CommitRing ring_;
  SetBuffers buffers_;
  std::optional<LastWriterHistory> history_;
  std::unique_ptr<EventPort<HazardEvent>> hazards_;
};

}  // namespace heddle::tm
