// TLM-2.0 sockets for blocks inside a core: custom protocol traits, plain-struct payloads, b_transport in
// zero time.
//
// A protocol is a traits class
//   struct ControlFlowProtocol { using tlm_payload_type = ControlFlowRequest; using tlm_phase_type = tlm::tlm_phase; };
// One side declares `BlockInitiator<ControlFlowProtocol> branch_isock{"branch_isock"};` and calls
// `branch_isock.call(request)`; the other declares
// `BlockTarget<ControlFlowProtocol, SimtStackBlock, &SimtStackBlock::serve> branch_tsock{"branch_tsock", this};`.
// The request carries its answer. Beside a protocol stands its port, an initiator that has a function for each operation:
// `class ScoreboardPort : public BlockInitiator<ScoreboardProtocol>` with `reserve(warp, lanes, instruction)`. A call is one indirect call (about 3.5 ns measured): no event, thread or
// signal.
//
// tlm_utils' convenience sockets assume the generic payload, hence these two classes over the standard
// sockets.
#pragma once

#include <memory>
#include <systemc>
#include <tlm>
#include <utility>

#include "sim/socket_log.h"

/// For what a block's serve() calls last, one function per operation: kept out of line, the call is a jump
/// and serve() saves no registers for the longest of them.
#define HEDDLE_BY_JUMP [[gnu::noinline]]

namespace heddle::sim {

/// What a block's target offers besides b_transport: the same without the virtual bases of TLM's interfaces,
/// which cost more than most blocks' work. A function and its object, so that a call looks up no virtual
/// table either.
template <class Request>
struct BlockService {
  void (*serve)(void* owner, Request& request);
  void* owner;
  const sc_core::sc_object* socket;  ///< the target itself

 protected:
  BlockService(void (*s)(void*, Request&), void* o, const sc_core::sc_object* t)
      : serve(s), owner(o), socket(t) {}
  BlockService(const BlockService&) = default;
  BlockService& operator=(const BlockService&) = default;
  virtual ~BlockService() = default;  // found by dynamic_cast
};

template <class Protocol>
class BlockInitiator : public tlm::tlm_initiator_socket<32, Protocol>, public RecordedSocket {
 public:
  using Request = typename Protocol::tlm_payload_type;
  using Phase = typename Protocol::tlm_phase_type;
  using Base = tlm::tlm_initiator_socket<32, Protocol>;

  explicit BlockInitiator(const char* name) : Base(name) { this->m_export.bind(backward_); }

  /// The zero-time request/answer exchange.
  void call(Request& request) { serve_(target_, request); }
  /// The same of a request that is made for it: call({...}).answer, within one expression.
  Request&& call(Request&& request) {
    call(request);
    return std::move(request);
  }
  /// Debug access: never changes state or statistics.
  unsigned inspect(Request& request) { return (*this)->transport_dbg(request); }
  Request&& inspect(Request&& request) {
    inspect(request);
    return std::move(request);
  }

  const char* kind() const override { return "heddle::sim::BlockInitiator"; }

  /// The socket that it is bound to, once elaboration has ended; nullptr: none of our blocks'.
  [[nodiscard]] const sc_core::sc_object* bound() const override { return bound_; }
  /// A transaction is taken down with its answer.
  void record(SocketLog& log) override {
    recorder_ = std::make_unique<Recorder>(serve_, target_, log,
                                           log.add_socket(this->name(), socket_fields<Request>()));
    serve_ = &Recorder::serve;
    target_ = recorder_.get();
  }

 protected:
  void end_of_elaboration() override {
    if (const auto* block = dynamic_cast<const BlockService<Request>*>(this->get_interface(0))) {
      (recorder_ ? recorder_->inner : serve_) = block->serve;
      (recorder_ ? recorder_->target : target_) = block->owner;
      bound_ = block->socket;
    }
  }

 private:
  // Block protocols have no backward path; the standard socket wants one bound all the same.
  struct Backward : tlm::tlm_bw_transport_if<Protocol> {
    tlm::tlm_sync_enum nb_transport_bw(Request&, Phase&, sc_core::sc_time&) override {
      SC_REPORT_ERROR("/heddle/block_socket", "block protocols use b_transport only");
      return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };
  Backward backward_;
  /// For a target that is none of our blocks, and until elaboration has ended.
  static void transport(void* initiator, Request& request) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    (*static_cast<BlockInitiator*>(initiator))->b_transport(request, delay);
  }
  /// Between the socket and what it calls.
  struct Recorder {
    Recorder(void (*i)(void*, Request&), void* t, SocketLog& l, std::size_t s)
        : inner(i), target(t), log(l), socket(s) {}
    static void serve(void* recorder, Request& request) {
      auto& self = *static_cast<Recorder*>(recorder);
      self.inner(self.target, request);
      log_request(self.log, self.socket, request);
    }
    void (*inner)(void*, Request&);
    void* target;
    SocketLog& log;
    std::size_t socket;
  };
  void (*serve_)(void*, Request&) = &transport;
  void* target_ = this;
  std::unique_ptr<Recorder> recorder_;
  const sc_core::sc_object* bound_ = nullptr;
};

/// A block's side of a protocol, for blocks of any class: BlockTarget knows the class.
template <class Protocol>
class BlockTargetOf : public tlm::tlm_target_socket<32, Protocol> {
 public:
  using Request = typename Protocol::tlm_payload_type;
  using Phase = typename Protocol::tlm_phase_type;
  using Base = tlm::tlm_target_socket<32, Protocol>;
  using Service = void (*)(void* owner, Request& request);

