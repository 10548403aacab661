#include "cli/sweep/sweep_spec.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/config.h"
#include "base/error.h"
#include "base/text_input.h"
#include "cli/sweep/spec_values.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr const char* kForm =
    "write 'workload: [bfs, sgemm]', 'seed: 1..3', 'set:' with configuration keys below it ...; heddle sweep "
    "--help has the form";

/// Names that stand for settings by themselves.
const std::vector<std::string> kPlain = {"workload", "compiler", "size", "seed", "platform", "cubin"};
const std::vector<std::string> kSections = {"name", "kernels",  "programs", "param",  "set",
                                            "zip",  "variants", "exclude",  "options"};

class SpecReader {
 public:
  SpecReader(std::string name, SweepSpec& spec) : name_(std::move(name)), spec_(spec) {}

  void read(const std::string& text) {
    YAML::Node root;
    try {
      root = YAML::Load(text);
    } catch (const YAML::Exception& e) {
      throw base::InputError(fmt::format("{}:{}:{}", name_, e.mark.line + 1, e.mark.column + 1),
                             "malformed YAML: " + e.msg, kForm);
    }
    if (!root.IsMap()) throw base::InputError(name_, "holds no 'name: value' lines", kForm);
    for_entries(root, [&](const std::string& key, const YAML::Node& value) { section(key, value); });
  }

 private:
  [[nodiscard]] std::string at(const YAML::Node& node) const {
    return fmt::format("{}:{}", name_, node.Mark().line + 1);
  }
  [[noreturn]] void fail(const YAML::Node& node, const std::string& what, const std::string& remedy) const {
    throw base::InputError(at(node), what, remedy);
  }

