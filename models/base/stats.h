// Statistics: declared once, with name, unit and description, in a tree that follows the module hierarchy.
//
// A module keeps plain std::uint64_t members and increments them; the tree only points at them, so counting
// costs nothing. A StatGroup must outlive no longer than the counters it names. Order of declaration is the
// order of output.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace heddle::base {

/// Values of a tree's counters and maxima in one measurement interval, or in several put together
/// (StatGroup::add_to). Flat, so that intervals cost little to keep; StatGroup::to_json() writes them.
class StatValues {
 public:
  [[nodiscard]] bool empty() const { return values_.empty(); }

 private:
  friend class StatGroup;
  std::vector<std::uint64_t> values_;  ///< in order of declaration; empty: no interval yet
};

class StatGroup {
 public:
  explicit StatGroup(std::string name = "gpu", std::string description = {});
  StatGroup(const StatGroup&) = delete;
  StatGroup& operator=(const StatGroup&) = delete;
  ~StatGroup();

  /// The child group of that name, created on first use.
  StatGroup& child(const std::string& name, const std::string& description = {});

  /// A counter that only grows; reset() makes its present value the new zero.
  void counter(const std::string& name, const std::string& unit, const std::string& description,
               const std::uint64_t* value);
  /// Counters of one kind distinguished by a label (stall causes, opcode classes): values[i] belongs to
  /// labels[i].
  void counters(const std::string& name, const std::string& unit, const std::string& description,
                const std::vector<std::string>& labels, const std::uint64_t* values);
  /// The largest value that something had in an interval. The owner raises it; reset() sets it to 0.
  void maximum(const std::string& name, const std::string& unit, const std::string& description,
               std::uint64_t* value);
  /// Derived value, computed when written, from counters and maxima read through count(): resets apply, and
  /// several intervals together have the quotient of their sums.
  void formula(const std::string& name, const std::string& unit, const std::string& description,
               std::function<double()> compute);

  /// A whole number, computed in the same way. count() reads it, sum() does not.
  void derived(const std::string& name, const std::string& unit, const std::string& description,
               std::function<std::uint64_t()> compute);

  /// `settle` is called before counters of this group are read or reset: a module that does its work late
  /// brings them up to the present.
  void before_reading(std::function<void()> settle);

  /// While `*changed` is false nothing in this subtree has changed since the last reset but the counters of these paths, relative to
  /// it: an interval costs no look at the others. The owner sets it before another one changes; reset() clears it. `changed` outlives
  /// the tree's use. Not within a group of which this is said as well.
  void seldom_changes(bool* changed, std::vector<std::string> otherwise);

  /// Present value of a counter, maximum or derived number since the last reset, by path relative to this
  /// group: "core0.issue.instructions"; labelled counters as "core0.issue.slots.issued". Throws
  /// std::out_of_range for an unknown path.
  [[nodiscard]] std::uint64_t count(const std::string& path) const;
  /// Sum of count() over all paths that match; '*' stands for any run of characters within one path element.
  [[nodiscard]] std::uint64_t sum(const std::string& pattern) const;

  /// Starts a new measurement interval (one kernel launch): all counters of the subtree read 0 afterwards.
  void reset();
  /// Puts the present interval together with those in `sum`, each statistic by its kind: counters add up, of
  /// maxima the larger one stays, formulas follow from these. `sum` is empty or of this tree as it is now.
  void add_to(StatValues& sum) const;

  /// {"instructions": 12, "l1d": {"hits": 3, ...}, ...}: nested by group, in order of declaration.
  [[nodiscard]] nlohmann::ordered_json to_json() const;
  /// The same of other intervals than the present one. `values` is of this tree, and not empty.
  [[nodiscard]] nlohmann::ordered_json to_json(const StatValues& values) const;
  /// {"core.instructions": {"unit": ..., "description": ...}}: what each name means, written once per file.
  [[nodiscard]] nlohmann::ordered_json dictionary() const;
  /// Readable table: path, value, unit, description; groups with all-zero counters are left out.
  [[nodiscard]] std::string to_table() const;

 private:
  friend class StatSums;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::base
