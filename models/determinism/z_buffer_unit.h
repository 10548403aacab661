// The Z-buffer unit as a partition unit (memory/partition_unit.h): COLOR_UPDATEs arrive as messages, depth lines and
// colours go to the L2, and everything else passes ([GPUDet:Z6]).
//
//   crossbar --> ZBufferUnit --> MemoryPartition
//   quantum sequencer --control_tsock--> ZBufferUnit
#pragma once

#include <memory>
#include <vector>

#include "core/protocols/protocol_of.h"
#include "determinism/address_space.h"
#include "determinism/config.h"
#include "determinism/preconditions.h"
#include "determinism/z_buffer_model.h"
#include "memory/partition_unit.h"
#include "sim/block_socket.h"

namespace heddle::determinism {

/// From the quantum sequencer.
struct ZControlRequest {
  enum class Op : std::uint8_t {
    kResetDepths,  ///< quantum number overflow ([GPUDet] §4.4.2). All colour updates are acknowledged
    kIdle,         ///< -> `idle`
  };
  Op op = Op::kIdle;
  bool idle = false;  ///< answer: no colour update is held, no write outstanding, nothing to be reset
};
using ZControlProtocol = core::ProtocolOf<ZControlRequest>;

class ZControlPort : public sim::BlockInitiator<ZControlProtocol> {
 public:
  using BlockInitiator::BlockInitiator;

  void reset_depths() { call({.op = ZControlRequest::Op::kResetDepths}); }
  [[nodiscard]] bool idle() { return call({.op = ZControlRequest::Op::kIdle}).idle; }
};

/// Who looks at whether rules hold.
struct ZBufferUnitWatch {
  Preconditions* preconditions = nullptr;  ///< of the GPU; null: nobody does
  std::uint32_t wavefront_bits = 0;        ///< of depths
};

/// The clock that the Z-buffer units of a GPU share.
using ZBufferClock = std::shared_ptr<sim::ClockDomain>;

class ZBufferUnit : private ZBufferClock, public memory::PartitionUnit {
  void control(ZControlRequest& request);

 public:
  ZBufferUnit(const sc_core::sc_module_name& name, const ZBufferConfig& config,
              const memory::PartitionUnitSite& site, const ZBufferClock& clock,
              const ZBufferUnitWatch& watch = {});

  sim::BlockTarget<ZControlProtocol, ZBufferUnit, &ZBufferUnit::control> control_tsock{"control_tsock", this};

  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] const ZBufferModel& model() const { return model_; }

 protected:
  base::Cycle cycle(base::Cycle now) override;
  void accepted(const Payload& payload) override;
  // All that arrives is looked at here. The unit takes messages only.
  [[nodiscard]] bool understands(const Payload& message) override;
  [[nodiscard]] bool takes_request(const Payload& request) override;
  [[nodiscard]] bool busy() const override { return !model_.idle(); }

 private:
  /// [GPUDet:D4]: requests of a core arrive in the order in which it sent them. [GPUDet:D7]: outside commit and serial
  /// mode none changes what others can see.
  void check_arrival(const Payload& payload);
  bool accept_message(base::Cycle now);
  bool fill(base::Cycle now);
  bool send_to_l2(base::Cycle now);
  bool acknowledge(base::Cycle now);
  void declare(base::StatGroup& stats);

  AddressSpace addresses_;
  ZBufferModel model_;
  std::vector<Payload*> messages_;  ///< by entry of the request buffer
  Preconditions* preconditions_;
  std::vector<std::uint64_t> last_order_;  ///< by core: MemoryExtension::order of what arrived last
};

/// Makes the units of a GPU (gpu::RunOptions::units), with the clock that they share.
/// `made`: gets each of them, in the order in which they are made; may be null, and outlives elaboration.
[[nodiscard]] memory::PartitionUnitFactory z_buffer_units(const ZBufferConfig& config,
                                                          std::vector<ZBufferUnit*>* made,
                                                          const ZBufferUnitWatch& watch = {});

}  // namespace heddle::determinism

HEDDLE_SOCKETS_ELSEWHERE(heddle::determinism::ZControlProtocol);
