#include "spin/sib_unit.h"

#include <algorithm>
#include <utility>

#include "sim/twin_difference.h"

namespace heddle::spin {

std::optional<std::uint32_t> SibUnitModel::grant(const SibPins& pins, Cycle /*cycle*/) {
  for (std::uint32_t i = 1; i <= requesters_; ++i)
    if (const std::uint32_t r = (last_ + i) % requesters_; pins.looks[r].valid) return r;
  return std::nullopt;
}

void SibUnitModel::edge(const SibPins& pins, Cycle cycle) {
  const auto served = grant(pins, cycle);
  std::shift_right(answers_.begin(), answers_.end(), 1);
  answers_.front() = {};
  if (served) {
    const SibPins::Look& look = pins.looks[*served];
    SibRequest request{.op = SibRequest::Op::kLookUp, .pc = look.pc, .spinning = look.spinning};
    table_.serve(request);
    answers_.front() = {.valid = true,
                        .requester = *served,
                        .predicted = request.predicted,
                        .confirmed = request.confirmed,
                        .full = request.full};
    last_ = *served;
  }
  if (!pins.flush) return;
  SibRequest flush{.op = SibRequest::Op::kFlush};
  table_.serve(flush);
}

SibRequest SibUnitModel::read(std::uint32_t slot) const {
  SibRequest request{.op = SibRequest::Op::kRead, .slot = slot};
  table_.inspect(request);
  return request;
}

SibEntry SibUnitModel::entry(std::uint32_t slot) const {
  SibEntry entry = read(slot).entry;
  if (!entry.valid) return {};
  if (entry.predicted) entry.confidence = 0;
  return entry;
}

// ---- Beside its twin

namespace {

using Json = nlohmann::ordered_json;

Json show(const SibPins& pins) {
  Json looks = Json::array();
  for (std::uint32_t r = 0; r < pins.looks.size(); ++r)
    if (const SibPins::Look& look = pins.looks[r]; look.valid)
      looks.push_back({{"requester", r}, {"pc", look.pc.value()}, {"spinning", look.spinning}});
  Json json{{"look", looks}};
  if (pins.flush) json["flush"] = true;
  return json;
}
Json show(const std::optional<std::uint32_t>& grant, const SibAnswer& answer) {
  Json json{{"ready", grant ? Json(*grant) : Json(nullptr)}};
  if (answer.valid)
    json["answer"] = {{"requester", answer.requester},
                      {"predicted", answer.predicted},
                      {"confirmed", answer.confirmed},
                      {"full", answer.full}};
  return json;
}

class LockstepSibUnit final : public SibUnit {
 public:
  LockstepSibUnit(std::string path, std::uint32_t slots, std::unique_ptr<SibUnit> model,
                  std::unique_ptr<SibUnit> rtl)
      : path_(std::move(path)), slots_(slots), model_(std::move(model)), rtl_(std::move(rtl)) {}

  [[nodiscard]] SibAnswer answer() const override { return model_->answer(); }
  [[nodiscard]] std::optional<std::uint32_t> grant(const SibPins& pins, Cycle cycle) override {
    const auto right = model_->grant(pins, cycle), other = rtl_->grant(pins, cycle);
    if (right != other || !(model_->answer() == rtl_->answer()) || model_->entries() != rtl_->entries())
      differ(pins, cycle, right, other);
    return right;
  }
  void edge(const SibPins& pins, Cycle cycle) override {
    const auto granted = grant(pins, cycle);
    model_->edge(pins, cycle);
    rtl_->edge(pins, cycle);
    if (!granted && !pins.flush) return;
    for (std::uint32_t slot = 0; slot < slots_; ++slot)
      if (!(model_->entry(slot) == rtl_->entry(slot))) differ(pins, cycle, granted, granted);
  }
  [[nodiscard]] std::uint32_t entries() const override { return model_->entries(); }
  [[nodiscard]] SibEntry entry(std::uint32_t slot) const override { return model_->entry(slot); }

 private:
  using Grant = std::optional<std::uint32_t>;
  [[noreturn]] void differ(const SibPins& pins, Cycle cycle, const Grant& right, const Grant& other) {
    sim::report_difference({"sib_table", path_, cycle, show(pins), show(right, model_->answer()),
                            show(other, rtl_->answer()), table(*model_), table(*rtl_)});
  }
  [[nodiscard]] Json table(const SibUnit& unit) const {
    Json all = Json::array();
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      const SibEntry entry = unit.entry(slot);
      if (!entry.valid) continue;
      all.push_back({{"slot", slot}, {"pc", entry.pc.value()}});
      if (entry.predicted)
        all.back()["predicted"] = true;
      else
        all.back()["confidence"] = entry.confidence;
    }
    return all;
  }
  std::string path_;
  std::uint32_t slots_;
  std::unique_ptr<SibUnit> model_;
  std::unique_ptr<SibUnit> rtl_;
};

}  // namespace

std::unique_ptr<SibUnit> lockstep_sib_unit(std::string path, std::uint32_t slots,
                                           std::unique_ptr<SibUnit> model, std::unique_ptr<SibUnit> rtl) {
  return std::make_unique<LockstepSibUnit>(std::move(path), slots, std::move(model), std::move(rtl));
}

}  // namespace heddle::spin
