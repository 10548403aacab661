// Block sockets: the port beside a protocol, a block of ours and a TLM target that is none.
#include "sim/block_socket.h"

#include <gtest/gtest.h>

#include <systemc>

namespace heddle::sim::block_socket_test {
namespace {

struct Request {
  enum class Op { kAdd, kClear };
  Op op = Op::kAdd;
  unsigned amount = 0;
  unsigned sum = 0;    ///< answer
  unsigned calls = 0;  ///< answer of transport_dbg
};
struct Protocol {
  using tlm_payload_type = Request;
  using tlm_phase_type = tlm::tlm_phase;
};

class AdderPort : public BlockInitiator<Protocol> {
 public:
  using BlockInitiator::BlockInitiator;
  unsigned add(unsigned amount) { return call({.op = Request::Op::kAdd, .amount = amount}).sum; }
  void clear() { call({.op = Request::Op::kClear}); }
  unsigned calls() { return inspect({.amount = 9}).calls; }
};

struct Sums {
  void serve(Request& request) {
    ++calls;
    sum = request.op == Request::Op::kClear ? 0 : sum + request.amount;
    request.sum = sum;
  }
  unsigned sum = 0, calls = 0;
};

struct Adder : sc_core::sc_module {
  explicit Adder(const sc_core::sc_module_name& name) : sc_module(name) {}
  void serve(Request& request) { sums.serve(request); }
  void inspect(Request& request) { request.calls = sums.calls; }
  BlockTarget<Protocol, Adder, &Adder::serve, &Adder::inspect> adder_tsock{"adder_tsock", this};
  Sums sums;
};

/// Somebody else's: the standard's interface only.
struct ForeignAdder : sc_core::sc_module, tlm::tlm_fw_transport_if<Protocol> {
  explicit ForeignAdder(const sc_core::sc_module_name& name) : sc_module(name) { adder_tsock.bind(*this); }
  void b_transport(Request& request, sc_core::sc_time&) override { sums.serve(request); }
  tlm::tlm_sync_enum nb_transport_fw(Request&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(Request&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Request& request) override {
    request.calls = sums.calls;
    return 1;
  }
  tlm::tlm_target_socket<32, Protocol> adder_tsock{"adder_tsock"};
  Sums sums;
};

struct Client : sc_core::sc_module {
  explicit Client(const sc_core::sc_module_name& name) : sc_module(name) {}
  AdderPort adder_isock{"adder_isock"};
};

/// What a port brings and takes, whatever is behind it.
template <class Target>
void asks() {
  Client client("client");
  Target target("target");
  client.adder_isock.bind(target.adder_tsock);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(client.adder_isock.add(3), 3u);
  EXPECT_EQ(client.adder_isock.add(4), 7u);
  EXPECT_EQ(client.adder_isock.calls(), 2u);
  EXPECT_EQ(target.sums.sum, 7u) << "a question changes something";
  client.adder_isock.clear();
  EXPECT_EQ(client.adder_isock.add(1), 1u);
  EXPECT_EQ(client.adder_isock.calls(), 4u);
  Request kept{.amount = 5};  // a request of the caller's own keeps its answer
  client.adder_isock.call(kept);
  EXPECT_EQ(kept.sum, 6u);
}

TEST(BlockSocket, a_port_asks_a_block) { asks<Adder>(); }
TEST(BlockSocket, a_port_asks_a_target_that_is_no_block_of_ours) { asks<ForeignAdder>(); }

}  // namespace
}  // namespace heddle::sim::block_socket_test
