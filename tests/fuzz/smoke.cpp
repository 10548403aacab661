// Feeds a target for some seconds without a fuzzing engine, so that every test run does a little of it with
// the ordinary compiler: the corpus as it is, then mutations of it from a seed.
//   fuzz_NAME_smoke CORPUS... [--seconds S | --count N] [--seed K] [--report N]
// CORPUS: files, and folders of files. --report: a line for every N inputs, for runs of hours.
// A crash, an exception of another kind or an input that takes 10 s of processor time ends the program with
// the input in
// ./fuzz-NAME-crash, which `fuzz_NAME ./fuzz-NAME-crash` (preset fuzz) or this program repeats.
#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <systemc>
#include <vector>

#include "generator/random_source.h"
#include "target.h"

namespace {

using Random = heddle::generator::RandomSource;

constexpr std::size_t kMostBytes = 16384;
constexpr time_t kSecondsPerInput = 10;

std::string current;  ///< the input in progress, for the signal handler

void save_current() {
  const int file = ::open("fuzz-" FUZZ_NAME "-crash", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  [[maybe_unused]] const auto written = ::write(file, current.data(), current.size());
  ::close(file);
}

extern "C" void on_signal(int number) {
  save_current();
  const char* const what = number == SIGPROF ? "an input takes too long" : "an input crashes";
  [[maybe_unused]] auto written = ::write(2, what, std::strlen(what));
  written = ::write(2, ": see fuzz-" FUZZ_NAME "-crash\n", sizeof(": see fuzz-" FUZZ_NAME "-crash\n") - 1);
  ::_exit(1);
}

void feed(const std::string& input) {
  current = input;
  // Processor time: on a busy machine an input may well wait that long for its turn.
  const itimerval limit{{0, 0}, {kSecondsPerInput, 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
  } catch (const std::exception& error) {
    save_current();
    std::fprintf(stderr, "not an input error: %s; see fuzz-%s-crash\n", error.what(), FUZZ_NAME);
    std::exit(1);
  }
}

/// The words of the corpus: mutations made of them get further than those made of bytes.
std::vector<std::string> words_of(const std::vector<std::string>& corpus) {
  std::vector<std::string> words{"0",
                                 "-1",
                                 "4294967295",
                                 "18446744073709551615",
                                 "9223372036854775808",
                                 "1e308",
                                 "0x",
                                 ".",
                                 ",",
                                 ";",
                                 "{",
                                 "}",
                                 "[",
                                 "]",
                                 "\n",
                                 ":",
                                 "\"",
                                 "'",
                                 "%",
                                 "//",
                                 "/*"};
  for (const std::string& text : corpus) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && std::strchr(" \t\n,;:[](){}", text[i]) == nullptr) continue;
      if (i > begin && i - begin < 32) words.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void mutate(std::string& text, const std::vector<std::string>& corpus, const std::vector<std::string>& words,
            Random& random) {
  const std::size_t at = text.empty() ? 0 : random.below(text.size());
  const std::size_t length =
      std::min<std::size_t>(text.size() - at, 1 + random.below(random.below(4) == 0 ? 64 : 6));
  switch (random.below(8)) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(random.below(256));
      break;
    case 1:
      if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:
      text.insert(at, text.substr(at, length));
      break;
    case 4:
      text.insert(at, words[random.below(words.size())]);
      break;
    case 5: {  // a word in place of another
      const std::size_t end = text.find_first_of(" \t\n,;:[](){}", at);
      text.replace(at, (end == std::string::npos ? text.size() : end) - at,
                   words[random.below(words.size())]);
      break;
    }
    case 6: {  // a piece of another text
      const std::string& other = corpus[random.below(corpus.size())];
      if (other.empty()) break;
      const std::size_t from = random.below(other.size());
      text.insert(at, other.substr(from, 1 + random.below(80)));
      break;
    }
    case 7: {  // a line elsewhere
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at) + "\n";
      text.insert(text.empty() ? 0 : random.below(text.size()), line);
      break;
    }
  }
  if (text.size() > kMostBytes) text.resize(kMostBytes);
}

}  // namespace

int sc_main(int argc, char** argv) {
  double seconds = 5;
  std::uint64_t count = 0, seed = 1, report = 0;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (word.starts_with("--")) ++i;
    if (word == "--seconds")
      seconds = std::strtod(value, nullptr);
    else if (word == "--count")
      count = std::strtoull(value, nullptr, 10);
    else if (word == "--seed")
      seed = std::strtoull(value, nullptr, 10);
    else if (word == "--report")
      report = std::strtoull(value, nullptr, 10);
    else if (std::filesystem::is_directory(word)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(word))
        if (entry.is_regular_file()) files.push_back(entry.path());
    } else if (std::filesystem::is_regular_file(word))
      files.emplace_back(word);
    else {
      std::fprintf(stderr, "there is no file or folder %s\n", word.c_str());
      return 2;
    }
  }
  // A stack of its own, for inputs that use up the ordinary one.
  static std::array<char, 1 << 16> handler_stack;
  const stack_t stack{handler_stack.data(), 0, handler_stack.size()};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGPROF})
    ::sigaction(number, &action, nullptr);

  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  for (const auto& path : files) {
    std::ifstream stream(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    feed(corpus.back());
  }
  if (corpus.empty()) {
    std::fputs("usage: fuzz_" FUZZ_NAME
               "_smoke CORPUS... [--seconds S | --count N] [--seed K] [--report N]\n",
               stderr);
    return 2;
  }
  const std::vector<std::string> words = words_of(corpus);
  Random random(seed);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto print = [&](std::uint64_t done) {
    std::printf("%s: %zu corpus files and %llu mutations in %.1f s, seed %llu\n", FUZZ_NAME, corpus.size(),
                static_cast<unsigned long long>(done), elapsed(), static_cast<unsigned long long>(seed));
    std::fflush(stdout);
  };
  std::uint64_t done = 0;
  while (count != 0 ? done < count : elapsed() < seconds) {
    // The smaller of two: small files take less time, and a mutation of theirs is more often noticed.
    const std::string& one = corpus[random.below(corpus.size())];
    const std::string& other = corpus[random.below(corpus.size())];
    std::string text = one.size() < other.size() ? one : other;
    for (std::size_t i = 0, n = 1 + random.below(6); i < n; ++i) mutate(text, corpus, words, random);
    feed(text);
    ++done;
    if (report != 0 && done % report == 0) print(done);
  }
  print(done);
  return 0;
}
