// Partition units and message clients in a whole GPU that runs workloads.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "blocks/isolated.h"
#include "blocks/memory/random_unit.h"
#include "blocks/memory/strict_memory.h"
#include "blocks/protocol_checker.h"
#include "gpu/gpu.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "workload_scenario.h"

namespace heddle::partition_unit_test {
namespace {

using testing::run;
using testing::Scenario;
using testing::test_name;
using Json = nlohmann::ordered_json;
using Checker = tb::ProtocolChecker<sim::MemoryProtocol>;

/// A block of a core that sends messages to all partitions: some at the start, then one for each answer.
class MessageClient : public sc_core::sc_module {
  void take(core::PortResponse& response) {
    const sim::MemoryExtension& ext = sim::memory_extension(*response.payload);
    ++answers;
    // The answer must contain the sender's tag * 3 in the first word, from any partition.
    if (ext.message.word_count != 2 || ext.message.words[0] != std::uint64_t{ext.tag} * 3) ++wrong;
    send();
  }

 public:
  sim::BlockInitiator<core::PortProtocol> port_isock;
  sim::BlockTarget<core::PortResponseProtocol, MessageClient, &MessageClient::take> response_tsock;

  MessageClient(const sc_core::sc_module_name& name, gpu::Gpu& gpu, std::uint32_t core)
      : sc_module(name),
        port_isock("port_isock"),
        response_tsock("response_tsock", this),
        gpu_(gpu),
        client_(gpu.cores[core]->memory_port().add_client("client")) {
    core::MemoryPort& port = gpu.cores[core]->memory_port();
    port_isock.bind(port.request_tsock[static_cast<unsigned>(client_)]);
    port.response_isock[static_cast<unsigned>(client_)].bind(response_tsock);
  }
  void start_of_simulation() override {
    for (unsigned i = 0; i < 3; ++i) send();
  }

  std::uint64_t answers = 0;
  std::uint64_t wrong = 0;
  std::uint64_t posted = 0;  ///< sum of the amounts in posted messages

 private:
  bool room() {
    core::PortRequest request;
    request.client = client_;
    port_isock.call(request);
    return request.room;
  }
  void put(sim::MemoryTransaction& message) {
    core::PortRequest request;
    request.op = core::PortRequest::Op::kSend;
    request.client = client_;
    request.transaction = &message;
    port_isock.call(request);
  }
  sim::MemoryTransaction& make(tb::TestMessage kind) {
    const base::PartitionId to{tag_ % static_cast<std::uint32_t>(gpu_.partitions.size())};
    sim::MemoryTransaction& message =
        gpu_.pool.allocate_message(to, tb::kRandomUnitOwner, static_cast<std::uint8_t>(kind));
    message.extension.tag = tag_;
    message.extension.message.word_count = 2;
    message.extension.message.request_bytes = 16;
    message.extension.message.words[0] = tag_++;
    return message;
  }
  void send() {
    if (!room()) return;
    put(make(tb::TestMessage::kEcho));
    if (tag_ % 5 != 0 || !room()) return;
    sim::MemoryTransaction& message = make(tb::TestMessage::kCount);
    message.extension.message.posted = true;
    posted += message.extension.message.words[0];
    put(message);
  }

  gpu::Gpu& gpu_;
  core::PortClient client_;
  std::uint32_t tag_ = 0;
};

/// What a test adds to the GPU, and the results. Exists in the GPU's process.
struct Additions {
  std::vector<std::unique_ptr<Checker>> checkers;
  std::vector<tb::RandomUnit*> units;
  std::vector<std::unique_ptr<MessageClient>> clients;

