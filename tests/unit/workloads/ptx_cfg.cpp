#include "unit/workloads/ptx_cfg.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <stdexcept>

namespace heddle::workloads::testing {

namespace {

std::string trim(std::string line) {
  line = line.substr(0, line.find("//"));
  const auto begin = line.find_first_not_of(" \t"), end = line.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
}

std::size_t parameter_size(const std::string& line) {
  if (line.find(".u64") != std::string::npos) return 8;
  if (line.find(".u32") != std::string::npos || line.find(".f32") != std::string::npos) return 4;
  throw std::runtime_error("parameter of another kind: " + line);
}

void connect(PtxKernel& kernel, const std::map<std::string, std::size_t>& labels) {
  const std::size_t exit = kernel.code.size();
  for (std::size_t i = 0; i < exit; ++i) {
    const std::string& text = kernel.code[i];
    const bool guarded = text[0] == '@';
    const std::string operation = guarded ? text.substr(text.find_first_of(" \t") + 1) : text;
    auto& next = kernel.successors.emplace_back();
    if (operation.starts_with("bra")) {
      const auto label = operation.find_last_of(" \t") + 1;
      next.push_back(labels.at(operation.substr(label, operation.find(';') - label)));
      if (guarded) next.push_back(i + 1);
    } else if (operation.starts_with("ret") || operation.starts_with("exit")) {
      next.push_back(exit);
      if (guarded) next.push_back(i + 1);
    } else {
      next.push_back(i + 1);
    }
  }
  kernel.successors.emplace_back();
}

}  // namespace

std::vector<std::size_t> PtxKernel::all_with(const std::string& part) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code[i].find(part) != std::string::npos) found.push_back(i);
  return found;
}

std::vector<bool> PtxKernel::reach(std::size_t from, std::size_t barred) const {
  std::vector<bool> seen(successors.size(), false);
  std::vector<std::size_t> work = successors[from];
  while (!work.empty()) {
    const std::size_t i = work.back();
    work.pop_back();
    if (i == barred || seen[i]) continue;
    seen[i] = true;
    work.insert(work.end(), successors[i].begin(), successors[i].end());
  }
  return seen;
}

std::size_t PtxKernel::immediate_post_dominator(std::size_t branch) const {
  const std::size_t exit = code.size();
  const auto post_dominates = [&](std::size_t i, std::size_t of) { return i == exit || !reach(of, i)[exit]; };
  for (std::size_t i = 0; i <= exit; ++i) {
    if (i == branch || !post_dominates(i, branch)) continue;
    bool nearest = true;  // every other post-dominator comes after this one
    for (std::size_t j = 0; j <= exit && nearest; ++j)
      if (j != i && j != branch && post_dominates(j, branch)) nearest = i != exit && post_dominates(j, i);
    if (nearest) return i;
  }
  throw std::logic_error("no post-dominator");
}

std::vector<PtxKernel> read_ptx(const std::string& path) {
  std::ifstream file(path);
  std::vector<PtxKernel> kernels;
  std::map<std::string, std::size_t> labels;
  enum { kOutside, kParameters, kBody } state = kOutside;
  std::ptrdiff_t depth = 0;  // of the blocks that inline assembly opens
  for (std::string raw; std::getline(file, raw);) {
    const std::string line = trim(raw);
    if (line.empty()) continue;
    if (state == kBody)
      depth += std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}');
    const auto entry = line.find(".entry ");
    if (entry != std::string::npos) {
      kernels.emplace_back().name = line.substr(entry + 7, line.find('(') - entry - 7);
      labels.clear();
      state = kParameters;
    } else if (state == kParameters && line.starts_with(".param")) {
      kernels.back().parameter_bytes.push_back(parameter_size(line));
    } else if (state == kParameters && line == "{") {
      state = kBody;
      depth = 0;
    } else if (state == kBody && depth < 0) {
      connect(kernels.back(), labels);
      state = kOutside;
    } else if (state == kBody && line.ends_with(":")) {
      labels[line.substr(0, line.size() - 1)] = kernels.back().code.size();
    } else if (state == kBody && line[0] != '.' && line != "}") {
      kernels.back().code.push_back(line);
    }
  }
  return kernels;
}

}  // namespace heddle::workloads::testing
