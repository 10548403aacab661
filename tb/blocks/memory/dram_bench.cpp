// The DRAM channel, driven by a base-protocol initiator through a checker.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "blocks/isolated.h"
#include "blocks/protocol_checker.h"
#include "memory/dram_channel.h"
#include "memory/dram_pool.h"

namespace heddle::tb::dram_bench {
namespace {

using Json = nlohmann::ordered_json;
using memory::DramTransaction;

/// Random reads and writes of any bytes of a line at its own pace (not in the DRAM's clock), with byte
/// enables, annotated delays on BEGIN_REQ and END_RESP, and immediate or delayed END_RESP.
class Initiator : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
 public:
  SC_HAS_PROCESS(Initiator);
  tlm::tlm_initiator_socket<> isock;

  Initiator(const sc_core::sc_module_name& name, std::uint64_t seed, unsigned requests, bool slow_responses)
      : sc_module(name), isock("isock"), random_(seed), requests_(requests), slow_responses_(slow_responses) {
    isock.bind(*this);
    SC_METHOD(run);
  }

  [[nodiscard]] bool done() const { return sent_ == requests_ && expected_.empty() && ending_ == nullptr; }
  std::vector<std::string> errors;
  memory::SparseMemory reference;

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_REQ) {
      beginning_ = false;
      free_at_ = sc_core::sc_time_stamp() + delay;
      return tlm::TLM_ACCEPTED;
    }
    check(payload);
    if (slow_responses_ && random_() % 3 == 0) {
      ending_ = &payload;
      end_at_ = sc_core::sc_time_stamp() + delay + nanoseconds(1 + random_() % 60);
      return tlm::TLM_ACCEPTED;
    }
    payload.release();
    phase = tlm::END_RESP;
    if (random_() % 4 == 0) delay += nanoseconds(random_() % 20);
    return random_() % 2 == 0 ? tlm::TLM_UPDATED : tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

 private:
  struct Expected {
    std::vector<unsigned char> data;  ///< reads: the expected value of all of the payload's data
    std::vector<unsigned char> enables;
  };
  static sc_core::sc_time nanoseconds(std::uint64_t n) { return {static_cast<double>(n), sc_core::SC_NS}; }

  void run() {
    if (ending_ != nullptr && sc_core::sc_time_stamp() >= end_at_) {
      tlm::tlm_generic_payload& payload = *ending_;
      ending_ = nullptr;
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_core::sc_time delay = nanoseconds(random_() % 3);
      isock->nb_transport_fw(payload, phase, delay);
      payload.release();
    }
    if (sent_ < requests_ && !beginning_ && sc_core::sc_time_stamp() >= free_at_) send();
    if (!done()) next_trigger(nanoseconds(1 + random_() % 12));
  }

  void send() {
    const bool write = random_() % 3 == 0;
    // Four rows in each of four banks.
    const auto first = static_cast<unsigned>(random_() % 128);
    const unsigned bytes =
        random_() % 2 == 0 ? 128 - first : 1 + static_cast<unsigned>(random_() % (128 - first));
    const std::uint64_t address =
        random_() % 4 * 16 * 4096 + random_() % 4 * 4096 + random_() % 32 * 128 + first;
    DramTransaction& t =
        pool_.allocate(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, bytes);
    for (unsigned char& b : t.data) b = static_cast<unsigned char>(random_());
    Expected& e = expected_[&t];
    e = {};
    if (random_() % 2 == 0) {
      e.enables.resize(1 + random_() % 40);  // shorter or longer than the data
      for (unsigned char& byte : e.enables) byte = random_() % 3 == 0 ? 0xff : 0;
      t.set_byte_enable_ptr(e.enables.data());
      t.set_byte_enable_length(static_cast<unsigned>(e.enables.size()));
    }
    const auto enabled = [&](unsigned i) {
      return e.enables.empty() || e.enables[i % e.enables.size()] != 0;
    };
    if (write) {
      for (unsigned i = 0; i < bytes; ++i)
        if (enabled(i)) reference.write(address + i, &t.data[i], 1);
    } else {
      e.data.resize(bytes);
      reference.read(address, e.data.data(), bytes);
      for (unsigned i = 0; i < bytes; ++i)
        if (!enabled(i)) e.data[i] = t.data[i];  // unchanged
    }
    ++sent_;
    beginning_ = true;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = nanoseconds(random_() % 5);
    free_at_ = sc_core::sc_time_stamp() + delay;  // requests may not be annotated backwards in time
    if (isock->nb_transport_fw(t, phase, delay) == tlm::TLM_UPDATED) {
      beginning_ = false;
      free_at_ = sc_core::sc_time_stamp() + delay;
    }
  }