  template <class Unit, class... Args>
  std::unique_ptr<Unit> between_checkers(const memory::PartitionUnitSite& site,
                                         sim::MemoryInitiatorSocket& crossbar, sim::MemoryTargetSocket& l2,
                                         Args&&... args) {
    const std::string number = std::to_string(site.partition.value());
    auto unit = std::make_unique<Unit>(("unit" + number).c_str(), std::forward<Args>(args)..., site);
    Checker& before = *checkers.emplace_back(std::make_unique<Checker>(("before" + number).c_str()));
    Checker& behind = *checkers.emplace_back(std::make_unique<Checker>(("behind" + number).c_str()));
    crossbar.bind(before.tsock);
    before.isock.bind(unit->crossbar_tsock);
    unit->l2_isock.bind(behind.tsock);
    behind.isock.bind(l2);
    return unit;
  }
  memory::PartitionUnitFactory random_units(std::uint64_t seed = 1) {
    return [this, seed](const memory::PartitionUnitSite& site, sim::MemoryInitiatorSocket& crossbar,
                        sim::MemoryTargetSocket& l2) {
      auto unit = between_checkers<tb::RandomUnit>(site, crossbar, l2, tb::RandomUnitConfig{.seed = seed});
      units.push_back(unit.get());
      return unit;
    };
  }
  memory::PartitionUnitFactory plain_units() {
    return
        [this](const memory::PartitionUnitSite& site, sim::MemoryInitiatorSocket& crossbar,
               sim::MemoryTargetSocket& l2) { return between_checkers<tb::PlainUnit>(site, crossbar, l2); };
  }
  std::function<void(gpu::Gpu&)> message_clients() {
    return [this](gpu::Gpu& gpu) {
      for (std::uint32_t i = 0; i < gpu.cores.size(); ++i)
        clients.push_back(std::make_unique<MessageClient>(("client" + std::to_string(i)).c_str(), gpu, i));
    };
  }
  std::function<void(Json&)> inspection() {
    return [this](Json& result) {
      result["violations"] = Json::array();
      std::uint64_t late_ends = 0;
      for (const auto& checker : checkers) {
        late_ends += checker->late_ends();
        for (const std::string& error : checker->errors()) result["violations"].push_back(error);
      }
      result["late_ends"] = late_ends;
      result["answers"] = Json::array();
      std::uint64_t wrong = 0;
      for (const auto& client : clients) {
        result["answers"].push_back(client->answers);
        wrong += client->wrong;
      }
      result["wrong"] = wrong;
    };
  }
};

Scenario with_everything(const std::string& workload, const std::string& platform, Additions& additions) {
  Scenario scenario{workload, platform};
  scenario.units = additions.random_units();
  scenario.extend = additions.message_clients();
  scenario.inspect = additions.inspection();
  return scenario;
}

class UnitsAndClients : public ::testing::TestWithParam<std::string> {};

TEST_P(UnitsAndClients, LeaveTheOraclesMemory) {
  for (const char* platform : {"tiny", "gtx480", "rtx2060"}) {
    Additions additions;
    Scenario scenario = with_everything(GetParam(), platform, additions);
    scenario.oracle = true;
    scenario.statistics = testing::all_of;
    const Json result = run(scenario);
    ASSERT_FALSE(result.contains("errors")) << result["errors"];
    EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
    if (testing::same_on_the_oracle(*workloads::find(GetParam()))) {
      EXPECT_EQ(result["oracle"], "same");
    }
    EXPECT_EQ(result["violations"], Json::array());
    EXPECT_GT(result["late_ends"], 3u) << "the unit held nobody up";
    EXPECT_EQ(result["wrong"], 0u);
    for (const Json& answers : result["answers"]) EXPECT_GT(answers, 30u) << "a client was forgotten";
    std::uint64_t taken = 0, messages = 0, network = 0;
    for (const Json& launch : result["launches"]) {
      network += launch["stats"]["crossbar"]["requests"]["messages"].get<std::uint64_t>();
      for (const auto& [name, group] : launch["stats"].items()) {
        if (!group.contains("unit")) continue;
        taken += group["unit"]["requests"]["taken"].get<std::uint64_t>();
        messages += group["unit"]["messages"].get<std::uint64_t>();
      }
    }
    EXPECT_GT(taken, 20u);
    EXPECT_GT(messages, 20u);
    // Messages in flight when a launch begins are counted by the unit only.
    EXPECT_LE(messages, network + 5 * result["answers"].size());
  }
}

TEST_P(UnitsAndClients, GiveTheSameStatisticsInAnyOrderOfCreation) {
  const auto dump = [](bool clients, std::uint64_t shuffle, bool keep_awake) {
    Additions additions;
    Scenario scenario = with_everything(GetParam(), "gtx480", additions);
    if (!clients) scenario.extend = nullptr;
    scenario.shuffle = shuffle;
    scenario.keep_awake = keep_awake;
    scenario.statistics = testing::text_asleep_or_awake;
    return run(scenario).dump();
  };
  const std::string natural = dump(true, 0, false);
  ASSERT_EQ(natural.find("\"errors\""), std::string::npos) << natural;
  EXPECT_EQ(dump(true, 1, false), natural);
  EXPECT_EQ(dump(true, 42, false), natural);
  // Clients start before the first launch, at whose time all would be awake.
  EXPECT_EQ(dump(false, 0, true), dump(false, 0, false)) << "sleep changes results";
}

TEST_P(UnitsAndClients, AUnitThatWantsNothingChangesNoStatistic) {
  Scenario scenario{GetParam(), "gtx480"};
  scenario.statistics = testing::all_of;
  const Json absent = run(scenario);
  ASSERT_FALSE(absent.contains("errors"));
  Additions additions;
  scenario.units = additions.plain_units();
  Json plain = run(scenario);
  ASSERT_FALSE(plain.contains("errors")) << plain["errors"];
  for (Json& launch : plain["launches"]) {
    for (auto& [name, group] : launch["stats"].items()) group.erase("unit");
    for (const char* direction : {"requests", "responses"})
      for (const char* counter : {"messages", "message_flits"})
        EXPECT_EQ(launch["stats"]["crossbar"][direction].erase(counter), 1u);
  }
  EXPECT_EQ(plain.dump(), absent.dump());
}

INSTANTIATE_TEST_SUITE_P(Some, UnitsAndClients,
                         ::testing::Values("vecadd", "reduction", "bfs", "histogram", "hashtable"),
                         [](const auto& test) { return test_name(test.param); });

// ---- hangs ----

/// Spins until the flag is set.
constexpr const char* kWaitKernel = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 flag_ptr)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [flag_ptr];
LOOP:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra LOOP;
  ret;
}
)";

