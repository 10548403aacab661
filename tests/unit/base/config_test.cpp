#include "base/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/error.h"

namespace heddle::base::config_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

enum class Policy : std::uint8_t { kLrr, kGto };

struct CacheConfig {
  std::uint32_t size_kib = 16;
  std::uint32_t latency_cycles = 18;
  std::uint64_t budget_bytes = 1ull << 40;
  bool write_allocate = false;
  void visit(ConfigVisitor& v) {
    v.field("size_kib", size_kib, {.unit = "KiB", .doc = "capacity", .min = 1, .max = 1024});
    v.field("latency_cycles", latency_cycles, {.unit = "core cycles", .doc = "hit latency", .min = 1});
    v.field("budget_bytes", budget_bytes, {.unit = "bytes", .doc = "a wide number"});
    v.field("write_allocate", write_allocate, {.doc = "fetch lines that are written"});
  }
};

struct TestConfig {
  std::string name = "default";
  std::uint32_t cores = 15;
  double core_mhz = 1400.5;
  Policy policy = Policy::kGto;
  CacheConfig l1d;
  bool validated = false;

  void visit(ConfigVisitor& v) {
    v.field("name", name, {.doc = "shown in reports"});
    v.field("cores", cores, {.doc = "number of cores", .min = 1, .max = 80});
    v.field("core_mhz", core_mhz, {.unit = "MHz", .doc = "core clock", .min = 0.5, .max = 10000});
    v.choice("policy", policy, {"lrr", "gto"}, "who issues first");
    v.section("l1d", l1d, "level 1 data cache");
  }
  void validate() {
    validated = true;
    if (cores == 13) throw InputError("cores", "13 brings bad luck");
  }
};

TestConfig load(const std::string& yaml, const std::vector<std::string>& assignments = {}) {
  ConfigSource source;
  source.add_text(yaml, "test.yaml");
  for (const std::string& a : assignments) source.add_assignment(a);
  TestConfig config;
  load_config(source, config);
  return config;
}

