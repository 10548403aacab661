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

/// What the message says of who was asked.
struct LockstepSite {
  const char* block;
  const std::string& path;
  base::Cycle cycle;
};
/// Asks both and ends the run if they answer differently; `request` has the model's answer. A side has serve()
/// and inspect(). Block: Request, Answer and the functions that twins.h describes.
template <class Block, class Model, class Rtl>
void ask_both(Model& model, Rtl& rtl, typename Block::Request& request, const LockstepSite& site) {
  using Request = typename Block::Request;
  const Request asked = request;
  Request other = request;
  model.serve(request);
  rtl.serve(other);
  const typename Block::Answer model_answer = Block::answer_of(request);
  const typename Block::Answer rtl_answer = Block::answer_of(other);
  if (model_answer == rtl_answer) return;
  report_difference({site.block, site.path, site.cycle, Block::show_request(asked),
                     Block::show_answer(model_answer), Block::show_answer(rtl_answer),
                     Block::show_tables(asked, [&](Request& r) { model.inspect(r); }),
                     Block::show_tables(asked, [&](Request& r) { rtl.inspect(r); })});
}

template <class Block>
void Twinned<Block>::serve_both(Request& request) {
  ask_both<Block>(model_, *twin_, request,
                  {Block::kName, path_, core_clock_ == nullptr ? 0 : core_clock_->cycle()});
}

}  // namespace heddle::sim