struct HoldingUnitConfig {
  base::Cycle write_at = base::kNever;  ///< unit cycle; never: it holds messages forever
  bool takes_all = false;               ///< ordinary requests wait for it too
  bool walks = false;                   ///< at `write_at` it reads line after line and writes nothing
};

/// Holds the messages it gets. Writes 1 to `flag` at `write_at` and answers them then.
class HoldingUnit : public memory::PartitionUnit {
 public:
  HoldingUnit(const sc_core::sc_module_name& name, std::uint64_t& flag, const HoldingUnitConfig& config,
              const memory::PartitionUnitSite& site)
      : PartitionUnit(name, tb::kRandomUnitOwner, {}, site), flag_(flag), config_(config), map_(site.map) {}
  [[nodiscard]] std::string describe() const override { return "waits for a test that does not come"; }

 protected:
  bool takes_request(const Payload&) override { return config_.takes_all; }
  base::Cycle cycle(base::Cycle now) override {
    while (request() != nullptr) {
      if (sim::memory_extension(*request()).op == sim::MemoryOp::kMessage)
        held_.push_back(&take_request());
      else if (can_send())
        send(take_request());
      else
        break;
    }
    while (response() != nullptr) {
      take_response().release();
      if (config_.walks) {
        walk();
        continue;
      }
      for (Payload* message : held_) answer(*message);
      held_.clear();
    }
    if (held_.empty() || written_ || config_.write_at == kNever) return kNever;
    if (now < config_.write_at) return config_.write_at;
    written_ = true;
    if (config_.walks) {
      walk();
      return kNever;
    }
    if (map_.partition(flag_) != partition()) return kNever;
    sim::MemoryTransaction& write = own_request(sim::MemoryOp::kWrite, flag_ & ~std::uint64_t{127}, 128);
    const std::uint64_t offset = flag_ & 127;
    write.data[offset] = 1;
    for (unsigned i = 0; i < 4; ++i) write.enables[offset + i] = 0xff;
    send(write);
    return kNever;
  }

 private:
  void walk() {
    const std::uint64_t line = map_.local(flag_ & ~std::uint64_t{127}) + 4096 + std::uint64_t{128} * steps_++;
    send(own_request(sim::MemoryOp::kRead, map_.global(partition(), line), 128));
  }

  std::uint64_t& flag_;
  HoldingUnitConfig config_;
  unsigned steps_ = 0;
  memory::AddressMap map_;
  bool written_ = false;
  std::vector<Payload*> held_;
};

struct WaitRun {
  HoldingUnitConfig unit;
  std::uint64_t dram_answers =
      base::kNever;  ///< a StrictMemory that stops answering after this number; never: Heddle's DRAM channels
  bool clients = true;
  bool units = true;
  bool plain = false;  ///< units that accept no messages
  std::vector<std::string> keys{"cores=2", "memory.partitions=2", "watchdog.check_cycles=64"};