/// what() of the InputError that `yaml` and the assignments cause.
std::string error_of(const std::string& yaml, const std::vector<std::string>& assignments = {}) {
  try {
    load(yaml, assignments);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

std::string data(const std::string& file) {
  return std::string(HEDDLE_SOURCE_DIR) + "/tests/data/yaml/" + file;
}

std::string file_error(const std::string& path) {
  ConfigSource source;
  try {
    source.add_file(path);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Config, KeysThatAreNotGivenKeepTheirDefaults) {
  const TestConfig config = load("");
  EXPECT_EQ(config.cores, 15u);
  EXPECT_EQ(config.policy, Policy::kGto);
  EXPECT_TRUE(config.validated);
}

TEST(Config, ReadsEveryKindOfValue) {
  const TestConfig config = load(
      "name: \"a: b\"\ncores: 0x10\ncore_mhz: 7e2\npolicy: lrr\n"
      "l1d: {size_kib: 64, budget_bytes: 18446744073709551615, write_allocate: Yes}\n");
  EXPECT_EQ(config.name, "a: b");
  EXPECT_EQ(config.cores, 16u);
  EXPECT_EQ(config.core_mhz, 700.0);
  EXPECT_EQ(config.policy, Policy::kLrr);
  EXPECT_EQ(config.l1d.size_kib, 64u);
  EXPECT_EQ(config.l1d.budget_bytes, ~std::uint64_t{0});
  EXPECT_TRUE(config.l1d.write_allocate);
  EXPECT_EQ(config.l1d.latency_cycles, 18u);
}

TEST(Config, LaterSourcesOverrideEarlierOnes) {
  ConfigSource source;
  source.add_text("cores: 2\nl1d:\n  size_kib: 8\n", "first.yaml");
  source.add_text("cores: 3\n", "second.yaml");
  source.add_assignment(" l1d.size_kib = 9 ");
  TestConfig config;
  load_config(source, config);
  EXPECT_EQ(config.cores, 3u);
  EXPECT_EQ(config.l1d.size_kib, 9u);
}

TEST(Config, UnknownKeyNamesPlaceAndNearestKey) {
  EXPECT_EQ(error_of("cores: 2\n\nl1d:\n  latnecy_cycles: 3\n"),
            "test.yaml:4: unknown key 'l1d.latnecy_cycles'; did you mean 'l1d.latency_cycles'?");
  EXPECT_EQ(error_of("", {"corse=2"}), "--set corse: unknown key 'corse'; did you mean 'cores'?");
}

TEST(Config, UnknownKeyInTheWrongSectionNamesTheRightOne) {
  EXPECT_THAT(error_of("budget_bytes: 3\n"),
              AllOf(HasSubstr("test.yaml:1: unknown key"), HasSubstr("'l1d.budget_bytes'")));
  EXPECT_THAT(error_of("memory:\n  channel:\n    size_kib: 3\n"),
              AllOf(HasSubstr("test.yaml:3"), HasSubstr("keys of that name: l1d.size_kib")));
}

TEST(Config, UnknownKeyWithoutNeighbourListsTheKeysOfTheSection) {
  EXPECT_THAT(error_of("l1d:\n  xyzzy: 3\n"),
              HasSubstr("keys in 'l1d': size_kib, latency_cycles, budget_bytes, write_allocate"));
  EXPECT_THAT(error_of("xyzzy: 3\n"), HasSubstr("keys at the top: name, cores, core_mhz, policy, l1d"));
}

TEST(Config, SectionsAndValuesAreNotInterchangeable) {
  EXPECT_THAT(error_of("l1d: 3\n"), HasSubstr("test.yaml:1: 'l1d' is a section and takes no value"));
  EXPECT_THAT(error_of("cores:\n  many: 3\n"), HasSubstr("'cores' is a single value, not a section"));
}

TEST(Config, WrongKindNamesKeyValueAndWhatIsAllowed) {
  EXPECT_THAT(error_of("cores: many\n"), HasSubstr("test.yaml:1: 'cores' must be a whole number, not 'many'\n"
                                                   "  allowed: between 1 and 80 (number of cores)"));
  EXPECT_THAT(error_of("cores: 2.5\n"), HasSubstr("must be a whole number, not '2.5'"));
  EXPECT_THAT(error_of("cores: -2\n"), HasSubstr("must be a whole number, not '-2'"));
  EXPECT_THAT(error_of("cores: ''\n"), HasSubstr("must be a whole number, not ''"));
  EXPECT_THAT(error_of("cores: 0x\n"), HasSubstr("must be a whole number, not '0x'"));
  EXPECT_THAT(error_of("core_mhz: fast\n"), HasSubstr("must be a number, not 'fast'"));
  EXPECT_THAT(error_of("core_mhz: nan\n"), HasSubstr("must be a number, not 'nan'"));
  EXPECT_THAT(error_of("l1d:\n  write_allocate: 2\n"), HasSubstr("must be true or false, not '2'"));
}

TEST(Config, ValuesOutOfRangeAreRefused) {
  EXPECT_THAT(error_of("cores: 0\n"),
              HasSubstr("test.yaml:1: 'cores' is out of range: 0\n  allowed: between 1 and 80"));
  EXPECT_THAT(error_of("cores: 81\n"), HasSubstr("out of range"));
  EXPECT_THAT(error_of("l1d:\n  latency_cycles: 4294967296\n"), HasSubstr("out of range: 4294967296"));
  EXPECT_THAT(error_of("l1d:\n  budget_bytes: 18446744073709551616\n"),
              HasSubstr("out of range: 18446744073709551616\n  allowed: at least 0 bytes"));
  EXPECT_THAT(error_of("core_mhz: 0.25\n"), HasSubstr("allowed: between 0.5 and 10000 MHz"));
}

TEST(Config, ChoicesNameTheAlternatives) {
  EXPECT_EQ(error_of("policy: gt0\n"),
            "test.yaml:1: 'gt0' is not a choice for 'policy'; did you mean 'gto'?\n  choices: lrr, gto");
  EXPECT_THAT(error_of("policy: random\n"), HasSubstr("'random' is not a choice for 'policy'\n"));
}

TEST(Config, CrossFieldChecksRunAfterLoading) {
  EXPECT_EQ(error_of("cores: 13\n"), "cores: 13 brings bad luck");
}

TEST(Config, DuplicateKeysNameBothLines) {
  EXPECT_THAT(error_of("cores: 2\nname: x\ncores: 3\n"),
              HasSubstr("test.yaml:3: key 'cores' was already given at test.yaml:1"));
  EXPECT_THAT(error_of("l1d:\n  size_kib: 3\nl1d:\n  latency_cycles: 3\n"),
              HasSubstr("test.yaml:3: key 'l1d' was already given at test.yaml:1"));
}

TEST(Config, ListsAndMissingValuesAreRefused) {
  EXPECT_THAT(error_of("l1d:\n  - size_kib: 3\n"), HasSubstr("test.yaml:1: 'l1d' is given a list"));
  EXPECT_THAT(error_of("- cores: 3\n"),
              HasSubstr("test.yaml:1: a configuration file holds 'key: value' lines"));
  EXPECT_THAT(error_of("just words\n"), HasSubstr("a configuration file holds 'key: value' lines"));
  EXPECT_THAT(error_of("name: x\ncores:\n"), HasSubstr("test.yaml:2: 'cores' has no value"));
  EXPECT_THAT(error_of("cores: 1\n---\ncores: 2\n"),
              HasSubstr("test.yaml:2:1: malformed YAML: a configuration file holds one document"));
  EXPECT_THAT(error_of("[1], 2\n"), HasSubstr("holds one document"))
      << "sends YAML::LoadAll() into an endless loop";
}

TEST(Config, EndlessAliasesAreRefused) {
  EXPECT_THAT(error_of("l1d: &a\n  size_kib: *a\n"), HasSubstr("nest deeper than"));
}

TEST(Config, AliasesStandForWhatTheyName) {
  EXPECT_EQ(error_of("cores: &n 3\nl1d: {size_kib: *n}\n"), "no error");
  EXPECT_THAT(error_of("cores: &n 3\nname: &n x\nl1d: {size_kib: *n}\n"), HasSubstr("'x'")) << "the latest";
  EXPECT_THAT(error_of("? &k name\n: x\n*k : y\n"), HasSubstr("key 'name' was already given at test.yaml:1"));
  EXPECT_THAT(error_of("cores: *n\n"), HasSubstr("test.yaml:1:8: malformed YAML: "));
  EXPECT_THAT(error_of("l1d: &a {size_kib: 3}\nname: *a\n"), HasSubstr("'name' is"));
}

TEST(Config, OnlyUtf8IsRead) {
  EXPECT_THAT(error_of(std::string("\xff\xfe"
                                   "c\0:\0",
                                   6)),
              HasSubstr("test.yaml: this is UTF-16"));
  EXPECT_THAT(error_of(std::string("cores: 3\n\0", 10)), HasSubstr("UTF-8"));
}

TEST(Config, KeysAreNames) {
  for (const char* key : {"? [a]\n: 1\n", "? {a: b}\n: 1\n", "~: 1\n", "'': 1\n"})
    EXPECT_THAT(error_of(key), HasSubstr("a key must be a plain name")) << key;
}

TEST(Config, MalformedYamlNamesLineAndColumn) {
  EXPECT_THAT(error_of("cores: 1\n---\nname: [\n"), HasSubstr("malformed YAML: "))
      << "in a second document too";
  EXPECT_THAT(error_of("cores: 2\n  name: x\n"), HasSubstr("test.yaml:2:7: malformed YAML: "));
  EXPECT_EQ(error_of("cores: 3\nname: \"open\nl1d:\n  size_kib: 3\n"),
            "test.yaml:2:7: malformed YAML: this quote is not closed on its line\n  close it there");
  EXPECT_THAT(error_of("name: 'open\n"), HasSubstr("quote is not closed"));
  EXPECT_THAT(file_error(data("malformed.yaml")), HasSubstr("malformed.yaml:3:"));
}

TEST(Config, DamagedTextIsReadOrRefusedButNeverMore) {
  const std::string whole =
      "name: \"q\"\ncores: 4 # four\nl1d: {size_kib: 3, x: [1, 2], y: &a *a}\n? |\n  k\n: v\n!!str t: "
      "'a''b'\n--- >\n b\n";
  const std::string symbols = " \n\t:{}[]&*!|>'\"%@`#-?,\\abc019~<\x01\xff";
  std::mt19937 random(7);
  unsigned refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole.substr(random() % whole.size(), random() % whole.size());
    for (auto damage = random() % 6; damage > 0 && !text.empty(); --damage) {
      const auto at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = symbols[random() % symbols.size()];
      else
        text.insert(at, 1, symbols[random() % symbols.size()]);
    }
    if (error_of(text) != "no error") ++refused;
  }
  EXPECT_GT(refused, 2000u);
}

TEST(Config, IncludedFilesComeFirst) {
  ConfigSource source;
  source.add_file(data("derived.yaml"));
  TestConfig config;
  load_config(source, config);
  EXPECT_EQ(config.name, "derived");
  EXPECT_EQ(config.cores, 4u);
  EXPECT_EQ(config.l1d.size_kib, 32u);
  EXPECT_EQ(config.l1d.latency_cycles, 25u);
  EXPECT_THAT(source.entries().at("l1d.size_kib").place, testing::EndsWith("base.yaml:5"));
}

TEST(Config, IncludeCyclesAreFound) {
  EXPECT_THAT(file_error(data("cycle_a.yaml")),
              AllOf(HasSubstr("cycle_b.yaml:2: "), HasSubstr("includes itself")));
}

TEST(Config, UnreadableFilesAreNamed) {
  EXPECT_THAT(file_error(data("missing_include.yaml")),
              AllOf(HasSubstr("missing_include.yaml:1: cannot read"), HasSubstr("nowhere.yaml")));
  EXPECT_THAT(file_error(data("none.yaml")), HasSubstr("No such file"));
  EXPECT_THAT(file_error(data("")), HasSubstr("is a directory"));
}

TEST(Config, IncludedFilesAreLookedForBesideTheFileAndThenInTheFoldersGiven) {
  const std::string folder = testing::TempDir() + "config_test_include/";
  std::filesystem::create_directories(folder + "shipped");
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder + name) << text;
  };
  const auto cores = [&](const std::string& name) {
    ConfigSource source;
    source.add_file(folder + name, {folder + "shipped"});
    TestConfig config;
    load_config(source, config);
    return config.cores;
  };
  write("mine.yaml", "include: base.yaml\n");
  write("shipped/base.yaml", "include: deeper.yaml\n");
  write("shipped/deeper.yaml", "cores: 3\n");
  EXPECT_EQ(cores("mine.yaml"), 3u);
  write("base.yaml", "cores: 4\n");
  EXPECT_EQ(cores("mine.yaml"), 4u);
  write("by_name.yaml", "include: deeper\n");
  EXPECT_EQ(cores("by_name.yaml"), 3u);
  write("deeper", "cores: 5\n");
  EXPECT_EQ(cores("by_name.yaml"), 5u);
  std::filesystem::remove(folder + "deeper");
  // A file may have the same name as the one it includes.
  write("base.yaml", "include: base.yaml\n");
  EXPECT_EQ(cores("base.yaml"), 3u);
  EXPECT_EQ(cores("mine.yaml"), 3u);
  EXPECT_THAT(file_error(folder + "base.yaml"), HasSubstr("includes itself"));
  std::filesystem::remove(folder + "shipped/base.yaml");
  EXPECT_THROW((void)cores("base.yaml"), InputError);
  std::filesystem::remove(folder + "base.yaml");
  try {
    (void)cores("mine.yaml");
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_EQ(e.what(), folder + "mine.yaml:1: there is no file 'base.yaml' to include\n  looked for " +
                            folder + "base.yaml and " + folder + "shipped/base.yaml");
  }
}

