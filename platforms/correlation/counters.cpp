#include "correlation/counters.h"

#include <cstdlib>
#include <stdexcept>

namespace heddle::correlation {
namespace {

std::optional<double> term(const std::string& word, const Lookup& lookup) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (end != word.c_str() && *end == '\0') return number;
  return lookup(word);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto blank = text.find(' ');
    words.emplace_back(text.substr(0, blank));
    text = blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
  }
  return words;
}

}  // namespace

std::optional<double> evaluate(std::string_view expression, const Lookup& lookup) {
  const std::vector<std::string> words = words_of(expression);
  if (words.size() % 2 == 0)
    throw std::logic_error("an expression of terms and operators: " + std::string(expression));
  std::optional<double> value = term(words[0], lookup);
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const std::string& op = words[i];
    if (op != "+" && op != "-" && op != "*" && op != "/")
      throw std::logic_error("no operator: '" + op + "' in " + std::string(expression));
    const std::optional<double> next = term(words[i + 1], lookup);
    if (!value || !next || (op == "/" && *next == 0)) return std::nullopt;
    value = op == "+"   ? *value + *next
            : op == "-" ? *value - *next
            : op == "*" ? *value * *next
                        : *value / *next;
  }
  return value;
}

const std::vector<Counter>& counters() {
  // A profiler's launch reads some code and constants from L2 and DRAM that are not the kernel's: their slack.
  static const std::vector<Counter> all = {
      {"warp_instructions", "warp instructions", "smsp__inst_executed.sum", "core*.issue.warp_instructions"},
      {"lane_instructions", "lane instructions", "smsp__thread_inst_executed.sum",
       "core*.issue.thread_instructions"},
      {"global_load_requests", "warp instructions", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
       "core*.lsu.requests.global_load"},
      {"global_store_requests", "warp instructions", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
       "core*.lsu.requests.global_store"},
      {"atomic_requests", "warp instructions", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
       "core*.lsu.requests.global_atomic"},
      {"reduction_requests", "warp instructions", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
       "core*.lsu.requests.global_reduction"},
      {"local_load_requests", "warp instructions", "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
       "core*.lsu.requests.local_load"},
      {"local_store_requests", "warp instructions", "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
       "core*.lsu.requests.local_store"},
      {"global_load_sectors", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
       "core*.lsu.sectors.global_load", 0.05, 8},
      {"global_store_sectors", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
       "core*.lsu.sectors.global_store", 0.05, 8},
      {"shared_conflicts", "cycles", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
       "core*.shared_memory.conflict_passes", 0.05, 8},
      {"shared_wavefronts", "cycles", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
       "core*.shared_memory.accesses + core*.shared_memory.conflict_passes + core*.shared_memory.wide_passes",
       0.05, 8, false},
      {"global_load_sector_hits", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
       "core*.lsu.sectors.global_load_hit", 0.05, 64},
      {"l2_read_sectors", "sectors", "lts__t_sectors_op_read.sum",
       "partition*.l2.sectors.read + partition*.l2.far_sectors.read + launch.sectors + launch.code_lookups",
       0.05, 512},
      {"l2_write_sectors", "sectors", "lts__t_sectors_op_write.sum",
       "partition*.l2.sectors.write + partition*.l2.far_sectors.write", 0.05, 512},
      {"l2_atomic_sectors", "sectors", "lts__t_sectors_op_atom.sum + lts__t_sectors_op_red.sum",
       "partition*.l2.sectors.atomic", 0.05, 64, false},
      {"dram_read_bytes", "bytes", "dram__bytes_read.sum",
       "launch.code_sectors + launch.dram_sectors * 32 + partition*.l2.dram_read_bytes", 0.10, 4096},
      {"dram_write_bytes", "bytes", "dram__bytes_write.sum", "partition*.l2.dram_write_bytes", 0.10, 65536,
       false},
      {"occupancy", "of the warp slots", "sm__warps_active.avg.pct_of_peak_sustained_active / 100",
       "core*.issue.group_cycles / core*.issue.resident_cycles / platform.max_warps", 0.10, 0.01},
      {"active_cycles", "core cycles", "sm__cycles_active.sum", "core*.issue.resident_cycles", 0.10, 0},
      {"cycles", "core cycles", "gpc__cycles_elapsed.max", "launch.cycles", 0.10, 0}};
  return all;
}

std::size_t cycles_counter() { return counters().size() - 1; }

}  // namespace heddle::correlation
