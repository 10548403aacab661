#include "core/cta/cta_dispatcher.h"

#include <string>

namespace heddle::core {

CtaDispatcher::CtaDispatcher(const sc_core::sc_module_name& name, std::uint32_t cores,
                             sim::ClockDomain& clock, base::StatGroup& stats)
    : sc_module(name), clock_(clock, sim::on_tick<&CtaDispatcher::tick>(this)) {
  for (std::uint32_t i = 0; i < cores; ++i) {
    cta_isocks.push_back(
        std::make_unique<sim::BlockInitiator<CtaProtocol>>(("cta_isock" + std::to_string(i)).c_str()));
    done_tsocks.push_back(std::make_unique<DoneTarget>(("done_tsock" + std::to_string(i)).c_str(), this));
  }
  stats.counter("started", "CTAs", "CTAs handed to cores", &started_);
}

void CtaDispatcher::begin(const LaunchContext* launch) {
  total_ = launch->shape.grid.count();
  next_ = done_ = 0;
  first_core_ = 0;
  begin_cycle_ = clock_.domain().cycle();
  CtaRequest request;
  request.op = CtaRequest::Op::kBegin;
  request.launch = launch;
  for (auto& core : cta_isocks) core->call(request);
  clock_.wake();
}

void CtaDispatcher::serve_done(CtaDone&) {
  ++done_;
  clock_.wake();
}

void CtaDispatcher::end(Cycle cycle) {
  end_cycle_ = cycle;
  CtaRequest request;
  request.op = CtaRequest::Op::kEnd;
  for (auto& core : cta_isocks) core->call(request);
}

void CtaDispatcher::abandon() { end(clock_.domain().cycle()); }

void CtaDispatcher::tick() {
  bool gave = false;
  const auto cores = static_cast<std::uint32_t>(cta_isocks.size());
  for (std::uint32_t i = 0; i < cores && next_ < total_; ++i) {
    auto& core = *cta_isocks[(first_core_ + i) % cores];
    CtaRequest request;
    request.op = CtaRequest::Op::kFits;
    core.call(request);
    if (!request.fits) continue;
    request.op = CtaRequest::Op::kStart;
    request.linear_id = next_++;
    core.call(request);
    ++started_;
    gave = true;
  }
  if (gave) first_core_ = (first_core_ + 1) % cores;
  if (done_ == total_ && total_ != 0) {
    end(clock_.cycle());
    total_ = next_ = done_ = 0;
    on_finished();
    clock_.park();
    return;
  }
  if (gave && next_ < total_)
    clock_.again();
  else
    clock_.park();
}

}  // namespace heddle::core
