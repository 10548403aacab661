// A gate on issue as the issue stage sees it: its own ones (holds, fences) directly, those of extensions through sockets
// (protocols/issue_gate_protocol.h says what a gate is).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/protocols/issue_gate_protocol.h"
#include "core/state/core_state.h"
#include "sim/block_socket.h"

namespace heddle::core {

class IssueGate {
 public:
  virtual ~IssueGate() = default;
  virtual void serve(IssueGateRequest& request) = 0;
};

/// The gates of a core, by number.
class IssueGates {
 public:
  explicit IssueGates(CoreState& state) : state_(state) {}
  /// Its number: that of the bit in IssueFacts::gates.
  std::uint32_t add(IssueGate& gate);
  /// A launch begins: the bits of the gates that want to be asked about an instruction.
  [[nodiscard]] std::uint8_t interested(const isa::Instruction& instruction, Pc pc);

  /// The gate may be closed for the home warp / is open for it.
  void close(std::uint32_t gate, WarpId warp);
  void open(std::uint32_t gate, WarpId warp);
  /// What the control-flow mechanism holds the group from.
  void hold(IssueTable::Group& group, simt::Hold hold) const;
  /// The group has other lanes now.
  void arm(IssueTable::Group& group) const;
  /// The first gate that is closed for the head of the group.
  [[nodiscard]] std::optional<std::uint32_t> closed(GroupId id);

 private:
  [[nodiscard]] static std::uint8_t bit(std::uint32_t gate) { return static_cast<std::uint8_t>(1u << gate); }

  CoreState& state_;
  std::vector<IssueGate*> gates_;
};

/// A gate of an extension, behind its sockets.
class SocketGate final : public IssueGate {
 public:
  using Control = std::function<void(const GateControlRequest&)>;
  /// Within the constructor of a module. `control`: called when the gate closes or opens.
  SocketGate(const std::string& name, Control control)
      : gate_isock((name + "_gate_isock").c_str()),
        control_tsock((name + "_control_tsock").c_str(), this),
        control_(std::move(control)) {}
  void serve(IssueGateRequest& request) override { gate_isock.call(request); }

 private:
  void serve_control(GateControlRequest& request) { control_(request); }

 public:
  sim::BlockInitiator<IssueGateProtocol> gate_isock;
  sim::BlockTarget<GateControlProtocol, SocketGate, &SocketGate::serve_control> control_tsock;

 private:
  Control control_;
};

/// What the control-flow mechanism holds a group from (simt::Hold), kept with the group.
class HoldGate final : public IssueGate {
 public:
  explicit HoldGate(CoreState& state) : state_(state) {}
  void serve(IssueGateRequest& request) override;

 private:
  CoreState& state_;
};

}  // namespace heddle::core
