#include "cli/deterministic_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "cli/child_run.h"
#include "cli/files.h"
#include "cli/output_dir.h"
#include "cli/perturbed_run.h"
#include "cli/report.h"
#include "gpu/platform_files.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kWordBytes = 4;

std::string row(const std::string& name, const std::string& text) {
  return fmt::format("  {:<18}{}\n", name, text);
}

/// Whether the run has that launch, and it was not given up.
bool completes(const Json& run, std::size_t launch) {
  return launch < run["launches"].size() && !run["launches"][launch].contains("complete");
}

/// Launch and end of a run without what may differ legally: cycles, and memory at the time at which a launch was given up.
std::string memory_at(const Json& run, std::size_t launch) {
  const Json& launches = run["launches"];
  if (launch < launches.size())
    return launches[launch]["kernel"].get<std::string>() + " " +
           (completes(run, launch) ? launches[launch]["memory"].get<std::string>() : "given up");
  return run.contains("ended") ? fmt::format("ended with {}", run["ended"]["code"].get<int>()) : "end";
}

std::string end_text(const Json& run, std::size_t launch) {
  const Json& launches = run["launches"];
  if (completes(run, launch)) return launches[launch]["kernel"].get<std::string>() + " completes";
  if (!run.contains("ended")) return "the run has ended";
  const std::string end = fmt::format("ends early (exit code {})", run["ended"]["code"].get<int>());
  return (launch < launches.size() ? launches[launch]["kernel"].get<std::string>() : "the run") + " " + end;
}

std::string memory_of(const Json& run) {
  std::string all;
  for (std::size_t i = 0; i <= run["launches"].size(); ++i) all += memory_at(run, i) + "\n";
  return all;
}

/// Runs all of them, some at a time, in order of their seeds.
std::vector<Json> run_all(const Job& job, const RunSettings& settings, std::uint64_t runs) {
  const std::uint64_t at_a_time = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Json> results;
  std::deque<ChildRun> running;
  for (std::uint64_t seed = 1; results.size() < runs;) {
    while (seed <= runs && running.size() < at_a_time) {
      running.emplace_back([&job, &settings, seed] { return digests_of({job, settings, seed}); });
      ++seed;
    }
    results.push_back(running.front().result());
    running.pop_front();
  }
  return results;
}

struct Location {
  std::string allocation;
  std::uint64_t offset = 0;  ///< of the word
  std::uint64_t address = 0;
  std::uint64_t words = 0;  ///< that differ in all
  std::uint64_t allocations = 0;
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File temporary_file() {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr)
    throw base::InputError("--deterministic-check", "no temporary file can be made",
                           "set TMPDIR, or free some space");
  return {file, std::fclose};
}

/// The first word, by address, in which two images of memory differ; none: in their allocations.
std::optional<Location> first_difference(const Json& allocations, std::FILE* a, std::FILE* b) {
  constexpr std::size_t kChunk = 1u << 16;
  std::vector<unsigned char> left(kChunk), right(kChunk);
  std::optional<Location> first;
  for (std::FILE* const file : {a, b}) std::rewind(file);
  for (const Json& allocation : allocations) {
    const auto bytes = allocation["bytes"].get<std::uint64_t>();
    bool differs = false;
    for (std::uint64_t at = 0; at < bytes;) {
      const std::size_t piece = std::min<std::uint64_t>(kChunk, bytes - at);
      if (std::fread(left.data(), 1, piece, a) != piece || std::fread(right.data(), 1, piece, b) != piece)
        return first;
      for (std::size_t word = 0; word < piece; word += kWordBytes) {
        const auto end = std::min<std::size_t>(word + kWordBytes, piece);
        if (std::equal(left.begin() + static_cast<std::ptrdiff_t>(word),
                       left.begin() + static_cast<std::ptrdiff_t>(end),
                       right.begin() + static_cast<std::ptrdiff_t>(word)))
          continue;
        if (!first) {
          first.emplace();
          first->allocation = allocation["name"].get<std::string>();
          first->offset = at + word;
          first->address = allocation["address"].get<std::uint64_t>() + at + word;
        }
        ++first->words;
        differs = true;
      }
      at += piece;
    }
    if (differs) ++first->allocations;
  }
  return first;
}

