// The cost of communication on this machine: a call through a block socket compared with a plain virtual
// call, and a clock edge of a busy and of an idle member. Not a test: timings are never asserted.
#include <benchmark/benchmark.h>

#include <memory>
#include <systemc>
#include <vector>

#include "sim/block_socket.h"
#include "sim/clock.h"

namespace {

struct Request {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};
struct Protocol {
  using tlm_payload_type = Request;
  using tlm_phase_type = tlm::tlm_phase;
};

struct Server : sc_core::sc_module {
  explicit Server(const sc_core::sc_module_name& name) : sc_module(name) {}
  void serve(Request& request) { request.out = request.in + 1; }
  heddle::sim::BlockTarget<Protocol, Server, &Server::serve> tsock{"tsock", this};
};
struct Client : sc_core::sc_module {
  explicit Client(const sc_core::sc_module_name& name) : sc_module(name) {}
  heddle::sim::BlockInitiator<Protocol> isock{"isock"};
};

struct Interface {
  virtual ~Interface() = default;
  virtual void serve(Request& request) = 0;
};
struct Implementation : Interface {
  void serve(Request& request) override { request.out = request.in + 1; }
};

struct Ticker : sc_core::sc_module {
  Ticker(const sc_core::sc_module_name& name, heddle::sim::ClockDomain& domain, bool busy)
      : sc_module(name), clock(domain, heddle::sim::on_tick<&Ticker::tick>(this)), busy_(busy) {
    clock.wake();
  }
  heddle::sim::ClockMember clock;

 private:
  void tick() { busy_ ? clock.again() : clock.park(); }
  bool busy_;
};

Client* client = nullptr;

void virtual_call(benchmark::State& state) {
  const std::unique_ptr<Interface> target = std::make_unique<Implementation>();
  Interface* hidden = target.get();
  benchmark::DoNotOptimize(hidden);
  Request request;
  for (auto _ : state) {
    hidden->serve(request);
    request.in = request.out;
    benchmark::DoNotOptimize(request);
    benchmark::DoNotOptimize(hidden);
  }
  benchmark::DoNotOptimize(request);
}

void block_socket_call(benchmark::State& state) {
  Request request;
  for (auto _ : state) {
    client->isock.call(request);
    request.in = request.out;
    benchmark::DoNotOptimize(request);
  }
  benchmark::DoNotOptimize(request);
}

/// One iteration: 1000 cycles of the domain, in which one member is always busy and the others are parked.
void thousand_cycles(benchmark::State& state) {
  for (auto _ : state) sc_core::sc_start(1, sc_core::SC_US);
}

}  // namespace

int sc_main(int argc, char** argv) {
  Client c("client");
  Server s("server");
  c.isock.bind(s.tsock);
  client = &c;
  heddle::sim::ClockManager manager("clocks");
  heddle::sim::ClockDomain domain(manager, "core", 1000, heddle::sim::ClockRank::kCore);
  std::vector<std::unique_ptr<Ticker>> tickers;
  tickers.push_back(std::make_unique<Ticker>("busy", domain, true));
  for (int i = 0; i < 79; ++i)
    tickers.push_back(std::make_unique<Ticker>(("idle" + std::to_string(i)).c_str(), domain, false));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  benchmark::RegisterBenchmark("virtual call", virtual_call);
  benchmark::RegisterBenchmark("block socket b_transport", block_socket_call);
  benchmark::RegisterBenchmark("1000 clock edges, 1 busy member, 79 parked", thousand_cycles);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
