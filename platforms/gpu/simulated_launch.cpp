#include "gpu/simulated_launch.h"

#include <utility>

namespace heddle::gpu {
namespace {

void run(const core::LaunchContext& context, LaunchRecord& record, const LaunchMeans& means) {
  core::CtaDispatcher& dispatcher = means.gpu.dispatcher;
  const auto count = [&](std::uint64_t ctas) {
    record.cycles += dispatcher.end_cycle() - dispatcher.begin_cycle();
    record.whole.cycles = static_cast<double>(record.cycles);
    record.whole.simulated += ctas;
  };
  try {
    means.simulation.run(context);
  } catch (...) {
    const std::uint64_t done = dispatcher.done();
    dispatcher.abandon();
    count(done);
    throw;
  }
  count(context.shape.ctas());
}

}  // namespace

void simulate_launch(core::LaunchContext& context, LaunchRecord& record, const LaunchMeans& means,
                     SkippedCtas skipped) {
  const host::Launch& shape = context.shape;
  record.whole.ctas = shape.ctas();
  means.simulation.begin_launch();
  Estimate estimate;
  if (!shape.cooperative && shape.part == 0)
    estimate = run_windows(
        context.shape, means.wave, means.estimation, means.gpu.dispatcher,
        [&] { run(context, record, means); }, std::move(skipped));
  if (estimate.windows != 0)
    record.whole = estimate;
  else
    run(context, record, means);
}

}  // namespace heddle::gpu
