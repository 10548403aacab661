// The arithmetic of energies on statistics made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "energy/energy_account.h"

namespace heddle::energy::energy_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<EnergyClass> table() {
  return {
      {"cache",
       "a cache",
       {{"read", 10, "one line read", {{"core*.cache.hits"}, {"core*.cache.write_backs"}}},
        {"fill", 2.5, "one line written", {{"core*.cache.fills"}}}}},
      {"dram", "a memory", {{"byte", 0.125, "one byte", {{"dram.*_bytes"}}}}},
      {"stack", "a stack", {{"push", 3, "one entry", {{"core*.branch_unit.divergences", 2}}}}, {"stack"}},
      {"splits", "a table", {{"entry", 7, "one entry", {{"core*.branch_unit.divergences"}}}}, {"splits"}}};
}

/// Two cores with a cache and a branch unit each, and a memory.
class Energy : public testing::Test {
 protected:
  Energy() {
    for (unsigned c = 0; c < 2; ++c) {
      base::StatGroup& core = gpu_.child("core" + std::to_string(c));
      base::StatGroup& cache = core.child("cache");
      cache.counter("hits", "", "", &hits_[c]);
      cache.counter("fills", "", "", &fills_[c]);
      cache.counter("write_backs", "", "", &write_backs_[c]);
      core.child("branch_unit").counter("divergences", "", "", &divergences_[c]);
    }
    base::StatGroup& dram = gpu_.child("dram");
    dram.counter("read_bytes", "", "", &read_bytes_);
    dram.counter("write_bytes", "", "", &write_bytes_);
  }
  [[nodiscard]] std::uint64_t energy(const std::string& path) const { return gpu_.count("energy." + path); }

  base::StatGroup gpu_{"gpu"};
  std::uint64_t hits_[2] = {3, 4}, fills_[2] = {0, 8}, write_backs_[2] = {5, 0}, divergences_[2] = {1, 10};
  std::uint64_t read_bytes_ = 1000, write_bytes_ = 24;
};