TEST(Config, DottedKeysStandForTheirSections) {
  const TestConfig config = load("l1d.size_kib: 8\nl1d: {latency_cycles: 3,\n      write_allocate: true}\n");
  EXPECT_EQ(config.l1d.size_kib, 8u);
  EXPECT_EQ(config.l1d.latency_cycles, 3u);
  EXPECT_TRUE(config.l1d.write_allocate);
  EXPECT_THAT(error_of("l1d.size_kib: 8\nl1d:\n  size_kib: 9\n", {}),
              HasSubstr("test.yaml:3: key 'l1d.size_kib' was already given at test.yaml:1"));
  EXPECT_THAT(error_of("l1d: {ways: 4,\n  size_kib: 0}\n", {}),
              HasSubstr("test.yaml:2: 'l1d.size_kib' is out of range"));
}

/// A section with keys for tests only, and one with keys of both kinds.
struct PerturbedConfig {
  struct Jitter {
    std::uint32_t seed = 0;
    void visit(ConfigVisitor& v) {
      v.field("seed", seed, {.unit = "cycles", .doc = "s", .use = KeyUse::kTest});
    }
  };
  struct Link {
    Policy broken = Policy::kGto;
    std::uint32_t width = 4;
    Jitter jitter;
    void visit(ConfigVisitor& v) {
      v.choice("broken", broken, {"lrr", "gto"}, "b", KeyUse::kTest);
      v.section("jitter", jitter, "j");
      v.field("width", width, {.doc = "w"});
    }
  };
  Link link;
  Jitter jitter;
  std::uint32_t last = 1;
  void visit(ConfigVisitor& v) {
    v.section("link", link, "a link");
    v.section("jitter", jitter, "jitters");
    v.field("last", last, {.doc = "l"});
  }
};