  const char* kind() const override { return "heddle::sim::BlockTarget"; }

 protected:
  /// `inspect`: for transport_dbg; may be null.
  BlockTargetOf(const char* name, void* owner, Service serve, Service inspect)
      : Base(name), forward_(owner, serve, inspect, this) {
    this->bind(forward_);
  }

 private:
  struct Forward final : BlockService<Request>, tlm::tlm_fw_transport_if<Protocol> {
    Forward(void* o, Service s, Service i, const sc_core::sc_object* t)
        : BlockService<Request>(s, o, t), inspect(i) {}
    void b_transport(Request& request, sc_core::sc_time&) override { this->serve(this->owner, request); }
    tlm::tlm_sync_enum nb_transport_fw(Request&, Phase&, sc_core::sc_time&) override {
      SC_REPORT_ERROR("/heddle/block_socket", "block protocols use b_transport only");
      return tlm::TLM_COMPLETED;
    }
    bool get_direct_mem_ptr(Request&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(Request& request) override {
      if (inspect == nullptr) return 0;
      inspect(this->owner, request);
      return 1;
    }
    Service inspect;
  };
  Forward forward_;
};

/// Serve is `void Owner::serve(Request&)`; Inspect, where given, `void Owner::inspect(Request&)` for
/// transport_dbg.
template <class Protocol, class Owner, auto Serve, auto Inspect = nullptr>
class BlockTarget : public BlockTargetOf<Protocol> {
 public:
  using Request = typename Protocol::tlm_payload_type;

  BlockTarget(const char* name, Owner* owner)
      : BlockTargetOf<Protocol>(name, owner, &function<Serve>, inspection()) {}

 private:
  template <auto Member>
  static void function(void* owner, Request& request) {
    (static_cast<Owner*>(owner)->*Member)(request);
  }
  static constexpr typename BlockTargetOf<Protocol>::Service inspection() {
    if constexpr (std::is_same_v<decltype(Inspect), std::nullptr_t>)
      return nullptr;
    else
      return &function<Inspect>;
  }
};

}  // namespace heddle::sim

/// The sockets of a protocol are some 120 functions, most of them the standard's. HEDDLE_SOCKETS_ELSEWHERE(Protocol) beside the
/// protocol, outside of all namespaces, leaves them to the one source of the library that says HEDDLE_SOCKETS_HERE(Protocol)
/// (heddle_sockets in scripts/cmake/HeddleTargets.cmake). Without both, every source that composes such blocks compiles them again:
/// right, but slow.
#define HEDDLE_SOCKETS_ELSEWHERE(...) HEDDLE_SOCKETS(extern, __VA_ARGS__)
#define HEDDLE_SOCKETS_HERE(...) HEDDLE_SOCKETS(, __VA_ARGS__)
#define HEDDLE_SOCKETS(WHERE, ...)                                                               \
  WHERE template class sc_core::sc_port_b<tlm::tlm_fw_transport_if<__VA_ARGS__>>;                \
  WHERE template class sc_core::sc_port_b<tlm::tlm_bw_transport_if<__VA_ARGS__>>;                \
  WHERE template class sc_core::sc_port<tlm::tlm_fw_transport_if<__VA_ARGS__>>;                  \
  WHERE template class sc_core::sc_port<tlm::tlm_bw_transport_if<__VA_ARGS__>>;                  \
  WHERE template class sc_core::sc_export<tlm::tlm_fw_transport_if<__VA_ARGS__>>;                \
  WHERE template class sc_core::sc_export<tlm::tlm_bw_transport_if<__VA_ARGS__>>;                \
  WHERE template class tlm::tlm_base_initiator_socket<32, tlm::tlm_fw_transport_if<__VA_ARGS__>, \
                                                      tlm::tlm_bw_transport_if<__VA_ARGS__>>;    \
  WHERE template class tlm::tlm_base_target_socket<32, tlm::tlm_fw_transport_if<__VA_ARGS__>,    \
                                                   tlm::tlm_bw_transport_if<__VA_ARGS__>>;       \
  WHERE template class tlm::tlm_initiator_socket<32, __VA_ARGS__>;                               \
  WHERE template class tlm::tlm_target_socket<32, __VA_ARGS__>;                                  \
  WHERE template class heddle::sim::BlockInitiator<__VA_ARGS__>;                                 \
  WHERE template class heddle::sim::BlockTargetOf<__VA_ARGS__>
