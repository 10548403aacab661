#include "cli/sweep/sweep_folder.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "cli/commit.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPart = "part-";  ///< begin of a part's file name

/// "x86_64, Linux 6.1, 16 processors": no name of the machine.
std::string machine() {
  utsname name{};
  ::uname(&name);
  return fmt::format("{}, {} {}, {} processors", name.machine, name.sysname, name.release,
                     ::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

SweepFolder::SweepFolder(const std::string& out, const SweepPlan& plan, bool resume, const std::string& part)
    : given_("--out " + out), path_(out) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  std::string name = results::kResultsFile;
  if (!part.empty()) {
    std::string number = part;
    std::ranges::replace(number, '/', '-');
    name = fmt::format("{}{}.sqlite", kPart, number);
  }
  file_ = (fs::path(path_) / name).string();
  std::error_code error;
  const bool there = fs::exists(file_, error);
  if (there && !resume)
    throw base::InputError(given_, "has the results of a sweep already",
                           "add --resume to go on with it, or choose another folder");
  fs::create_directories(fs::path(file_).parent_path(), error);
  if (error)
    throw base::InputError(given_, fmt::format("cannot be made: {}", error.message()),
                           "choose another folder, or make this one usable");
  writer_ = std::make_unique<results::ResultsWriter>(file_);
  if (there) check_spec(plan);
  writer_->set_about({{"name", plan.spec().name},
                      {"spec", plan.spec().text},
                      {"spec_digest", plan.digest()},
                      {"runs", fmt::format("{}", plan.runs())},
                      {"heddle", version_and_commit()},
                      {"machine", machine()}});
  if (part.empty() && resume) take_parts(plan);
  done_ = writer_->runs(results::RunStatus::kFailed);
}

void SweepFolder::check_spec(const SweepPlan& plan) const {
  const std::string digest = writer_->about("spec_digest");
  if (!digest.empty() && digest != plan.digest())
    throw base::InputError(
        given_, fmt::format("{} has the results of another spec ({})", file_, writer_->about("name")),
        "give the spec that it was made with, or choose another folder");
}

void SweepFolder::take_parts(const SweepPlan& plan) {
  std::error_code none;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path_, none))
    if (const std::string name = entry.path().filename().string();
        name.starts_with(kPart) && name.ends_with(".sqlite"))
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  for (const std::string& file : files) {
    if (!writer_->take(file, plan.digest()))
      throw base::InputError(given_, fmt::format("{} is a part of another spec", file),
                             "choose another folder, or remove the part");
  }
}

void SweepFolder::add(std::size_t run, const results::MeasuredRun& measured) {
  writer_->add(run, measured);
  done_.insert(run);
}

std::string SweepFolder::close() {
  writer_.reset();
  return file_;
}

}  // namespace heddle::cli
