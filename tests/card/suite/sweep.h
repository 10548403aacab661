// Cases, many to a kernel and many kernels to a module, on two devices: their results must be the same bits.
#pragma once

#include <vector>

#include "case.h"
#include "findings.h"
#include "host/device.h"

namespace heddle::card {

/// One share of the cases: those whose number is `part` modulo `parts`.
struct Share {
  unsigned part = 0;
  unsigned parts = 1;
};

/// The cases that the front end decodes.
[[nodiscard]] std::vector<Case> accepted(std::vector<Case> cases);

/// Approximate results may differ: the largest distance in units of the last place is noted, and where.
void sweep(host::Device& oracle, host::Device& card, const std::vector<Case>& cases, const Share& share,
           Findings& findings);

}  // namespace heddle::card
