#!/usr/bin/python3
"""How large a class may be, over all its files: a class that is cut into files, but not into parts, stays hard to change.

class_size_cases.py --list prints the names of the cases; class_size_cases.py CASE runs one; class_size_cases.py --sizes
prints the largest classes."""

import argparse
import collections
import pathlib
import sys

import class_sizes
from class_sizes import Size

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST = Size(methods=42, fields=40, lines=600)
# Vocabularies, of many short methods: one for each action of a grammar, each thing that the translation of an instruction says,
# each thing that a unit at a partition may do. None may grow.
VOCABULARIES = {
    "models/frontend Builder": Size(77, 35, 596),
    "models/memory PartitionUnit": Size(49, 29, 446),
    "models/oracle Builder": Size(44, 6, 400),
}
# Records: a field for each thing that a form, or a command line, can say.
RECORDS = {"models/isa Instruction": Size(2, 49, 89), "platforms/workloads Shape": Size(1, 149, 134)}
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def sizes_of(root):
    """Of all classes: "folder Name" -> Size. Folders are two deep, as libraries are."""
    folders = collections.defaultdict(dict)
    for top in ("models", "platforms", "rtl"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                folder = "/".join(path.relative_to(root).parts[:2])
                folders[folder][path] = path.read_text(encoding="utf-8")
    return {f"{folder} {name}": size for folder, sources in folders.items()
            for name, size in class_sizes.sizes(sources).items()}


def exceeds(size, limit):
    return any(is_now > most for is_now, most in zip(size, limit))


def problems(sizes, larger):
    found = [f"{name} is {size}, more than {larger.get(name, MOST)}: cut it into parts"
             for name, size in sizes.items() if exceeds(size, larger.get(name, MOST))]
    found += [f"{name} is no exception any more: take it off the list" for name in larger
              if name not in sizes or not exceeds(sizes[name], MOST)]
    return found


@case
def classes_can_be_held_in_the_head():
    sizes = sizes_of(ROOT)
    check(len(sizes) > 1000, f"only {len(sizes)} classes")
    found = problems(sizes, VOCABULARIES | RECORDS)
    check(not found, "\n" + "\n".join(found))


# ---- The check finds what it is for

@case
def what_a_class_has_is_counted():
    header = '''
#include "a.h"
namespace a::b {
class Other;
enum class Kind : int { kOne, kTwo };
/// Not a { brace ; of a class (
template <class T>
class Box : public Base<T, 4>, private Other {
 public:
  explicit Box(int n) : n_{n}, m_(n), text_{"};"} { run(); }
  ~Box() override = default;
  Box& operator=(const Box&) = delete;
  bool operator<(const Box& other) const { return n_ < other.n_; }
  int operator()(int x) { return x; }
  using Name = std::string;
  friend class Other;
  [[nodiscard]] virtual std::map<int, std::pair<int, int>> map(std::function<void(int)> f = {}) const = 0;
  auto late() const -> int { return '"' + 1'000; }
  struct Inner {
    int a = 0, b{1};
    unsigned bits : 3;
    void f();
  };
  struct { int x; } place_;

 private:
  void long_one(int a,
                int b);
  static constexpr int kMost = 4;
  std::function<void(int, int)> call_, answer_{[](int, int) { return; }};
  sim::Target<P, Box, &Box::late> target_{"t", this};
  int n_, m_ = f(1, 2);
  std::array<int, (4 < 5 ? 1 : 2)> odd_{};
};
struct Point { int x, y; };
Point make(int x);
}  // namespace a::b
'''
    source = '''
namespace a::b {
namespace {
int helper() { return 1; }
}  // namespace
void Box::long_one(int a, int b) {
  if (a) {
    b;
  }
}
void Box::Inner::f() {
}
Point Box::other = {};
}
'''
    sizes = class_sizes.sizes({"a.h": header, "a.cpp": source})
    # Lines without those of Inner, but with those of the one without a name.
    check(sizes["Box"].methods == 8, sizes["Box"])
    check(sizes["Box"].fields == 7, sizes["Box"])
    check(sizes["Box"].lines == 27 - 5 + 5, sizes["Box"])
    check(sizes["Box::Inner"] == Size(1, 3, 5 + 2), sizes["Box::Inner"])
    check(sizes["Point"] == Size(0, 2, 1), sizes["Point"])
    check(set(sizes) == {"Box", "Box::Inner", "Point"}, set(sizes))


@case
def what_grows_is_found():
    sizes = {"a New": Size(43, 1, 10), "a Wide": Size(1, 41, 10), "a Long": Size(1, 1, 601), "a Old": Size(50, 5, 500),
             "a Grown": Size(50, 6, 500), "a Small": Size(40, 5, 500)}
    larger = {name: Size(50, 5, 500) for name in ("a Old", "a Grown", "a Small", "a Gone")}
    found = problems(sizes, larger)
    for name in ("a New is", "a Wide is", "a Long is", "a Grown is", "a Small is no exception", "a Gone is no exception"):
        check(sum(name in problem for problem in found) == 1, f"'{name}' is not found once in {found}")
    check(len(found) == 6, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("case", nargs="?", choices=CASES)
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(CASES))
        return
    if arguments.sizes:
        for name, size in sorted(sizes_of(ROOT).items(), key=lambda each: -max(map(lambda a, b: a / b, each[1], MOST)))[:40]:
            print(f"{name}: {tuple(size)}")
        return
    if not arguments.case:
        parser.error("give a case")
    try:
        CASES[arguments.case]()
    except AssertionError as error:
        sys.exit(f"FAILED: {error}")


main()
