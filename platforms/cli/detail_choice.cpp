#include "cli/detail_choice.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include "base/error.h"

namespace heddle::cli {
namespace {

std::uint64_t number_in(const std::string& text, const std::string& whole) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0)
    throw base::InputError("--detail " + whole, fmt::format("'{}' is no number of a launch", text),
                           "Write KERNEL:FROM-TO, counted from 1: --detail saxpy:1-10");
  return value;
}

/// "saxpy" of _Z5saxpyifPKfPf, and of void saxpy<int>(...); "a::saxpy" of a::(anonymous namespace)::saxpy(...).
std::string source_name(const std::string& name) {
  int status = 0;
  char* const plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && plain != nullptr ? plain : name;
  std::free(plain);  // NOLINT(cppcoreguidelines-no-malloc): the function's contract
  const std::string anonymous = "(anonymous namespace)::";
  for (std::size_t at = text.find(anonymous); at != std::string::npos; at = text.find(anonymous))
    text.erase(at, anonymous.size());
  text = text.substr(0, text.find_first_of("(<"));
  return text.substr(text.rfind(' ') + 1);
}

}  // namespace

DetailRange detail_range(const std::string& text) {
  if (text == "none") return {"", 1, 0};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    throw base::InputError("--detail " + text, "there is no kernel, or no launches of it",
                           "Write KERNEL:FROM-TO, counted from 1: --detail saxpy:1-10");
  DetailRange range;
  range.kernel = text.substr(0, colon);
  const std::string numbers = text.substr(colon + 1);
  const std::size_t dash = numbers.find('-');
  range.from = number_in(numbers.substr(0, dash), text);
  range.to = dash == std::string::npos ? range.from : number_in(numbers.substr(dash + 1), text);
  if (range.to < range.from)
    throw base::InputError("--detail " + text, "the last launch is before the first",
                           "Write the smaller number first.");
  return range;
}

bool DetailChoice::chooses(const std::string& kernel) {
  Seen& seen = kernels_[kernel];
  last_ = &seen;
  ++seen.launches;
  const std::string in_source = source_name(kernel);
  const std::size_t scope = in_source.rfind("::");
  const std::string plain = scope == std::string::npos ? in_source : in_source.substr(scope + 2);
  bool detail = false;
  for (DetailRange& range : ranges_) {
    const bool named =
        range.kernel == "*" || range.kernel == kernel || range.kernel == in_source || range.kernel == plain;
    if (!named || seen.launches < range.from || seen.launches > range.to) continue;
    detail = range.used = true;
  }
  ++(detail ? detailed_ : quick_);
  return detail;
}

std::vector<DetailRange> DetailChoice::empty_ranges() const {
  std::vector<DetailRange> empty;
  std::ranges::copy_if(ranges_, std::back_inserter(empty),
                       [](const DetailRange& range) { return !range.used && range.from <= range.to; });
  return empty;
}

void DetailChoice::simulated(double ns) {
  ++last_->simulated;
  last_->ns += ns;
}

double DetailChoice::likely_ns() const {
  return last_->simulated == 0 ? 0 : last_->ns / static_cast<double>(last_->simulated);
}

}  // namespace heddle::cli