  /// Of a map, with each key once.
  void for_entries(const YAML::Node& map,
                   const std::function<void(const std::string& key, const YAML::Node& value)>& use) const {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) fail(entry.first, "a name is expected here", kForm);
      const std::string key = entry.first.Scalar();
      if (!seen.insert(key).second)
        fail(entry.first, fmt::format("'{}' is given twice", key), "put its values into one list");
      if (entry.second.IsNull())
        fail(entry.first, fmt::format("'{}' has no value", key), "give it one, or remove the line");
      use(key, entry.second);
    }
  }
  void want_map(const YAML::Node& node, const std::string& what, const std::string& example) const {
    if (!node.IsMap()) fail(node, what + " holds 'name: value' lines", "for example " + example);
  }
  void want_list(const YAML::Node& node, const std::string& what, const std::string& example) const {
    if (!node.IsSequence() || node.size() == 0) fail(node, what + " is a list", "for example " + example);
  }
  [[nodiscard]] std::string scalar(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar())
      fail(node, fmt::format("'{}' has one value", key), fmt::format("write '{}: VALUE'", key));
    return node.Scalar();
  }

  /// A value, a list of values, a range.
  [[nodiscard]] std::vector<Setting> settings(const std::string& key, const YAML::Node& node) const {
    std::vector<Setting> all;
    const auto add = [&](const YAML::Node& value) {
      if (!value.IsScalar())
        fail(value, fmt::format("'{}' has a value or a list of values", key),
             "put maps below 'variants:' or 'zip:'");
      for (std::string& each : values_in(value.Scalar(), at(value)))
        all.push_back({key, std::move(each), at(value)});
    };
    if (node.IsSequence()) {
      if (node.size() == 0)
        fail(node, fmt::format("the list of '{}' is empty", key), "give it a value, or remove the line");
      for (const YAML::Node& value : node) add(value);
    } else {
      add(node);
    }
    std::set<std::string> seen;
    for (const Setting& each : all)
      if (!seen.insert(each.value).second)
        throw base::InputError(each.place, fmt::format("'{}' has the value {} twice", key, each.value),
                               "leave one of them out");
    return all;
  }

  void add_axis(const std::string& key, const YAML::Node& node) const {
    Axis axis;
    for (Setting& setting : settings(key, node)) axis.choices.push_back({std::move(setting)});
    spec_.axes.push_back(std::move(axis));
  }

  /// The name of a setting in paired lists, variants and exclusions; those of sections `set` and `param` as well.
  void settings_of_map(const YAML::Node& node,
                       const std::function<void(const std::string&, const YAML::Node&)>& use) const {
    for_entries(node, [&](const std::string& key, const YAML::Node& value) {
      if (key == "set" || key == "param") {
        want_map(value, key, "core.l1d.size_kib: 32");
        for_entries(value, [&](const std::string& inner, const YAML::Node& of) {
          use(key == "set" ? inner : "param." + inner, of);
        });
      } else {
        use(key, value);
      }
    });
  }

  void section(const std::string& key, const YAML::Node& value) {
    if (std::ranges::find(kPlain, key) != kPlain.end()) return add_axis(key, value);
    if (key == "name") {
      spec_.name = scalar(value, key);
    } else if (key == "set" || key == "param") {
      want_map(value, key, key == "set" ? "core.l1d.size_kib: [16, 32]" : "nodes: [1000, 2000]");
      for_entries(value, [&](const std::string& inner, const YAML::Node& of) {
        add_axis(key == "set" ? inner : "param." + inner, of);
      });
    } else if (key == "zip") {
      zips(value);
    } else if (key == "variants") {
      variants(value);
    } else if (key == "exclude") {
      exclusions(value);
    } else if (key == "kernels") {
      kernels(value);
    } else if (key == "programs") {
      programs(value);
    } else if (key == "options") {
      want_map(value, key, "profile: true");
      for_entries(value, [&](const std::string& inner, const YAML::Node& of) {
        set_option(spec_.options, inner, scalar(of, inner), at(of));
      });
    } else {
      std::vector<std::string> known = kPlain;
      known.insert(known.end(), kSections.begin(), kSections.end());
      const auto near = base::nearest_name(key, known);
      fail(value,
           fmt::format("a sweep has no '{}'{}", key, near ? fmt::format("; did you mean '{}'?", *near) : ""),
           key.find('.') != std::string::npos ? "configuration keys are below 'set:'"
                                              : fmt::format("there are: {}", fmt::join(known, ", ")));
    }
  }

  void zips(const YAML::Node& node) const {
    constexpr const char* kExample = "zip: [{core.l1d.size_kib: [16, 32], core.l1d.ways: [4, 8]}]";
    const auto zip = [&](const YAML::Node& map) {
      want_map(map, "a group of paired lists", kExample);
      Axis axis;
      std::string first;
      settings_of_map(map, [&](const std::string& key, const YAML::Node& values) {
        std::vector<Setting> list = settings(key, values);
        if (first.empty()) {
          first = key;
          axis.choices.resize(list.size());
        }
        if (list.size() != axis.choices.size())
          fail(values,
               fmt::format("'{}' has {} values, but '{}' has {}", key, list.size(), first,
                           axis.choices.size()),
               "paired lists have equally many values; for all combinations put them below 'set:'");
        for (std::size_t i = 0; i < list.size(); ++i) axis.choices[i].push_back(std::move(list[i]));
      });
      if (axis.choices.empty())
        fail(map, "a group of paired lists has no list", std::string("for example ") + kExample);
      spec_.axes.push_back(std::move(axis));
    };
    if (node.IsMap()) return zip(node);
    want_list(node, "zip", kExample);
    for (const YAML::Node& map : node) zip(map);
  }

  void variants(const YAML::Node& node) const {
    constexpr const char* kExample = "variants: [{name: base}, {name: big, core.l1d.size_kib: 48}]";
    want_list(node, "variants", kExample);
    Axis axis;
    std::set<std::string> names;
    for (const YAML::Node& map : node) {
      want_map(map, "a variant", kExample);
      Choice choice;
      settings_of_map(map, [&](const std::string& key, const YAML::Node& value) {
        Setting setting{key == "name" ? "variant" : key, scalar(value, key), at(value)};
        choice.insert(key == "name" ? choice.begin() : choice.end(), std::move(setting));
      });
      if (choice.empty() || choice.front().name != "variant")
        fail(map, "a variant has no name", std::string("for example ") + kExample);
      if (!names.insert(choice.front().value).second)
        fail(map, fmt::format("two variants are named '{}'", choice.front().value),
             "give each a name of its own");
      axis.choices.push_back(std::move(choice));
    }
    spec_.axes.push_back(std::move(axis));
  }

  void exclusions(const YAML::Node& node) const {
    constexpr const char* kExample = "exclude: [{workload: bfs, core.compiler: ssde}]";
    want_list(node, "exclude", kExample);
    for (const YAML::Node& map : node) {
      want_map(map, "an exclusion", kExample);
      Choice choice;
      settings_of_map(map, [&](const std::string& key, const YAML::Node& value) {
        choice.push_back({key, scalar(value, key), at(value)});
      });
      if (choice.empty())
        fail(map, "an exclusion without settings leaves out every run",
             std::string("for example ") + kExample);
      spec_.excluded.push_back(std::move(choice));
    }
  }

  void kernels(const YAML::Node& node) const {
    constexpr const char* kExample =
        "kernels: [{name: saxpy, ptx: saxpy.ptx, entry: saxpy, grid: 8, block: 128, arg: [u32=1024, ...]}]";
    want_list(node, "kernels", kExample);
    Axis axis;
    for (const YAML::Node& map : node) {
      want_map(map, "a kernel", kExample);
      SweepKernel kernel;
      kernel.place = at(map);
      for_entries(map, [&](const std::string& key, const YAML::Node& value) {
        std::vector<std::string> values;
        if (value.IsSequence())
          for (const YAML::Node& each : value) values.push_back(scalar(each, key));
        else
          values.push_back(scalar(value, key));
        set_of_kernel(kernel, key, values, at(value));
      });
      if (kernel.name.empty()) kernel.name = kernel.request.entry;
      if (kernel.name.empty() || kernel.request.file.empty())
        fail(map, "a kernel has 'ptx' or 'cubin', 'entry', 'grid' and 'block'",
             std::string("for example ") + kExample);
      axis.choices.push_back({{"kernel", kernel.name, kernel.place}});
      for (const SweepKernel& other : spec_.kernels)
        if (other.name == kernel.name)
          fail(map, fmt::format("two kernels are named '{}'", kernel.name), "give each a 'name' of its own");
      spec_.kernels.push_back(std::move(kernel));
    }
    spec_.axes.push_back(std::move(axis));
  }

  void programs(const YAML::Node& node) const {
    constexpr const char* kExample = "programs: [{name: saxpy, program: ./saxpy, args: [1024, 3]}]";
    want_list(node, "programs", kExample);
    Axis axis;
    for (const YAML::Node& map : node) {
      want_map(map, "a program", kExample);
      SweepProgram program{.name = {}, .command = {""}, .place = at(map)};
      for_entries(map, [&](const std::string& key, const YAML::Node& value) {
        if (key == "name") {
          program.name = scalar(value, key);
        } else if (key == "program") {
          program.command[0] = scalar(value, key);
        } else if (key == "args") {
          want_list(value, "args", kExample);
          for (const YAML::Node& each : value) program.command.push_back(scalar(each, key));
        } else {
          fail(value, fmt::format("a program has no '{}'", key), std::string("for example ") + kExample);
        }
      });
      if (program.command[0].empty())
        fail(map, "a program has 'program', its file", std::string("for example ") + kExample);
      if (program.name.empty()) program.name = std::filesystem::path(program.command[0]).filename().string();
      for (const SweepProgram& other : spec_.programs)
        if (other.name == program.name)
          fail(map, fmt::format("two programs are named '{}'", program.name),
               "give each a 'name' of its own");
      axis.choices.push_back({{"program", program.name, program.place}});
      spec_.programs.push_back(std::move(program));
    }
    spec_.axes.push_back(std::move(axis));
  }

  std::string name_;
  SweepSpec& spec_;
};

}  // namespace

SweepSpec parse_spec(const std::string& text, const std::string& name) {
  SweepSpec spec;
  spec.name = std::filesystem::path(name).stem().string();
  spec.text = text;
  SpecReader(name, spec).read(text);
  return spec;
}

SweepSpec read_spec(const std::string& file) {
  return parse_spec(base::read_file(file, "sweep spec", kMostBytes), file);
}

}  // namespace heddle::cli
