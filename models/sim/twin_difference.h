// Model and RTL differ: what is printed, and the comparison that finds it (twins.h). For source files of
// blocks with a twin; apart from twins.h because the many files that only use such a block need nothing of
// JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/twins.h"

namespace heddle::sim {

struct TwinDifference {
  std::string block;
  std::string path;
  base::Cycle cycle = 0;
  nlohmann::ordered_json request, model_answer, rtl_answer, model_tables, rtl_tables;
};
/// Error with ExitCode::kTwinMismatch.
[[noreturn]] void report_difference(const TwinDifference& difference);

template <class Block>
void Twinned<Block>::serve_both(Request& request) {
  const Request asked = request;
  Request other = request;
  model_.serve(request);
  twin_->serve(other);
  const auto model_answer = Block::answer_of(request);
  const auto rtl_answer = Block::answer_of(other);
  if (model_answer == rtl_answer) return;
  report_difference({Block::kName, path_, core_clock_ == nullptr ? 0 : core_clock_->cycle(),
                     Block::show_request(asked), Block::show_answer(model_answer),
                     Block::show_answer(rtl_answer),
                     Block::show_tables(asked, [this](Request& r) { model_.inspect(r); }),
                     Block::show_tables(asked, [this](Request& r) { twin_->inspect(r); })});
}

}  // namespace heddle::sim
