// Random traffic on the reconvergence table's RTL, compared with its model clock by clock.
#include "VReconvergenceTable1.h"
#include "VReconvergenceTable2.h"
#include "VReconvergenceTable32.h"
#include "VReconvergenceTable32Plain.h"
#include "VReconvergenceTable4.h"
#include "VReconvergenceTable4Plain.h"
// verilated headers first: pin_driver.h
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <tuple>

#include "cosim/lockstep_bench.h"
#include "cosim/reconvergence_table_pins.h"
#include "reconvergence_table_traffic.h"

namespace heddle::reconvergence_table_lockstep {
namespace {

using Point = cosim::ReconvergenceTablePoint;
using simt::ReconvergenceId;
using simt::ReconvergenceTableBlock;
using simt::ReconvergenceTableModel;
using simt::ReconvergenceTableRequest;
using Op = ReconvergenceTableRequest::Op;

constexpr std::uint32_t kWarps = 48;

class ReconvergenceTableLockstep : public ::testing::TestWithParam<std::tuple<Point, cosim::StallRates>> {
 protected:
  template <class V>
  void run() {
    const auto& [point, rates] = GetParam();
    cosim::LockstepBench<V, cosim::ReconvergenceTablePins, ReconvergenceTableBlock> bench(
        ReconvergenceTableModel(kWarps, point.config()), std::string("reconvergence_table_") + point.label, 1,
        cosim::ReconvergenceTablePins(point.config()));
    cosim::ReconvergenceTraffic traffic(point);
    bench.run(60000, rates, std::ref(traffic));
    EXPECT_TRUE(traffic.coverage.missing().empty())
        << ::testing::PrintToString(traffic.coverage.missing()) << " of\n"
        << traffic.coverage.table();
  }
};

TEST_P(ReconvergenceTableLockstep, EqualsItsModelClockByClock) {
  const Point& point = std::get<0>(GetParam());
  switch (point.physical) {
    case 1:
      return run<VReconvergenceTable1>();
    case 2:
      return run<VReconvergenceTable2>();
    case 4:
      return point.calls ? run<VReconvergenceTable4>() : run<VReconvergenceTable4Plain>();
    default:
      return point.calls ? run<VReconvergenceTable32>() : run<VReconvergenceTable32Plain>();
  }
}

constexpr auto kLeast = simt::TableVictim::kLeastRecent;
constexpr auto kMost = simt::TableVictim::kMostRecent;

std::string name_point(const ::testing::TestParamInfo<ReconvergenceTableLockstep::ParamType>& info) {
  const cosim::StallRates rates = std::get<1>(info.param);
  return std::string(std::get<0>(info.param).label) + "Request" + std::to_string(rates.request) + "Response" +
         std::to_string(rates.response);
}

INSTANTIATE_TEST_SUITE_P(Points, ReconvergenceTableLockstep,
                         ::testing::Combine(::testing::Values(Point{"Of1", 1, kLeast, 50, 1, true},
                                                              Point{"Of1Mru", 1, kMost, 50, 7, true},
                                                              Point{"Of2", 2, kLeast, 50, 7, true},
                                                              Point{"Of2Mru", 2, kMost, 50, 1, true},
                                                              Point{"Of4", 4, kLeast, 50, 1, true},
                                                              Point{"Of4Mru", 4, kMost, 50, 64, true},
                                                              Point{"Of32", 32, kLeast, 50, 1, true},
                                                              Point{"Of32Mru", 32, kMost, 50, 7, true},
                                                              Point{"Of4NoTimeout", 4, kLeast, 0, 1, true},
                                                              Point{"Of4Plain", 4, kLeast, 0, 1, false},
                                                              Point{"Of32Plain", 32, kLeast, 0, 1, false}),
                                            cosim::stall_rates()),
                         name_point);

/// A block that differs from the RTL in a corner case: it forgets that the timer of the last number has
/// fired.
struct ForgetfulTable : ReconvergenceTableBlock {
  struct Model : ReconvergenceTableModel {
    using ReconvergenceTableModel::ReconvergenceTableModel;
    void serve(ReconvergenceTableRequest& request) {
      ReconvergenceTableModel::serve(request);
      if (request.op == Op::kHasFired && request.id == ReconvergenceId{31}) request.ok = false;
    }
  };
};

TEST(ReconvergenceTableLockstepItself, SeesADifferenceInACorner) {
  // Not the object itself: a failure of the inner run is expected, once.
  static auto differ = [] {
    const Point point{"Differs", 32, kLeast, 50, 1, true};
    cosim::LockstepBench<VReconvergenceTable32, cosim::ReconvergenceTablePins, ForgetfulTable> bench(
        ForgetfulTable::Model(kWarps, point.config()), "reconvergence_table_differs", 1,
        cosim::ReconvergenceTablePins(point.config()));
    cosim::ReconvergenceTraffic traffic(point);
    bench.run(60000, {}, std::ref(traffic));
  };
  EXPECT_FATAL_FAILURE(differ(), "has_fired");
}

}  // namespace
}  // namespace heddle::reconvergence_table_lockstep