TEST_F(Energy, IsEventsTimesEnergyPerEvent) {
  declare_energy(gpu_, EnergyConfig(table()), {"stack"});
  EXPECT_EQ(energy("cache.read"), (3u + 4 + 5) * 10'000);
  EXPECT_EQ(energy("cache.fill"), 8u * 2'500);
  EXPECT_EQ(energy("dram.byte"), 1024u * 125);
  EXPECT_EQ(energy("stack.push"), 11u * 2 * 3'000) << "two entries a divergence";
  EXPECT_EQ(energy("cache.dynamic"), energy("cache.read") + energy("cache.fill"));
  EXPECT_EQ(energy("dynamic"), 120'000u + 20'000 + 128'000 + 66'000) << "the sum of the classes";
}

TEST_F(Energy, TablesOfAnotherMechanismAreNotThere) {
  declare_energy(gpu_, EnergyConfig(table()), {"splits"});
  EXPECT_FALSE(gpu_.to_json()["energy"].contains("stack"));
  EXPECT_EQ(energy("splits.entry"), 11u * 7'000);
  EXPECT_EQ(energy("dynamic"), 120'000u + 20'000 + 128'000 + 77'000);
}

TEST_F(Energy, AnEventThatNeedsATableCountsNothingWithoutIt) {
  std::vector<EnergyClass> classes = table();
  classes[0].events[0].needs = "core*.array.checks";
  classes[0].events[1].needs = "core*.cache.hits";
  declare_energy(gpu_, EnergyConfig(classes), {"stack"});
  EXPECT_EQ(energy("cache.read"), 0u);
  EXPECT_EQ(energy("cache.fill"), 8u * 2'500);
}

TEST_F(Energy, FollowsTheCounters) {
  declare_energy(gpu_, EnergyConfig(table()), {"stack"});
  const std::uint64_t before = energy("dynamic");
  ++fills_[0];
  EXPECT_EQ(energy("dynamic"), before + 2'500);
  gpu_.reset();
  EXPECT_EQ(energy("dynamic"), 0u) << "of the present launch";
  hits_[1] += 2;
  EXPECT_EQ(energy("dynamic"), 20'000u);
}

TEST_F(Energy, OfSeveralLaunchesIsTheSum) {
  declare_energy(gpu_, EnergyConfig(table()), {"stack"});
  base::StatValues launches;
  std::uint64_t sum = 0;
  for (const std::uint64_t work : {1u, 20u, 300u}) {
    gpu_.reset();
    hits_[0] += work;
    read_bytes_ += 3 * work;
    divergences_[1] += work / 2;
    sum += energy("dynamic");
    gpu_.add_to(launches);
  }
  const std::string present = gpu_.to_json().dump();
  EXPECT_EQ(gpu_.to_json(launches)["energy"]["dynamic"], sum);
  EXPECT_EQ(gpu_.to_json().dump(), present);
}

TEST_F(Energy, IsProportionalToEachKey) {
  const EnergyConfig one(table());
  EnergyConfig twice = one;
  twice.classes[0].events[1].picojoules *= 2;
  base::StatGroup other("gpu");
  other.child("core0").child("cache").counter("fills", "", "", &fills_[1]);
  declare_energy(gpu_, one, {"stack"});
  declare_energy(other, twice, {"stack"});
  EXPECT_EQ(other.count("energy.cache.fill"), 2 * energy("cache.fill"));
  EXPECT_EQ(other.count("energy.dynamic"), 2 * energy("cache.fill"))
      << "what the tree does not have counts 0";
}

TEST_F(Energy, OfATableOfZerosIsZero) {
  EnergyConfig config(table());
  for (EnergyClass& of : config.classes)
    for (EnergyEvent& event : of.events) event.picojoules = 0;
  declare_energy(gpu_, config, {"stack"});
  EXPECT_EQ(energy("dynamic"), 0u);
  EXPECT_EQ(energy("cache.read"), 0u);
}

TEST_F(Energy, SwitchedOffLeavesTheStatisticsAsTheyAre) {
  const std::string before = gpu_.to_json().dump() + gpu_.dictionary().dump();
  EnergyConfig config(table());
  config.enabled = false;
  declare_energy(gpu_, config, {"stack"});
  EXPECT_EQ(gpu_.to_json().dump() + gpu_.dictionary().dump(), before);
}

EnergyConfig load(const std::string& assignment) {
  base::ConfigSource source;
  source.add_assignment(assignment);
  EnergyConfig config(table());
  base::load_config(source, config);
  return config;
}

std::string refusal(const std::string& assignment) {
  try {
    (void)load(assignment);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(EnergyKeys, OneForEachEvent) {
  EXPECT_EQ(load("cache.fill=0.375").classes[0].events[1].picojoules, 0.375);
  EXPECT_FALSE(load("enabled=false").enabled);
  const auto keys = base::describe_config(EnergyConfig(table()));
  ASSERT_EQ(keys.size(), 6u);
  EXPECT_EQ(keys[2].path, "cache.fill");
  EXPECT_EQ(keys[2].value, "2.5");
  EXPECT_EQ(keys[2].info.unit, "pJ");
  EXPECT_EQ(keys[2].info.doc, "one line written");
}

TEST(EnergyKeys, BadOnesAreRefused) {
  EXPECT_THAT(refusal("cache.fill=-1"),
              AllOf(HasSubstr("cache.fill"), HasSubstr("between 0 and 1000000 pJ")));
  EXPECT_THAT(refusal("cache.fill=2e6"), HasSubstr("cache.fill"));
  EXPECT_THAT(refusal("cache.fill=much"), HasSubstr("a number"));
  EXPECT_THAT(refusal("cache.fil=1"), HasSubstr("did you mean 'cache.fill'?"));
  EXPECT_THAT(refusal("cache.fill=0.0005"),
              AllOf(HasSubstr("energy.cache.fill"), HasSubstr("whole number of femtojoules"),
                    HasSubstr("three decimals")));
}

TEST(EnergyKeys, FractionsOfAPicojouleAreExact) {
  for (const double picojoules : {0.001, 0.1, 0.7, 1.005, 3.9, 4.65, 999999.999}) {
    EnergyConfig config(table());
    config.classes[0].events[0].picojoules = picojoules;
    EXPECT_NO_THROW(config.validate()) << picojoules;
  }
  EXPECT_EQ(femtojoules(1.005), 1005u);
  EXPECT_EQ(femtojoules(999999.999), 999'999'999u);
}

TEST(EnergyKeys, NamesAreTakenOnce) {
  std::vector<EnergyClass> twice = table();
  twice.push_back(twice.front());
  EXPECT_THROW((void)EnergyConfig(twice), base::InputError);
  for (const char* const name : {"enabled", "dynamic", "", "a.b"})
    EXPECT_THROW((void)EnergyConfig(std::vector<EnergyClass>{{name, "", {}}}), base::InputError) << name;
  for (const char* const name : {"dynamic", "", "a.b"})
    EXPECT_THROW((void)EnergyConfig(std::vector<EnergyClass>{{"mine", "", {{name, 1, "", {}}}}}),
                 base::InputError)
        << name;
}

}  // namespace
}  // namespace heddle::energy::energy_test