/// Where the first difference is and who made it: two more runs of each seed, up to the launch.
Json explain(const Job& job, const RunSettings& settings, std::uint64_t launch, std::uint64_t seed_a,
             std::uint64_t seed_b) {
  Json found;
  const PerturbedRun a{job, settings, seed_a}, b{job, settings, seed_b};
  const File image_a = temporary_file(), image_b = temporary_file();
  ChildRun first([&] { return memory_after(a, launch, image_a.get()); });
  ChildRun second([&] { return memory_after(b, launch, image_b.get()); });
  const Json allocations = first.result();
  if (allocations != second.result()) {
    found["what"] = "the runs have allocated different memory";
    return found;
  }
  const auto location = first_difference(allocations, image_a.get(), image_b.get());
  if (!location) return found;
  found["allocation"] = location->allocation;
  found["offset"] = location->offset;
  found["address"] = location->address;
  found["words"] = location->words;
  found["allocations"] = location->allocations;
  ChildRun writer_a([&] { return writer_of(a, launch, location->address); });
  ChildRun writer_b([&] { return writer_of(b, launch, location->address); });
  for (auto* const writer : {&writer_a, &writer_b}) found["values"].push_back(writer->result());
  found["values"][0]["seed"] = seed_a;
  found["values"][1]["seed"] = seed_b;
  return found;
}

struct FirstDifference {
  std::size_t launch = 0;  ///< index
  std::size_t run = 0;     ///< that differs from the first one
};

std::optional<FirstDifference> first_of(const std::vector<Json>& runs) {
  std::optional<FirstDifference> first;
  for (std::size_t r = 1; r < runs.size(); ++r) {
    const std::size_t launches = std::max(runs[0]["launches"].size(), runs[r]["launches"].size());
    for (std::size_t i = 0; i <= launches && (!first || i < first->launch); ++i)
      if (memory_at(runs[0], i) != memory_at(runs[r], i)) first = FirstDifference{i, r};
  }
  return first;
}

std::string writer_text(const Json& value) {
  if (!value.contains("writer")) return "by no kernel";
  const Json& w = value["writer"];
  const auto dim = [](const Json& d) {
    return fmt::format("({},{},{})", d[0].get<std::uint32_t>(), d[1].get<std::uint32_t>(),
                       d[2].get<std::uint32_t>());
  };
  return fmt::format("by thread {} of CTA {}, {} at {}, launch {}", dim(w["thread"]), dim(w["cta"]),
                     w["atomic"].get<bool>() ? "atomic" : "store", w["at"].get<std::string>(),
                     w["launch"].get<std::uint64_t>());
}

std::string difference_text(const Json& first) {
  std::string text =
      row("first difference",
          fmt::format("launch {} ({}), seeds {} and {}", first["launch"].get<std::uint64_t>(),
                      first["kernel"].get<std::string>(), first["seeds"][0].get<std::uint64_t>(),
                      first["seeds"][1].get<std::uint64_t>()));
  if (first.contains("what")) text += row("", first["what"].get<std::string>());
  if (!first.contains("address")) return text;
  const auto words = first["words"].get<std::uint64_t>();
  text +=
      row("address", fmt::format("'{}' + {} (0x{:x}); {} word{} of {} allocation{} differ{}",
                                 first["allocation"].get<std::string>(), first["offset"].get<std::uint64_t>(),
                                 first["address"].get<std::uint64_t>(), words, words == 1 ? "" : "s",
                                 first["allocations"].get<std::uint64_t>(),
                                 first["allocations"] == 1 ? "" : "s", words == 1 ? "s" : ""));
  for (const Json& value : first["values"])
    text += row(fmt::format("seed {}", value["seed"].get<std::uint64_t>()),
                fmt::format("0x{:08x}, {} ({} store{} to the word so far)",
                            value["value"].get<std::uint32_t>(), writer_text(value),
                            value["stores"].get<std::uint64_t>(), value["stores"] == 1 ? "" : "s"));
  return text;
}

}  // namespace

