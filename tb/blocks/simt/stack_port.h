// A warp's SIMT stack, independent of its implementation: tests of the mechanism run on every kind that their
// program provides.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "blocks/simt/mask_text.h"
#include "simt/stack_entries.h"

namespace heddle::simt {

class StackPort {
 public:
  using Call = std::function<void(ControlFlowRequest&)>;
  /// For the warp with that number, which is passed to `serve` and `inspect`.
  StackPort(WarpId warp, Call serve, Call inspect)
      : warp_(warp), serve_(std::move(serve)), inspect_(std::move(inspect)) {}

  [[nodiscard]] WarpId warp() const { return warp_; }
  void serve(ControlFlowRequest& request) {
    address(request);
    serve_(request);
  }
  void inspect(ControlFlowRequest& request) const {
    address(request);
    inspect_(request);
  }
  /// Bottom first.
  [[nodiscard]] std::vector<StackEntry> rows() const {
    nlohmann::ordered_json table;
    ControlFlowRequest look;
    look.table = &table;
    inspect(look);
    const auto pc_in = [](const nlohmann::ordered_json& value) {
      return value.is_string() ? kNoPc : Pc{value.get<std::uint32_t>()};
    };
    std::vector<StackEntry> rows;
    for (const auto& row : table)
      rows.push_back({pc_in(row.at("pc")), pc_in(row.at("rpc")), mask(row.at("mask")),
                      row.value("frame", std::uint32_t{0})});
    return rows;
  }

 private:
  void address(ControlFlowRequest& request) const {
    request.warp = warp_;
    request.group = GroupId{warp_.value()};
  }
  WarpId warp_;
  Call serve_;
  Call inspect_;
};

/// Creates stacks of one kind.
struct StackKind {
  std::string name;
  std::function<StackPort(FirstSide)> make;
  friend void PrintTo(const StackKind& kind, std::ostream* out) { *out << kind.name; }
};

/// Defined by the program that contains the tests.
[[nodiscard]] std::vector<StackKind> stack_kinds();

inline std::string name_stack_kind(const ::testing::TestParamInfo<StackKind>& kind) {
  return kind.param.name;
}

}  // namespace heddle::simt
