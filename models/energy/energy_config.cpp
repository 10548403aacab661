#include "energy/energy_config.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"

namespace heddle::energy {
namespace {

constexpr double kFemtojoules = 1000;  ///< of a picojoule
constexpr double kMostPicojoules = 1e6;

/// Keys energy.<class>.*
struct ClassSection {
  EnergyClass& of;
  void visit(base::ConfigVisitor& v) {
    for (EnergyEvent& event : of.events)
      v.field(event.name, event.picojoules, {.unit = "pJ", .doc = event.doc, .max = kMostPicojoules});
  }
};

void check_name(const std::string& place, const std::string& name, std::set<std::string>& taken) {
  if (name.empty() || name.find_first_of(".*") != std::string::npos || !taken.insert(name).second)
    throw base::InputError(place, fmt::format("'{}' is empty, taken, or has a dot or star", name),
                           "Give each class of events, and each event of a class, a name of its own.");
}

}  // namespace

std::uint64_t femtojoules(double picojoules) {
  return static_cast<std::uint64_t>(std::llround(picojoules * kFemtojoules));
}

EnergyConfig::EnergyConfig(std::vector<EnergyClass> table) : classes(std::move(table)) {
  std::set<std::string> names{"enabled", "dynamic"};  // the section's own key and sum
  for (const EnergyClass& of : classes) {
    check_name("energy", of.name, names);
    std::set<std::string> events{"dynamic"};
    for (const EnergyEvent& event : of.events) check_name("energy." + of.name, event.name, events);
  }
}

void EnergyConfig::visit(base::ConfigVisitor& v) {
  v.field("enabled", enabled, {.doc = "report the dynamic energy of counted events"});
  for (EnergyClass& of : classes) {
    ClassSection keys{of};
    v.section(of.name, keys, of.doc);
  }
}

void EnergyConfig::validate() const {
  constexpr double kRounding = 1e-6;  // of decimal fractions that binary ones stand for
  for (const EnergyClass& of : classes)
    for (const EnergyEvent& event : of.events) {
      const double value = event.picojoules * kFemtojoules;
      if (std::abs(value - std::round(value)) > kRounding)
        throw base::InputError(fmt::format("energy.{}.{}", of.name, event.name),
                               fmt::format("{} pJ is not a whole number of femtojoules", event.picojoules),
                               "Give it at most three decimals.");
    }
}

}  // namespace heddle::energy