base::ExitCode check_determinism(const Job& job, const RunSettings& settings, std::uint64_t runs) {
  std::vector<std::string> platform_files;
  const gpu::GpuConfig config = gpu::load_platform(settings.platform, settings.assignments, &platform_files);
  if (config.core.scoreboard.check_hazards)
    throw base::InputError("core.scoreboard.check_hazards",
                           "--deterministic-check reports no hazards: its runs are compared, not looked into",
                           "Leave one of the two out.");
  OutputNames names;
  std::optional<OutputDir> out;
  if (!settings.out.empty())
    out.emplace(settings.out, std::vector<std::string>{"determinism.json", "config.yaml"}, names);
  if (!out || !out->repeats(platform_files.front())) names.reads_platform(settings.platform, platform_files);
  for (const Job::File& file : job.reads) names.reads(file.path, file.place);

  const std::vector<Json> all = run_all(job, settings, runs);
  std::set<std::string> memories;
  for (const Json& run : all) memories.insert(memory_of(run));
  const bool same = memories.size() == 1;
  const bool decided = !same || !all[0].contains("ended");
  Json result{{"title", job.header.title},
              {"platform", config.name},
              {"identity", job.header.identity},
              {"perturbation", perturbation(1)},
              {"deterministic", decided ? Json(same) : Json(nullptr)},
              {"memories", memories.size()},
              {"runs", all}};
  std::uint64_t shortest = ~std::uint64_t{0}, longest = 0;
  for (const Json& run : all) {
    std::uint64_t cycles = 0;
    for (const Json& launch : run["launches"]) cycles += launch["cycles"].get<std::uint64_t>();
    shortest = std::min(shortest, cycles);
    longest = std::max(longest, cycles);
  }
  const std::string variant = job.header.variant.empty() ? "" : fmt::format(" ({})", job.header.variant);
  std::string report = fmt::format("\n{} on {}{}, {} runs with perturbed timing\n", job.header.title,
                                   config.name, variant, runs);
  report += row("cycles", fmt::format("{} to {} core cycles", grouped(shortest), grouped(longest)));
  if (!decided) {
    const std::size_t complete = std::ranges::count_if(
        all[0]["launches"], [](const Json& launch) { return !launch.contains("complete"); });
    report += row("undecided",
                  fmt::format("all runs end early (exit code {}), so that there is no result to compare",
                              all[0]["ended"]["code"].get<int>()));
    if (complete != 0)
      report += row(
          "", fmt::format("memory is the same in all runs after each of the {} launches before", complete));
  } else if (same) {
    report += row("deterministic", fmt::format("memory is the same in all runs after each of {} launches",
                                               all[0]["launches"].size()));
  } else {
    report += row("nondeterministic", fmt::format("{} different outcomes of {} runs", memories.size(), runs));
    const FirstDifference first = first_of(all).value();
    Json difference{{"launch", first.launch + 1},
                    {"kernel", "end of the run"},
                    {"seeds", {all[0]["seed"], all[first.run]["seed"]}}};
    if (completes(all[0], first.launch) && completes(all[first.run], first.launch)) {
      difference["kernel"] = all[0]["launches"][first.launch]["kernel"];
      difference.update(explain(job, settings, first.launch + 1, all[0]["seed"].get<std::uint64_t>(),
                                all[first.run]["seed"].get<std::uint64_t>()));
    } else {
      difference["what"] = fmt::format(
          "seed {}: {}; seed {}: {}", all[0]["seed"].get<std::uint64_t>(), end_text(all[0], first.launch),
          all[first.run]["seed"].get<std::uint64_t>(), end_text(all[first.run], first.launch));
    }
    report += difference_text(difference);
    result["first_difference"] = difference;
  }
  if (all[0].contains("verdict")) report += row("seed 1", all[0]["verdict"].get<std::string>());
  if (out) {
    out->add("determinism.json", json_text(result, 1) + "\n");
    out->add("config.yaml", base::write_config(config));
    out->commit();
    report += row("files", out->path());
  }
  std::fwrite(report.data(), 1, report.size(), stdout);
  std::fflush(stdout);
  if (!same) return base::ExitCode::kNondeterministic;
  if (all[0].contains("ended"))
    throw base::Error(
        static_cast<base::ExitCode>(all[0]["ended"]["code"].get<int>()), "",
        fmt::format("all {} runs end early, seed {}: {}", runs, all[0]["seed"].get<std::uint64_t>(),
                    all[0]["ended"]["message"].get<std::string>()));
  return all[0]["passed"].get<bool>() ? base::ExitCode::kOk : base::ExitCode::kMismatch;
}

}  // namespace heddle::cli