TEST(Config, KeysForTestsAreApartFromTheModels) {
  PerturbedConfig config;
  config.link.jitter.seed = 7;
  const std::string yaml = write_config(config);
  EXPECT_EQ(yaml,
            "link:  # a link\n  width: 4\nlast: 1\n"
            "test:  # perturbations and checks: for tests\n"
            "  link:  # a link\n    broken: gto\n    jitter:  # j\n      seed: 7  # cycles\n"
            "  jitter:  # jitters\n    seed: 0  # cycles\n");
  const auto from = [](const std::string& text, const std::string& assignment) {
    ConfigSource source;
    source.add_text(text, "test.yaml");
    if (!assignment.empty()) source.add_assignment(assignment);
    PerturbedConfig read;
    load_config(source, read);
    return read;
  };
  EXPECT_EQ(write_config(from(yaml, "")), yaml);
  EXPECT_EQ(from("", "test.link.broken=lrr").link.broken, Policy::kLrr);
  std::vector<std::string> paths;
  for (const auto& key : describe_config<PerturbedConfig>()) paths.push_back(key.path);
  EXPECT_THAT(paths, ElementsAre("link.width", "last", "test.link.broken", "test.link.jitter.seed",
                                 "test.jitter.seed"));
  const auto refused = [&](const std::string& assignment) {
    try {
      (void)from("", assignment);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused("link.broken=lrr"),
              AllOf(HasSubstr("unknown key 'link.broken'"), HasSubstr("test.link.broken")));
  EXPECT_THAT(refused("test.link=3"), HasSubstr("'test.link' is a section"));
  EXPECT_THAT(refused("test.link.jitter.seed=x"),
              HasSubstr("'test.link.jitter.seed' must be a whole number"));
}

TEST(Config, AssignmentsNeedPathAndValue) {
  EXPECT_THAT(error_of("", {"cores"}), HasSubstr("--set cores: an assignment reads path=value"));
  EXPECT_THAT(error_of("", {"=3"}), HasSubstr("an assignment reads path=value"));
  EXPECT_THAT(error_of("", {"cores=x"}), HasSubstr("--set cores: 'cores' must be a whole number, not 'x'"));
}

TEST(Config, WrittenConfigurationReadsBackTheSame) {
  TestConfig config;
  config.name = "odd # name: \"yes\" \\";
  config.cores = 7;
  config.core_mhz = 0.1 + 0.7;
  config.policy = Policy::kLrr;
  config.l1d.budget_bytes = ~std::uint64_t{0};
  config.l1d.write_allocate = true;
  const std::string yaml = write_config(config);
  const TestConfig again = load(yaml);
  EXPECT_EQ(again.name, config.name);
  EXPECT_EQ(again.core_mhz, config.core_mhz);
  EXPECT_EQ(again.policy, config.policy);
  EXPECT_EQ(again.l1d.budget_bytes, config.l1d.budget_bytes);
  EXPECT_EQ(write_config(again), yaml);
}

TEST(Config, AwkwardNamesSurviveTheRoundTrip) {
  for (const char* name :
       {"", "null", "~", "- x", "a\tb", "'", "''", "\"\\", "3", "true", "[a]", "&a", "*a"}) {
    TestConfig config;
    config.name = name;
    EXPECT_EQ(load(write_config(config)).name, name);
  }
}

TEST(Config, DescribeListsKeysInOrderWithDefaultAndMeaning) {
  const auto keys = describe_config<TestConfig>();
  std::vector<std::string> paths;
  for (const auto& key : keys) paths.push_back(key.path);
  EXPECT_THAT(paths, ElementsAre("name", "cores", "core_mhz", "policy", "l1d.size_kib", "l1d.latency_cycles",
                                 "l1d.budget_bytes", "l1d.write_allocate"));
  EXPECT_EQ(keys[2].value, "1400.5");
  EXPECT_EQ(keys[2].info.unit, "MHz");
  EXPECT_EQ(keys[3].value, "gto");
  EXPECT_THAT(keys[3].info.choices, ElementsAre("lrr", "gto"));
  EXPECT_EQ(keys[7].value, "false");
}

TEST(NearestName, FindsLikelyTyposOnly) {
  const std::vector<std::string> names = {"sgemm", "vecadd", "bfs", "gtx480"};
  EXPECT_EQ(nearest_name("sgem", names), "sgemm");
  EXPECT_EQ(nearest_name("SGEMM", names), "sgemm");
  EXPECT_EQ(nearest_name("gtx408", names), "gtx480");
  EXPECT_EQ(nearest_name("zzz", names), std::nullopt);
  EXPECT_EQ(nearest_name("", names), std::nullopt);
}

}  // namespace
}  // namespace heddle::base::config_test
