// Two control-flow mechanisms that must answer alike: a model and its RTL twin in lockstep.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "simt/mechanism.h"

namespace heddle::simt {

/// The rtl/simt_stack twin is a whole mechanism.
struct SimtStackBlock {
  static constexpr const char* kName = "simt_stack";
  using Interface = ControlFlow;
  struct Shape {
    std::uint32_t warps = 0;
    FirstSide first_side = FirstSide::kTaken;
  };
};

class LockstepControlFlow final : public ControlFlow {
 public:
  /// `path`: of the block, for the message. The statistics are the model's.
  LockstepControlFlow(const char* block, std::string path, std::unique_ptr<ControlFlow> model,
                      std::unique_ptr<ControlFlow> rtl)
      : block_(block), path_(std::move(path)), model_(std::move(model)), rtl_(std::move(rtl)) {}

  [[nodiscard]] const char* name() const override { return model_->name(); }
  void inspect(ControlFlowRequest& request) const override { model_->inspect(request); }
  void register_stats(base::StatGroup& stats) override { model_->register_stats(stats); }

 protected:
  void handle(ControlFlowRequest& request) override;

 private:
  const char* block_;
  std::string path_;
  std::unique_ptr<ControlFlow> model_;
  std::unique_ptr<ControlFlow> rtl_;
};

/// A request and an answer, as traces and messages show them.
[[nodiscard]] nlohmann::ordered_json show_request(const ControlFlowRequest& request);
[[nodiscard]] nlohmann::ordered_json show_answer(const ControlFlowRequest& request);
[[nodiscard]] bool same_answer(const ControlFlowRequest& left, const ControlFlowRequest& right);

}  // namespace heddle::simt
