// Policies by name, as the thesis' tables call them, with parameters and options ([Resync] ch. 3).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "resync/selection_policy.h"

namespace heddle::resync {

/// A policy of a name like "MinSP_MinPC", "LongMinSP(4)", "PDomLong(8)", "RDMinSP(4 0 n)", "Dist(1 1 10k)",
/// "Oracle(1k 0.5)", with any options behind it:
///   +block          decisions at block ends only
///   +aging=K        a thread unserved for K selections is served next
///   +function_stack Lee: lists per call ([Resync:M4])
///   +top_only, +no_match, +push_always, +entries=N   PDom: see PostDominatorOptions
///   +instructions   LongestPathP: tied blocks alternate instruction by instruction ([Resync:M16])
/// Throws base::InputError for anything else.
[[nodiscard]] std::unique_ptr<SelectionPolicy> make_policy(std::string_view name);

struct PolicyForm {
  std::string form;  ///< "Long(s)"
  std::string doc;
};
/// All forms, for help.
[[nodiscard]] const std::vector<PolicyForm>& policy_forms();

/// The 55 configurations of Tables 5.3 and 5.4, in their order and by the names that are right ([Resync:R2]: the
/// thesis' LongIRB rows have wrong labels). `printed` is the row's label there.
struct PublishedConfiguration {
  std::string name;                ///< for make_policy()
  std::string printed;             ///< label of its row in Table 5.3; empty: it has none
  std::string printed_throughput;  ///< label in Table 5.4; empty: it has none
};
[[nodiscard]] const std::vector<PublishedConfiguration>& published_configurations();

}  // namespace heddle::resync
