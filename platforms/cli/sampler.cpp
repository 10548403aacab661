#include "cli/sampler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text_input.h"
#include "cli/name_pattern.h"
#include "results/run_statistics.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 30;

/// What is sampled in any case.
const std::vector<std::string> kUsual = {"core.issue.warp_instructions",
                                         "core.issue.thread_instructions",
                                         "core.issue.active_cycles",
                                         "core.issue.slots.*",
                                         "core.occupancy.*",
                                         "core.l1d.load_accesses",
                                         "core.l1d.load_hits",
                                         "partition.l2.hits.*",
                                         "partition.l2.misses.*",
                                         "partition.l2.merged.*",
                                         "partition.l2.dram_read_bytes",
                                         "partition.l2.dram_write_bytes",
                                         "partition.dram.row_hits",
                                         "partition.dram.row_misses",
                                         "partition.dram.row_conflicts"};

/// "core3.l1d.hits" of the name "core.l1d.hits" is one of "core*.l1d.hits".
std::string pattern_of(const std::string& path, const std::string& name) {
  std::string pattern;
  std::size_t p = 0, n = 0;
  while (p < path.size() && n < name.size()) {
    const std::size_t p_end = std::min(path.find('.', p), path.size()),
                      n_end = std::min(name.find('.', n), name.size());
    const std::string_view element(path.data() + p, p_end - p), common(name.data() + n, n_end - n);
    pattern += std::string(pattern.empty() ? "" : ".") + std::string(common) + (element == common ? "" : "*");
    p = p_end + 1;
    n = n_end + 1;
  }
  return pattern;
}

}  // namespace

Sampler::Sampler(const SampleSettings& settings, const std::string& folder) : settings_(settings) {
  const HeldSignals held;
  file_ = std::make_unique<Temporary>(
      (std::filesystem::path(folder) / fmt::format(".heddle-{}-samples.tmp", ::getpid())).string());
}

Sampler::~Sampler() {
  writer_.reset();
  std::error_code ignored;
  std::filesystem::remove(file_->path(), ignored);
}

void Sampler::attach(const base::StatGroup& stats) {
  const nlohmann::ordered_json dictionary = stats.dictionary();
  std::vector<std::string> wanted = kUsual;
  wanted.insert(wanted.end(), settings_.statistics.begin(), settings_.statistics.end());
  std::set<std::string> used;  // of `wanted`
  std::map<std::string, std::size_t> known;
  std::vector<results::Statistic> series;
  std::vector<std::string> sources;  // what is added up, by series
  const auto add = [&](const std::string& series_name, const std::string& name, std::string source) {
    if (!known.emplace(series_name, series.size()).second) return;
    results::Statistic statistic = results::meaning_of(name, dictionary);
    statistic.name = series_name;
    series.push_back(std::move(statistic));
    sources.push_back(std::move(source));
  };
  // Single ones of several units are asked for by the user only.
  for (const auto& [path, name] : base::stat_names(stats, !settings_.statistics.empty())) {
    if (results::is_maximum(name)) continue;  // of an interval there is none
    for (const std::string& pattern : wanted) {
      const bool of_all = matches(pattern, name);
      if (!of_all && !matches(pattern, path)) continue;
      used.insert(pattern);
      if (of_all)
        add(name, name, path == name ? path : pattern_of(path, name));
      else
        add(path, name, path);
    }
  }
  for (const std::string& pattern : settings_.statistics)
    if (!used.contains(pattern))
      throw base::InputError(
          "--sample-statistics " + pattern, "no counter of this GPU has such a name",
          "names are those of the dictionary in stats.json, '*' stands for any characters: core.lsu.*; "
          "core3.issue.instructions is that of one core. Maxima and rates have no samples");
  before_.assign(series.size(), 0);
  sums_.emplace(stats, sources);
  const HeldSignals held;
  writer_ = std::make_unique<results::SeriesWriter>(file_->path(), settings_.cycles, series);
}

/// Since the last sample of the launch.
std::vector<double> Sampler::grown() {
  const std::vector<std::uint64_t>& now = sums_->read();
  std::vector<double> values(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) values[i] = static_cast<double>(now[i] - before_[i]);
  before_ = now;
  return values;
}

void Sampler::sample() {
  if (samples_ != 0) writer_->add(pending_);
  pending_ = grown();
  ++samples_;
}

void Sampler::launch_ended(const gpu::LaunchRecord& launch) {
  std::vector<double> rest = grown();
  // A launch that ends with an interval may have been sampled before, or behind, its end.
  if (samples_ != 0 && samples_ * settings_.cycles >= launch.cycles) {
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] += pending_[i];
  } else if (samples_ != 0) {
    writer_->add(pending_);
  }
  writer_->add(rest);
  writer_->end_launch(launch.kernel, launch.cycles);
  samples_ = 0;
  std::ranges::fill(before_, 0);
}

std::string Sampler::take() {
  writer_->finish();
  writer_.reset();
  return base::read_file(file_->path(), "samples", kMostBytes);
}

}  // namespace heddle::cli