  [[nodiscard]] Json operator()() const {
    return tb::isolated([this]() -> Json {
      Additions additions;
      std::uint64_t flag = 0;
      gpu::RunOptions options;
      options.max_cycles = 2'000'000;
      if (units)
        options.units = [&](const memory::PartitionUnitSite& site, sim::MemoryInitiatorSocket& crossbar,
                            sim::MemoryTargetSocket& l2) {
          return additions.between_checkers<HoldingUnit>(site, crossbar, l2, flag, unit);
        };
      if (plain) options.units = additions.plain_units();
      if (dram_answers != base::kNever)
        options.dram = [this](const gpu::DramSite& site, tlm::tlm_initiator_socket<>& partition) {
          auto memory =
              std::make_unique<tb::StrictMemory>(("memory" + std::to_string(site.partition)).c_str(),
                                                 tb::StrictMemoryConfig{.answers = dram_answers});
          partition.bind(memory->tsock);
          return memory;
        };
      if (clients) options.extend = additions.message_clients();
      try {
        gpu::GpuDevice device(gpu::load_platform("gtx480", keys), options);
        const auto module = device.load_ptx_text(kWaitKernel, "wait.ptx");
        flag = device.upload(std::vector<std::uint32_t>{0}, "flag");
        device.launch(module, "k", {{1, 1, 1}, {32, 1, 1}, 0}, host::Args{}.add(flag));
        return {{"cycles", device.last_launch().cycles}};
      } catch (const base::Error& error) {
        return {{"errors", {error.what()}}, {"exit", static_cast<int>(error.code())}};
      }
    });
  }
};

void expect_words(const Json& result, const std::vector<std::string>& words) {
  const std::string text = result.dump();
  for (const std::string& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << " not in " << text;
}

TEST(PartitionUnitHangs, WhatAUnitHasYetToWriteIsNoHang) {
  WaitRun wait;
  wait.unit.write_at = 100'000;  // about 3000 watchdog checks later
  const Json result = wait();
  ASSERT_FALSE(result.contains("errors")) << result["errors"];
  EXPECT_GT(result["cycles"], 100'000u);
}

TEST(PartitionUnitHangs, RequestsThatPassThroughAUnitHideNoHang) {
  for (const bool takes_all : {false, true}) {
    WaitRun wait;
    wait.clients = false;
    wait.unit.takes_all = takes_all;
    const Json result = wait();
    EXPECT_EQ(result["exit"], static_cast<int>(base::ExitCode::kHang)) << result;
    expect_words(result, {"kernel k hangs", "wait.ptx"});
  }
}

TEST(PartitionUnitHangs, AUnitThatNeverAnswersIsNamed) {
  WaitRun wait;
  wait.keys.emplace_back("watchdog.memory_cycles=10000");
  const Json result = wait();
  EXPECT_EQ(result["exit"], static_cast<int>(base::ExitCode::kHang)) << result;
  expect_words(result,
               {"kernel k hangs: the unit of partition 0 does not answer: it holds 4 messages and 0 requests",
                "done nothing for 2", "waits for a test that does not come", "watchdog.memory_cycles"});
}

TEST(PartitionUnitHangs, OfASilentMemoryAndTheUnitThatWaitsForItTheMemoryIsNamed) {
  WaitRun wait;
  wait.unit = {.write_at = 100'000, .walks = true};
  wait.dram_answers = 100;  // the kernel needs less
  for (const char* key : {"memory.dram.capacity_mib=1", "watchdog.memory_cycles=150000"})
    wait.keys.emplace_back(key);
  const Json result = wait();
  EXPECT_EQ(result["exit"], static_cast<int>(base::ExitCode::kHang)) << result;
  expect_words(result, {"the memory of partition 0 does not answer", "100 answered so far",
                        "the oldest: read", "waiting for it: the partition's unit", "wait.ptx"});
}

TEST(PartitionUnits, AMessageWithoutAUnitIsAnError) {
  WaitRun wait;
  wait.units = false;
  expect_words(wait(),
               {"partition0", "a message of 'TEST' from core 0, and no partition unit is bound here"});
}

TEST(PartitionUnits, AMessageForAnotherUnitIsAnError) {
  WaitRun wait;
  wait.plain = true;
  expect_words(wait(), {"unit0", "a message of 'TEST' from core 0: this unit is not for it"});
}

}  // namespace
}  // namespace heddle::partition_unit_test
