// The splits table and its user, with blocks named by letters and masks written as in the specification.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cosim/twins.h"
#include "simt/split_table.h"

namespace heddle {

/// Block X starts at PC 100 * (X - 'A'); "B'" is the instruction after its start; '-': none.
inline base::Pc pc_of_block(const std::string& block) {
  if (block == "-") return base::kNoPc;
  return base::Pc{100u * static_cast<unsigned>(block[0] - 'A') + static_cast<unsigned>(block.size() - 1)};
}
inline std::string block_of_pc(base::Pc pc) {
  if (pc == base::kNoPc) return "-";
  return std::string(1, static_cast<char>('A' + pc.value() / 100)) + std::string(pc.value() % 100, '\'');
}

struct SplitTableRig : sc_core::sc_module {
  using Request = simt::SplitTableRequest;
  using Op = Request::Op;

  SplitTableRig(const sc_core::sc_module_name& name, sim::Implementation impl, std::uint32_t physical)
      : sc_module(name) {
    cosim::provide_twins(twins);
    table = std::make_unique<simt::SplitTable>("split_table", 48, physical,
                                               sim::ClockedTwinConfig{{impl}, {}}, &twins);
    isock.bind(table->split_table_tsock);
  }

  Request operator()(Request request) {
    request.warp = warp;
    isock.call(request);
    return request;
  }
  void reset() { (*this)({.op = Op::kReset}); }
  /// `point`: the R-Index, negative: none.
  static simt::Split split(const std::string& block, const std::string& rpc, const std::string& mask,
                           int point) {
    simt::Split split;
    split.pc = pc_of_block(block);
    split.mask = base::LaneMask(static_cast<std::uint32_t>(std::stoul(mask, nullptr, 2)));
    split.rpc.pc = pc_of_block(rpc);
    if (point >= 0) split.rpc.index = simt::ReconvergenceId{static_cast<std::uint8_t>(point)};
    return split;
  }
  Request insert(const std::string& block, const std::string& rpc, const std::string& mask, int point = -1) {
    return (*this)({.op = Op::kInsert, .split = split(block, rpc, mask, point)});
  }
  Request look(simt::SplitId id) {
    Request read{.op = Op::kRead, .warp = warp, .id = id};
    isock.inspect(read);
    return read;
  }
  /// The split that starts at `block`, which has one.
  simt::SplitId at(const std::string& block) {
    for (std::uint8_t i = 0; i < simt::kTableEntries; ++i) {
      const Request read = look(simt::SplitId{i});
      if (read.valid && read.split.pc == pc_of_block(block)) return read.id;
    }
    ADD_FAILURE() << "no split at " << block;
    return simt::SplitId{0};
  }
  void end(const std::string& block) { (*this)({.op = Op::kFree, .id = at(block)}); }
  /// Evicts the contents of a split's entry.
  std::array<std::uint32_t, 3> evict(const std::string& block) {
    return (*this)({.op = Op::kEvict, .id = at(block)}).words;
  }
  bool fill(simt::SplitId id, const std::array<std::uint32_t, 3>& words) {
    return (*this)({.op = Op::kFill, .id = id, .words = words}).ok;
  }

  /// "B D 0101 | C D 1010", sorted; a spilled split in brackets.
  std::string contents() {
    std::vector<std::string> rows;
    for (std::uint8_t i = 0; i < simt::kTableEntries; ++i) {
      const Request read = look(simt::SplitId{i});
      if (!read.valid) continue;
      const std::string row = block_of_pc(read.split.pc) + " " + block_of_pc(read.split.rpc.pc) + " " +
                              read.split.mask.to_string(4);
      rows.push_back(read.ok ? row : "(" + row + ")");
    }
    std::sort(rows.begin(), rows.end());
    std::string text;
    for (const std::string& row : rows) text += (text.empty() ? "" : " | ") + row;
    return text;
  }

  sim::Twins twins;
  std::unique_ptr<simt::SplitTable> table;
  sim::BlockInitiator<simt::SplitTableProtocol> isock{"isock"};
  base::WarpId warp{5};
};

}  // namespace heddle
