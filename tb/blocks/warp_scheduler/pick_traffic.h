// Random traffic on the pick among warps.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cosim/coverage.h"
#include "pick_model.h"

namespace heddle::cosim {

/// Random requests, and what they must have met.
class PickTraffic {
 public:
  explicit PickTraffic(bool gto) : gto_(gto) {
    std::vector<std::string> events{"pick from none",
                                    "pick the only one",
                                    "pick from all",
                                    "the highest warp",
                                    "wrap around",
                                    "pick the last again",
                                    "read does not change the pick",
                                    "assign",
                                    "leave",
                                    "stalled",
                                    "rotate"};
    if (gto)
      for (const char* event :
           {"greedy although older ones are there", "the oldest, which is not the lowest", "stalled in time",
            "of no known age", "an age before none", "assign the greedy one", "assign another",
            "assign again", "leave of the greedy one", "greedy without an age", "leave without an age",
            "rotate none", "rotate one", "rotate many", "all warps there", "read an aged one",
            "read of no known age"})
        events.emplace_back(event);
    coverage_.emplace(events);
  }

  PickRequest operator()(const PickModel& model, std::mt19937& random) {
    const auto order = model.by_age();
    std::uint64_t aged = 0;
    for (const std::uint32_t warp : order) aged |= std::uint64_t{1} << warp;
    PickRequest request;
    request.warp = base::WarpId{static_cast<std::uint32_t>(random() % PickModel::kWarps)};
    if (random() % 8 == 0) request.warp = base::WarpId{model.last()};
    const unsigned kind = random() % 32;
    // Alternately many and few warps.
    const bool many = step_++ / 2048 % 2 == 0;
    if (kind < 6) {
      const bool come = many ? random() % 128 != 0 : kind == 0;
      request.op = come ? PickRequest::Op::kAssign : PickRequest::Op::kLeave;
      if (!come && !order.empty() && random() % 4 != 0)
        request.warp = base::WarpId{order[random() % order.size()]};
    } else if (kind < 8) {
      request.op = PickRequest::Op::kStalled;
    } else if (kind < 10) {
      request.op = PickRequest::Op::kRotate;
    } else {
      request.op = kind < 14 ? PickRequest::Op::kRead : PickRequest::Op::kPick;
      request.candidates = candidates(aged, model, random);
    }
    cover(request, model, order, aged);
    return request;
  }
  [[nodiscard]] const Coverage& coverage() const { return *coverage_; }

 private:
  std::uint64_t candidates(std::uint64_t aged, const PickModel& model, std::mt19937& random) const {
    const std::uint64_t any = std::uint64_t{random()} << 32 | random();
    const std::uint64_t some = any & (std::uint64_t{random()} << 32 | random());
    const std::uint64_t last = std::uint64_t{1} << model.last();
    switch (random() % 16) {
      case 0:
        return 0;
      case 1:
        return ~std::uint64_t{0};
      case 2:
        return std::uint64_t{1} << (random() % 64);
      case 3:
        return last;
      case 4:
        return some & ~aged;
      case 5:
        return any & (last | (last - 1));
      case 6:
      case 7:
        return aged | last;
      case 8:
      case 9:
        return (any & aged) | last;
      case 10:
        return some;
      default:
        return any & aged & ~last;
    }
  }

  void cover(const PickRequest& request, const PickModel& model, const std::vector<std::uint32_t>& order,
             std::uint64_t aged) {
    const auto hit = [this](const char* event, bool happened = true) { coverage_->hit(event, happened); };
    const std::uint64_t last = std::uint64_t{1} << model.last();
    const std::uint64_t warp = std::uint64_t{1} << request.warp.value();
    const std::uint64_t candidates = request.candidates;
    switch (request.op) {
      case PickRequest::Op::kAssign:
        hit("assign");
        if (!gto_) return;
        hit(warp == last && model.greedy() ? "assign the greedy one" : "assign another");
        hit("assign again", (aged & warp) != 0);
        hit("all warps there", std::popcount(aged) == 63 && (aged & warp) == 0);
        return;
      case PickRequest::Op::kLeave:
        hit("leave");
        if (!gto_) return;
        hit("leave of the greedy one", warp == last && model.greedy() && (aged & warp) != 0);
        hit("leave without an age", (aged & warp) == 0);
        return;
      case PickRequest::Op::kStalled:
        hit("stalled");
        stalled_ = model.greedy();
        return;
      case PickRequest::Op::kRotate:
        hit("rotate");
        if (gto_) hit(order.empty() ? "rotate none" : order.size() == 1 ? "rotate one" : "rotate many");
        return;
      case PickRequest::Op::kRead:
        hit("read does not change the pick", (candidates & last) != 0 && candidates != last);
        if (!gto_) return;
        hit("read an aged one", (candidates & aged) != 0);
        hit("read of no known age", candidates != 0 && (candidates & aged) == 0);
        return;
      case PickRequest::Op::kPick:
        break;
    }
    hit("pick from none", candidates == 0);
    hit("pick the only one", std::has_single_bit(candidates) && candidates != last);
    hit("pick from all", ~candidates == 0);
    if (candidates == 0) return;
    const std::uint64_t behind = candidates & ~(last | (last - 1));
    const bool greedy = model.greedy() && (candidates & last) != 0;
    std::uint32_t oldest = 64;
    for (const std::uint32_t w : order)
      if (oldest == 64 && (candidates >> w & 1) != 0) oldest = w;
    hit("wrap around", behind == 0);
    hit("pick the last again", gto_ ? greedy : candidates == last);
    hit("the highest warp",
        gto_ ? oldest == 63 && !greedy : behind >> 63 != 0 && std::has_single_bit(behind));
    if (!gto_) return;
    hit("greedy although older ones are there", greedy && oldest != 64 && oldest != model.last());
    hit("greedy without an age", greedy && (aged & last) == 0);
    hit("stalled in time", stalled_ && !model.greedy() && (candidates & last) != 0 && oldest != model.last());
    stalled_ = false;
    if (greedy) return;
    hit("of no known age", oldest == 64);
    hit("the oldest, which is not the lowest",
        oldest != 64 && (candidates & aged & ((std::uint64_t{1} << oldest) - 1)) != 0);
    hit("an age before none", oldest != 64 && (candidates & ~aged & ((std::uint64_t{1} << oldest) - 1)) != 0);
  }

  bool gto_;
  bool stalled_ = false;
  unsigned step_ = 0;
  std::optional<Coverage> coverage_;
};

}  // namespace heddle::cosim
