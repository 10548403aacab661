// The protocol checker reports every kind of violation, and nothing else.
#include "blocks/protocol_checker.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "memory/dram_pool.h"
#include "sim/memory_socket.h"

namespace heddle::tb::protocol_checker_bench {
namespace {

using Payload = tlm::tlm_generic_payload;
using Answer = std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase&, sc_core::sc_time&)>;

struct Target : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
  tlm::tlm_target_socket<> tsock{"tsock"};
  Answer answer;
  std::function<void(Payload&, sc_core::sc_time&)> blocking;
  explicit Target(const sc_core::sc_module_name& name) : sc_module(name) { tsock.bind(*this); }
  tlm::tlm_sync_enum nb_transport_fw(Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    return answer(p, phase, delay);
  }
  void b_transport(Payload& p, sc_core::sc_time& delay) override { blocking(p, delay); }
  unsigned transport_dbg(Payload&) override { return 0; }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }
};

struct Initiator : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  tlm::tlm_initiator_socket<> isock{"isock"};
  Answer answer;
  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) { isock.bind(*this); }
  tlm::tlm_sync_enum nb_transport_bw(Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    return answer(p, phase, delay);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

sc_core::sc_time ns(double n) { return {n, sc_core::SC_NS}; }

Answer returns(tlm::tlm_sync_enum status) {
  return [status](Payload&, tlm::tlm_phase&, sc_core::sc_time&) { return status; };
}
Answer updates(const tlm::tlm_phase& to, const sc_core::sc_time& more = {}) {
  return [to, more](Payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    phase = to;
    delay += more;
    return tlm::TLM_UPDATED;
  };
}

/// An initiator and a target driven by a test, with the checker in between.
struct Rig {
  Initiator initiator{sc_core::sc_gen_unique_name("initiator")};
  ProtocolChecker<> checker{sc_core::sc_gen_unique_name("checker")};
  Target target{sc_core::sc_gen_unique_name("target")};
  memory::DramPool pool;

  Rig() {
    initiator.isock.bind(checker.tsock);
    checker.isock.bind(target.tsock);
    target.answer = initiator.answer = returns(tlm::TLM_ACCEPTED);
  }
  Payload& make() { return pool.allocate(tlm::TLM_READ_COMMAND, 0x1000, 64); }
  tlm::tlm_sync_enum forward(Payload& p, tlm::tlm_phase phase, const sc_core::sc_time& delay = {}) {
    sc_core::sc_time d = delay;
    return initiator.isock->nb_transport_fw(p, phase, d);
  }
  tlm::tlm_sync_enum backward(Payload& p, tlm::tlm_phase phase, const sc_core::sc_time& delay = {}) {
    sc_core::sc_time d = delay;
    if (phase == tlm::BEGIN_RESP) p.set_response_status(tlm::TLM_OK_RESPONSE);
    return target.tsock->nb_transport_bw(p, phase, d);
  }
  Payload& begun() {
    Payload& p = make();
    forward(p, tlm::BEGIN_REQ);
    return p;
  }
  Payload& requested() {
    Payload& p = begun();
    backward(p, tlm::END_REQ);
    return p;
  }
  Payload& responding() {
    Payload& p = requested();
    backward(p, tlm::BEGIN_RESP);
    return p;
  }
};

struct Case {
  const char* message;  ///< must be among the errors; empty: no errors are expected
  std::function<void(Rig&)> run;
};

const std::vector<Case>& violations() {
  static const std::vector<Case> cases{
      {"phase not allowed on the forward path", [](Rig& r) { r.forward(r.begun(), tlm::END_REQ); }},
      {"phase not allowed on the backward path", [](Rig& r) { r.backward(r.begun(), tlm::BEGIN_REQ); }},
      {"BEGIN_REQ answered with a phase that does not follow it",
       [](Rig& r) {
         r.target.answer = updates(tlm::END_RESP);
         r.begun();
       }},
      {"BEGIN_RESP answered with a phase that does not follow it",
       [](Rig& r) {
         Payload& p = r.requested();
         r.initiator.answer = updates(tlm::END_REQ);
         r.backward(p, tlm::BEGIN_RESP);
       }},
      {"END_RESP answered with TLM_UPDATED",
       [](Rig& r) {
         Payload& p = r.responding();
         r.target.answer = updates(tlm::END_RESP);
         r.forward(p, tlm::END_RESP);
       }},
      {"END_REQ not answered with TLM_ACCEPTED",
       [](Rig& r) {
         Payload& p = r.begun();
         r.initiator.answer = returns(tlm::TLM_COMPLETED);
         r.backward(p, tlm::END_REQ);
       }},
      {"END_REQ of a transaction that is not under way", [](Rig& r) { r.backward(r.make(), tlm::END_REQ); }},
      {"BEGIN_RESP of a transaction that is not under way",
       [](Rig& r) { r.backward(r.make(), tlm::BEGIN_RESP); }},
      {"END_RESP of a transaction that is not under way", [](Rig& r) { r.forward(r.make(), tlm::END_RESP); }},
      {"END_REQ twice or after BEGIN_RESP", [](Rig& r) { r.backward(r.requested(), tlm::END_REQ); }},
      {"END_REQ twice or after BEGIN_RESP", [](Rig& r) { r.backward(r.responding(), tlm::END_REQ); }},
      {"BEGIN_RESP twice", [](Rig& r) { r.backward(r.responding(), tlm::BEGIN_RESP); }},
      {"END_RESP without BEGIN_RESP", [](Rig& r) { r.forward(r.requested(), tlm::END_RESP); }},
      {"BEGIN_REQ before the previous request ended",
       [](Rig& r) {
         r.begun();
         r.begun();
       }},
      {"BEGIN_REQ before the annotated END_REQ",
       [](Rig& r) {
         r.target.answer = updates(tlm::END_REQ, ns(5));
         r.begun();
         r.forward(r.make(), tlm::BEGIN_REQ, ns(4));
       }},
      {"BEGIN_RESP before the previous response ended",
       [](Rig& r) {
         Payload& first = r.requested();
         Payload& second = r.requested();
         r.backward(first, tlm::BEGIN_RESP);
         r.backward(second, tlm::BEGIN_RESP);
       }},
      {"BEGIN_RESP before the annotated END_RESP",
       [](Rig& r) {
         Payload& first = r.requested();
         Payload& second = r.requested();
         r.initiator.answer = updates(tlm::END_RESP, ns(5));
         r.backward(first, tlm::BEGIN_RESP);
         r.backward(second, tlm::BEGIN_RESP, ns(4));
       }},
      {"a phase before the one that precedes it",
       [](Rig& r) {
         Payload& p = r.make();
         r.forward(p, tlm::BEGIN_REQ, ns(3));
         r.backward(p, tlm::END_REQ, ns(2));
       }},
      {"a phase before the one that precedes it",
       [](Rig& r) {
         Payload& p = r.begun();
         r.backward(p, tlm::END_REQ, ns(3));
         r.backward(p, tlm::BEGIN_RESP, ns(1));
       }},
      {"the callee shortened the delay",
       [](Rig& r) {
         r.target.answer = [](Payload& p, tlm::tlm_phase&, sc_core::sc_time& delay) {
           p.set_response_status(tlm::TLM_OK_RESPONSE);
           delay = sc_core::SC_ZERO_TIME;
           return tlm::TLM_COMPLETED;
         };
         r.forward(r.make(), tlm::BEGIN_REQ, ns(3));
       }},
      {"TLM_ACCEPTED with another phase",
       [](Rig& r) {
         r.target.answer = [](Payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
           phase = tlm::END_REQ;
           return tlm::TLM_ACCEPTED;
         };
         r.begun();
       }},
      {"TLM_ACCEPTED with another delay",
       [](Rig& r) {
         Payload& p = r.requested();
         r.initiator.answer = [](Payload&, tlm::tlm_phase&, sc_core::sc_time& delay) {
           delay += ns(1);
           return tlm::TLM_ACCEPTED;
         };
         r.backward(p, tlm::BEGIN_RESP);
       }},
      {"transaction object reused before it ended",
       [](Rig& r) {
         Payload& p = r.requested();
         r.forward(p, tlm::BEGIN_REQ);
       }},
      {"no memory manager or not referenced",
       [](Rig& r) {
         static Payload bare;
         r.forward(bare, tlm::BEGIN_REQ);
       }},
      {"no memory manager or not referenced",
       [](Rig& r) {
         Payload& p = r.make();
         p.release();
         r.forward(p, tlm::BEGIN_REQ);
       }},
      {"begins with a response status",
       [](Rig& r) {
         Payload& p = r.make();
         p.set_response_status(tlm::TLM_OK_RESPONSE);
         r.forward(p, tlm::BEGIN_REQ);
       }},
      {"begins with a DMI hint",
       [](Rig& r) {
         Payload& p = r.make();
         p.set_dmi_allowed(true);
         r.forward(p, tlm::BEGIN_REQ);
       }},
      {"response without a status",
       [](Rig& r) {
         r.target.answer = returns(tlm::TLM_COMPLETED);
         r.begun();
       }},
      {"response without a status",
       [](Rig& r) {
         Payload& p = r.requested();
         sc_core::sc_time delay;
         tlm::tlm_phase phase = tlm::BEGIN_RESP;
         r.target.tsock->nb_transport_bw(p, phase, delay);
       }},
      {"the callee shortened the delay",
       [](Rig& r) {
         r.target.blocking = [](Payload& p, sc_core::sc_time& delay) {
           p.set_response_status(tlm::TLM_OK_RESPONSE);
           delay = sc_core::SC_ZERO_TIME;
         };
         sc_core::sc_time delay = ns(2);
         r.initiator.isock->b_transport(r.make(), delay);
       }},
      {"response without a status",
       [](Rig& r) {
         r.target.blocking = [](Payload&, sc_core::sc_time&) {};
         sc_core::sc_time delay;
         r.initiator.isock->b_transport(r.make(), delay);
       }},
  };
  return cases;
}

/// Changes each of the attributes that must not change.
std::vector<Case> changed_attributes() {
  static std::array<unsigned char, 64> elsewhere{};
  const std::vector<std::function<void(Payload&)>> changes{
      [](Payload& p) { p.set_command(tlm::TLM_WRITE_COMMAND); },
      [](Payload& p) { p.set_data_ptr(elsewhere.data()); },
      [](Payload& p) { p.set_data_length(32); },
      [](Payload& p) { p.set_byte_enable_ptr(elsewhere.data()); },
      [](Payload& p) { p.set_byte_enable_length(4); },
      [](Payload& p) { p.set_streaming_width(16); },
  };
  std::vector<Case> cases;
  for (const auto& change : changes)
    cases.push_back({"attributes changed on the way", [change](Rig& r) {
                       Payload& p = r.requested();
                       change(p);
                       r.backward(p, tlm::BEGIN_RESP);
                     }});
  return cases;
}

/// Behaviour that the standard allows.
std::vector<Case> legal() {
  const auto ok = [](const Answer& answer) {
    return [answer](Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
      p.set_response_status(tlm::TLM_OK_RESPONSE);
      return answer(p, phase, delay);
    };
  };
  return {
      {"", [](Rig& r) { r.forward(r.responding(), tlm::END_RESP); }},
      {"", [](Rig& r) { r.backward(r.begun(), tlm::BEGIN_RESP); }},  // END_REQ is implied
      {"",
       [](Rig& r) {  // an interconnect maps addresses
         Payload& p = r.requested();
         p.set_address(0x2000);
         r.backward(p, tlm::BEGIN_RESP);
       }},
      {"",
       [ok](Rig& r) {
         r.target.answer = ok(returns(tlm::TLM_COMPLETED));
         r.begun();
         r.begun();
       }},
      {"",
       [ok](Rig& r) {
         r.target.answer = ok(updates(tlm::BEGIN_RESP, ns(7)));
         Payload& p = r.begun();
         r.target.answer = returns(tlm::TLM_COMPLETED);
         r.forward(p, tlm::END_RESP, ns(8));
         r.target.answer = ok(updates(tlm::BEGIN_RESP));
         r.forward(r.make(), tlm::BEGIN_REQ, ns(8));
       }},
      {"",
       [](Rig& r) {
         r.target.answer = updates(tlm::END_REQ, ns(5));
         Payload& first = r.begun();
         Payload& second = r.make();
         r.forward(second, tlm::BEGIN_REQ, ns(5));
         r.initiator.answer = updates(tlm::END_RESP, ns(5));
         r.backward(second, tlm::BEGIN_RESP, ns(10));  // overtakes
         r.initiator.answer = returns(tlm::TLM_COMPLETED);
         r.backward(first, tlm::BEGIN_RESP, ns(15));
       }},
      {"",
       [](Rig& r) {
         r.target.blocking = [](Payload& p, sc_core::sc_time& delay) {
           p.set_response_status(tlm::TLM_OK_RESPONSE);
           delay += ns(100);
         };
         sc_core::sc_time delay;
         r.initiator.isock->b_transport(r.make(), delay);
       }},
  };
}

/// Accepts everything.
struct MemoryEnds : sc_core::sc_module, sim::MemoryInitiatorOwner, sim::MemoryTargetOwner {
  sim::MemoryInitiatorSocket isock{"isock", this};
  sim::MemoryTargetSocket tsock{"tsock", this};
  explicit MemoryEnds(const sc_core::sc_module_name& name) : sc_module(name) {}
  tlm::tlm_sync_enum memory_nb_transport_bw(unsigned, Payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum memory_nb_transport_fw(unsigned, Payload&, tlm::tlm_phase& phase,
                                            sc_core::sc_time&) override {
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  unsigned memory_transport_dbg(unsigned, Payload&) override { return 0; }
};

TEST(ProtocolChecker, APostedMessageEndsWithItsEndReq) {
  const auto result = isolated([]() -> nlohmann::ordered_json {
    MemoryEnds ends("ends");
    ProtocolChecker<sim::MemoryProtocol> checker("checker");
    ends.isock.bind(checker.tsock);
    checker.isock.bind(ends.tsock);
    sim::MemoryPool pool;
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    sim::MemoryTransaction& message =
        pool.allocate_message(base::PartitionId{0}, sim::message_owner("TEST"), 0);
    message.extension.message.posted = true;
    sc_core::sc_time delay;
    for (int i = 0; i < 2; ++i) {
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      ends.isock->nb_transport_fw(message, phase, delay);
    }
    nlohmann::ordered_json out{{"clean", checker.errors()}, {"outstanding", checker.outstanding()}};
    message.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    ends.tsock->nb_transport_bw(message, phase, delay);
    out["answered"] = checker.errors();
    return out;
  });
  EXPECT_EQ(result["clean"], nlohmann::ordered_json::array()) << result;
  EXPECT_EQ(result["outstanding"], 0);
  EXPECT_NE(result["answered"].dump().find("BEGIN_RESP of a transaction that is not under way"),
            std::string::npos)
      << result;
}

TEST(ProtocolChecker, ReportsEveryViolationAndNothingElse) {
  std::vector<Case> cases = violations();
  for (const std::vector<Case>& more : {changed_attributes(), legal()})
    cases.insert(cases.end(), more.begin(), more.end());
  std::vector<std::unique_ptr<Rig>> rigs;
  for (std::size_t i = 0; i < cases.size(); ++i) rigs.push_back(std::make_unique<Rig>());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].run(*rigs[i]);
    const std::vector<std::string>& errors = rigs[i]->checker.errors();
    const std::string message = cases[i].message;
    std::string all;
    bool found = message.empty();
    for (const std::string& e : errors) {
      all += e + "\n";
      found |= !message.empty() && e.find(message) != std::string::npos;
    }
    EXPECT_TRUE(found) << "case " << i << " should report: " << message << "\nbut:\n" << all;
    if (message.empty()) {
      EXPECT_EQ(all, "") << "case " << i << " is legal";
    }
  }
}

}  // namespace
}  // namespace heddle::tb::protocol_checker_bench