  void check(tlm::tlm_generic_payload& payload) {
    const auto it = expected_.find(&payload);
    if (!payload.is_response_ok()) errors.push_back(payload.get_response_string());
    const std::vector<unsigned char>& data = it->second.data;
    if (!data.empty() && std::memcmp(data.data(), payload.get_data_ptr(), data.size()) != 0)
      errors.push_back("wrong data at " + std::to_string(payload.get_address()));
    expected_.erase(it);
  }

  std::mt19937_64 random_;
  unsigned requests_;
  bool slow_responses_;
  memory::DramPool pool_;
  std::map<const tlm::tlm_generic_payload*, Expected> expected_;  // lookups only, so the order of pointers
                                                                  // does not matter
  unsigned sent_ = 0;
  bool beginning_ = false;
  sc_core::sc_time free_at_;
  tlm::tlm_generic_payload* ending_ = nullptr;
  sc_core::sc_time end_at_;
};

Json simulate(std::uint64_t seed, const memory::DramConfig& config, bool slow_responses,
              unsigned quantum_ns) {
  sim::ClockManager clocks("clocks");
  clocks.set_quantum(sc_core::sc_time(quantum_ns, sc_core::SC_NS));
  sim::ClockDomain clock(clocks, "dram", 924, sim::ClockRank::kDram);
  base::StatGroup stats("dram");
  memory::DramChannel dram("dram", config, clock, stats);
  Initiator initiator("initiator", seed, 3000, slow_responses);
  ProtocolChecker<> checker("checker");
  initiator.isock.bind(checker.tsock);
  checker.isock.bind(dram.dram_tsock);
  for (int i = 0; i < 1000 && !(initiator.done() && dram.idle()); ++i) sc_core::sc_start(1, sc_core::SC_US);
  Json errors = Json::array();
  if (!initiator.done() || !dram.idle()) errors.push_back("not everything came back");
  for (const std::string& e : checker.errors()) errors.push_back(e);
  for (const std::string& e : initiator.errors) errors.push_back(e);
  if (checker.outstanding() != 0) errors.push_back("transactions left in the checker");
  for (std::uint64_t address = 0; address < 4ull * 16 * 4096; address += 1024) {
    std::array<unsigned char, 1024> got{}, want{};
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(address);
    payload.set_data_ptr(got.data());
    payload.set_data_length(1024);
    if (checker.transport_dbg(payload) != 1024) errors.push_back("debug read refused");
    initiator.reference.read(address, want.data(), 1024);
    if (got != want) errors.push_back("wrong final value near " + std::to_string(address));
  }
  return {{"errors", errors}, {"late_ends", checker.late_ends()}, {"stats", stats.to_json()}};
}

TEST(DramChannel, RandomTrafficObeysTheBaseProtocolAndKeepsValues) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    memory::DramConfig config;
    config.queue_depth = seed % 2 == 0 ? 4 : 32;
    config.latency_cycles = seed % 3 == 0 ? 0 : 132;
    config.t_refi = seed % 4 == 0 ? 0 : 500;
    config.bank_skew = seed % 3 == 1;
    if (seed > 6) {
      config.banks = 11;
      config.bank_groups = 3;
      config.row_bytes = 3 * 128;
      config.bank_interleave_bytes = 5 * 128;
      config.burst_bytes = 48;
    }
    config.validate();
    const Json result =
        isolated([&] { return simulate(seed, config, seed % 2 == 1, seed % 5 == 0 ? 100 : 0); });
    ASSERT_EQ(result["errors"], Json::array()) << "seed " << seed;
    const Json& s = result["stats"];
    EXPECT_GT(seed % 2 == 1 ? result["late_ends"] : s["late_ends"], 100) << "the stalls did not happen";
    EXPECT_EQ(s["reads"].get<int>() + s["writes"].get<int>(), 3000);
    EXPECT_EQ(s["row_hits"].get<int>() + s["row_misses"].get<int>() + s["row_conflicts"].get<int>(), 3000);
    EXPECT_GT(s["row_hits"], 100);
    EXPECT_GT(s["row_conflicts"], 100);
    EXPECT_EQ(s["refreshes"] > 10, config.t_refi != 0);
  }
}

