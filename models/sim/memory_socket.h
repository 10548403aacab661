// Sockets for the non-blocking memory protocol (sim/memory_payload.h), tagged with a port number so that one
// module can own an array of them.
#pragma once

#include <array>
#include <memory>
#include <systemc>
#include <tlm>

#include "sim/memory_payload.h"
#include "sim/socket_log.h"

namespace heddle::sim {

/// Implemented by the module that owns initiator sockets: receives END_REQ and BEGIN_RESP.
class MemoryInitiatorOwner {
 public:
  virtual tlm::tlm_sync_enum memory_nb_transport_bw(unsigned port, tlm::tlm_generic_payload& payload,
                                                    tlm::tlm_phase& phase, sc_core::sc_time& delay) = 0;

 protected:
  ~MemoryInitiatorOwner() = default;
};

/// Implemented by the module that owns target sockets: receives BEGIN_REQ and END_RESP.
class MemoryTargetOwner {
 public:
  virtual tlm::tlm_sync_enum memory_nb_transport_fw(unsigned port, tlm::tlm_generic_payload& payload,
                                                    tlm::tlm_phase& phase, sc_core::sc_time& delay) = 0;
  /// Debug access with the same address rules, no time, no side effects; returns the bytes transferred.
  virtual unsigned memory_transport_dbg(unsigned port, tlm::tlm_generic_payload& payload) = 0;
  /// get_direct_mem_ptr: bytes that debug accesses would reach, at the partition's local addresses (memory::AddressMap), until the
  /// next access of any other kind. The payload names one of them, and whether it will be written.
  virtual bool memory_direct(unsigned, tlm::tlm_generic_payload&, tlm::tlm_dmi&) { return false; }

 protected:
  ~MemoryTargetOwner() = default;
};

/// What has come in at a memory socket: a phase of a transaction.
inline constexpr std::array<SocketField, 6> kMemoryFields{
    {{"phase", 8}, {"op", 8}, {"core", 32}, {"address", 64}, {"bytes", 16}, {"tag", 32}}};
void log_memory(SocketLog& log, std::size_t socket, tlm::tlm_generic_payload& payload, unsigned phase);

class MemoryInitiatorSocket : public tlm::tlm_initiator_socket<32, MemoryProtocol>, public RecordedSocket {
 public:
  MemoryInitiatorSocket(const char* name, MemoryInitiatorOwner* owner, unsigned port = 0)
      : tlm::tlm_initiator_socket<32, MemoryProtocol>(name), backward_(owner, port) {
    this->m_export.bind(backward_);
  }
  void record(SocketLog& log) override {
    recorder_ =
        std::make_unique<Recorder>(*backward_.owner, log, log.add_socket(this->name(), kMemoryFields));
    backward_.owner = recorder_.get();
  }

 private:
  struct Recorder final : MemoryInitiatorOwner {
    Recorder(MemoryInitiatorOwner& i, SocketLog& l, std::size_t s) : inner(i), log(l), socket(s) {}
    tlm::tlm_sync_enum memory_nb_transport_bw(unsigned port, tlm::tlm_generic_payload& payload,
                                              tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
      log_memory(log, socket, payload, phase);
      return inner.memory_nb_transport_bw(port, payload, phase, delay);
    }
    MemoryInitiatorOwner& inner;
    SocketLog& log;
    std::size_t socket;
  };
  struct Backward final : tlm::tlm_bw_transport_if<MemoryProtocol> {
    Backward(MemoryInitiatorOwner* o, unsigned p) : owner(o), port(p) {}
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
      return owner->memory_nb_transport_bw(port, payload, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    MemoryInitiatorOwner* owner;
    unsigned port;
  };
  Backward backward_;
  std::unique_ptr<Recorder> recorder_;
};

class MemoryTargetSocket : public tlm::tlm_target_socket<32, MemoryProtocol>, public RecordedSocket {
 public:
  MemoryTargetSocket(const char* name, MemoryTargetOwner* owner, unsigned port = 0)
      : tlm::tlm_target_socket<32, MemoryProtocol>(name), forward_(owner, port) {
    this->bind(forward_);
  }
  void record(SocketLog& log) override {
    recorder_ = std::make_unique<Recorder>(*forward_.owner, log, log.add_socket(this->name(), kMemoryFields));
    forward_.owner = recorder_.get();
  }

 private:
  struct Recorder final : MemoryTargetOwner {
    Recorder(MemoryTargetOwner& i, SocketLog& l, std::size_t s) : inner(i), log(l), socket(s) {}
    tlm::tlm_sync_enum memory_nb_transport_fw(unsigned port, tlm::tlm_generic_payload& payload,
                                              tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
      log_memory(log, socket, payload, phase);
      return inner.memory_nb_transport_fw(port, payload, phase, delay);
    }
    unsigned memory_transport_dbg(unsigned port, tlm::tlm_generic_payload& payload) override {
      return inner.memory_transport_dbg(port, payload);
    }
    bool memory_direct(unsigned port, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
      return inner.memory_direct(port, payload, dmi);
    }
    MemoryTargetOwner& inner;
    SocketLog& log;
    std::size_t socket;
  };
  struct Forward final : tlm::tlm_fw_transport_if<MemoryProtocol> {
    Forward(MemoryTargetOwner* o, unsigned p) : owner(o), port(p) {}
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
      return owner->memory_nb_transport_fw(port, payload, phase, delay);
    }
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {
      SC_REPORT_ERROR("/heddle/memory_socket", "the memory protocol uses nb_transport and transport_dbg");
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
      return owner->memory_direct(port, payload, dmi);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
      return owner->memory_transport_dbg(port, payload);
    }
    MemoryTargetOwner* owner;
    unsigned port;
  };
  Forward forward_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace heddle::sim
