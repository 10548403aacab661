#include "gpu/windowed_launch.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"

namespace heddle::gpu {
namespace {

void run(const core::LaunchContext& context, LaunchRecord& record, const LaunchSite& site) {
  core::CtaDispatcher& dispatcher = site.gpu.dispatcher;
  const auto count = [&](std::uint64_t ctas) {
    record.cycles += dispatcher.end_cycle() - dispatcher.begin_cycle();
    record.whole.cycles = static_cast<double>(record.cycles);
    record.whole.simulated += ctas;
  };
  try {
    site.simulation.run(context);
  } catch (...) {
    const std::uint64_t done = dispatcher.done();
    dispatcher.abandon();
    count(done);
    throw;
  }
  count(context.shape.ctas());
}

/// A window, which the context names.
WindowTimes run_window(const core::LaunchContext& context, LaunchRecord& record, const LaunchSite& site) {
  WindowTimes window;
  core::CtaDispatcher& dispatcher = site.gpu.dispatcher;
  dispatcher.note_done(&window.done);
  try {
    run(context, record, site);
  } catch (const base::Error& error) {
    if (error.code() != base::ExitCode::kHang) throw;
    const host::Launch& shape = context.shape;
    throw base::Error(
        error.code(), error.where(), error.message(),
        fmt::format("{}{}only CTAs {} to {} run: a kernel whose CTAs wait for later ones runs without an "
                    "estimate only",
                    error.remedy(), error.remedy().empty() ? "" : "\n  ", shape.first_cta,
                    shape.first_cta + shape.part - 1));
  }
  window.begin = dispatcher.begin_cycle();
  window.last_start = dispatcher.last_start();
  window.end = dispatcher.end_cycle();
  return window;
}

/// All windows, and what lies between them skipped.
Estimate run_windows(const std::vector<CtaRange>& windows, core::LaunchContext& context, LaunchRecord& record,
                     const LaunchSite& site) {
  const host::Launch whole = context.shape;
  std::vector<WindowTimes> times;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (i != 0 && windows[i].first != windows[i - 1].end()) {
      context.shape.first_cta = windows[i - 1].end();
      context.shape.part = windows[i].first - windows[i - 1].end();
      site.skip(context);
    }
    context.shape.first_cta = windows[i].first;
    context.shape.part = windows[i].count;
    times.push_back(run_window(context, record, site));
  }
  context.shape = whole;
  return estimate_of(whole.ctas(), windows, times, site.estimation.warm_up_waves * site.wave);
}

}  // namespace

void simulate_launch(core::LaunchContext& context, LaunchRecord& record, const LaunchSite& site) {
  const host::Launch& shape = context.shape;
  record.whole.ctas = shape.ctas();
  site.simulation.begin_launch();
  std::vector<CtaRange> windows;
  if (site.estimation.windows != 0 && !shape.cooperative && shape.part == 0)
    windows = windows_of(shape.ctas(), site.wave, site.estimation);
  if (windows.empty())
    run(context, record, site);
  else
    record.whole = run_windows(windows, context, record, site);
}

}  // namespace heddle::gpu
