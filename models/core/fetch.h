// Fetch unit and I-buffer. Each cycle it picks, round robin, one issue group whose I-buffer is empty and
// fetches up to `width` sequential instructions for it; they are decoded and in the buffer `latency` cycles
// later. Nothing is fetched beyond a control instruction (branch, exit, barrier, fence, trap): there is no
// branch prediction, the group waits until the branch unit says where it goes on (tbc-and-kilotm §1). Fetches
// always hit.
#pragma once

#include <deque>
#include <systemc>
#include <vector>

#include "core/config.h"
#include "core/protocols.h"
#include "sim/block_socket.h"
#include "sim/stats.h"

namespace heddle::core {

class FetchModel {
 public:
  FetchModel(const FetchConfig& config, std::uint32_t groups);

  void set_code(const std::vector<isa::Instruction>* code) { code_ = code; }
  void redirect(GroupId group, Pc pc);
  void stop(GroupId group);
  /// Removes the head; true and the next head if one is buffered.
  bool pop(GroupId group, Pc& head);
  void tick(FetchRequest& request);

  std::uint64_t fetches = 0;       ///< fetch cycles used
  std::uint64_t instructions = 0;  ///< instructions put into I-buffers

 private:
  struct Buffer {
    Pc head{};
    std::uint32_t count = 0;  ///< decoded instructions from head on
    std::uint32_t epoch = 0;  ///< fetches of an older epoch are void
    bool sealed = false;      ///< the last one buffered or in flight is a control instruction
  };
  struct InFlight {
    GroupId group{};
    std::uint32_t epoch = 0;
    std::uint32_t count = 0;
    Cycle ready = 0;
  };

  FetchConfig config_;
  const std::vector<isa::Instruction>* code_ = nullptr;
  std::vector<Buffer> buffers_;
  sim::IndexSet wanting_;   ///< groups with an empty I-buffer and nothing in flight
  std::uint32_t last_ = 0;  ///< round-robin pointer
  std::deque<InFlight> in_flight_;
};

class Fetch : public sc_core::sc_module {
 public:
  Fetch(const sc_core::sc_module_name& name, const FetchConfig& config, std::uint32_t groups,
        sim::StatGroup& stats);
  void set_code(const std::vector<isa::Instruction>* code) { model_.set_code(code); }

 private:
  void serve(FetchRequest& request);

 public:
  sim::BlockTarget<FetchProtocol, Fetch, &Fetch::serve> fetch_tsock{"fetch_tsock", this};

 private:
  FetchModel model_;
};

}  // namespace heddle::core
