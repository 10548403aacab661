// Which RTL blocks the machine of a configuration has, and what they cost according to their sheets.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/synthesis_sheets.h"

namespace heddle::report {

/// Value of a configuration key by its dotted path; nullptr: the configuration does not have it.
using ConfigValue = std::function<const std::string*(const std::string& key)>;

/// A block of the machine, and the parameter point of its sheet that stands for it.
struct BlockUse {
  std::string block;
  std::size_t point = 0;   ///< in Sheet::points
  unsigned instances = 1;  ///< in a core
  std::string note;        ///< how the point differs from the machine; empty: it is the machine's
};

/// The machine's control blocks that exist in RTL.
struct BlocksInUse {
  std::vector<BlockUse> uses;
  std::vector<std::string>
      without_rtl;  ///< what takes the place of a block and is not in RTL: "mechanism hanoi"

  /// NAND2X1 equivalents in a core, with the contexts of one warp. Nothing if a part is not in RTL: a sum without it would look cheap.
  [[nodiscard]] std::optional<double> gate_equivalents(const std::map<std::string, Sheet>& sheets) const;
};

/// A sheet has points for one to four warps where a block has a context for each (its memories are flip-flops there, so that
/// the area of many warps would mean nothing): the point of one warp is taken. Of its other parameters the point is the nearest one.
[[nodiscard]] BlocksInUse blocks_in_use(const ConfigValue& value, const std::map<std::string, Sheet>& sheets);

}  // namespace heddle::report