/// Sends one request at a time, or reports the answer to a call that is not a request.
struct Probe : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  tlm::tlm_initiator_socket<> isock{"isock"};
  sc_core::sc_time response_at;
  int responses = 0;
  explicit Probe(const sc_core::sc_module_name& name) : sc_module(name) { isock.bind(*this); }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    response_at = sc_core::sc_time_stamp() + delay;
    ++responses;
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct ProbeRig {
  sim::ClockManager clocks{"clocks"};
  sim::ClockDomain clock{clocks, "dram", 1000, sim::ClockRank::kDram};
  base::StatGroup stats{"dram"};
  memory::DramChannel dram{"dram", {}, clock, stats};
  Probe probe{"probe"};
  memory::DramPool pool;
  ProbeRig() { probe.isock.bind(dram.dram_tsock); }
};

Json time_one_request() {
  ProbeRig rig;
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_NS));
  DramTransaction& t = rig.pool.allocate(tlm::TLM_READ_COMMAND, 0x1000, 128);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay(2.5, sc_core::SC_NS);  // arrives at 102.5 ns, is seen at the edge at 103 ns
  rig.probe.isock->nb_transport_fw(t, phase, delay);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  // ACT at 103, reads at 115 and 118 (tCCDL), data end at 118 + tCL + 2 = 132, controller pipeline 132.
  return {{"ns", rig.probe.response_at.to_seconds() * 1e9}, {"responses", rig.probe.responses}};
}

TEST(DramChannel, AnswersARowMissAtTheCycleTheTimingGives) {
  const Json result = isolated(time_one_request);
  EXPECT_EQ(result["responses"], 1);
  EXPECT_NEAR(result["ns"].get<double>(), 132 + 132, 1e-6);
}

Json refuse_bad_requests() {
  ProbeRig rig;
  Json answers = Json::array();
  const auto send = [&](std::uint64_t address, unsigned bytes, unsigned width, tlm::tlm_command command) {
    DramTransaction& t = rig.pool.allocate(command, address, bytes);
    t.set_streaming_width(width);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const auto status = rig.probe.isock->nb_transport_fw(t, phase, delay);
    answers.push_back({status == tlm::TLM_COMPLETED, t.get_response_string()});
    t.release();
  };
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  send(4096 - 64, 128, 128, tlm::TLM_READ_COMMAND);  // two rows
  send(0, 128, 64, tlm::TLM_WRITE_COMMAND);          // streaming
  send(0, 0, 0, tlm::TLM_READ_COMMAND);
  send(0, 64, 64, tlm::TLM_IGNORE_COMMAND);
  return {{"answers", answers}, {"idle", rig.dram.idle()}};
}

TEST(DramChannel, CompletesRequestsItCannotServeWithAnError) {
  const Json result = isolated(refuse_bad_requests);
  const std::string burst = "TLM_BURST_ERROR_RESPONSE";
  EXPECT_EQ(result["answers"],
            Json({{true, burst}, {true, burst}, {true, burst}, {true, "TLM_OK_RESPONSE"}}));
  EXPECT_EQ(result["idle"], true);
}

Json blocking_transport() {
  ProbeRig rig;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::array<unsigned char, 64> data{};
  data.fill(7);
  tlm::tlm_generic_payload payload;
  payload.set_write();
  payload.set_address(4090);  // rows do not matter here
  payload.set_data_ptr(data.data());
  payload.set_data_length(64);
  payload.set_streaming_width(64);
  sc_core::sc_time delay;
  rig.probe.isock->b_transport(payload, delay);
  const bool ok = payload.is_response_ok();
  payload.set_read();
  data.fill(0);
  rig.probe.isock->b_transport(payload, delay);
  return {{"ok", ok && payload.is_response_ok()}, {"value", data[63]}, {"ns", delay.to_seconds() * 1e9}};
}

TEST(DramChannel, BlockingTransportMovesDataAndAddsALatency) {
  const Json result = isolated(blocking_transport);
  EXPECT_EQ(result["ok"], true);
  EXPECT_EQ(result["value"], 7);
  // tRCD + tWL + burst + pipeline, then tRCD + tCL + burst + pipeline.
  EXPECT_NEAR(result["ns"].get<double>(), (12 + 4 + 2 + 132) + (12 + 12 + 2 + 132), 1e-6);
}

}  // namespace
}  // namespace heddle::tb::dram_bench
