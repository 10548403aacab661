#include "program.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace heddle::litmus {

namespace {

const char* name_of(Scope scope) {
  switch (scope) {
    case Scope::kCta:
      return "cta";
    case Scope::kGpu:
      return "gpu";
    case Scope::kSystem:
      break;
  }
  return "sys";
}

/// With the scope, as modifiers.
std::string ordering(const Operation& operation) {
  const std::string scope = std::string(".") + name_of(operation.scope);
  switch (operation.order) {
    case Order::kWeak:
      return ".weak";
    case Order::kVolatile:
      return ".volatile";
    case Order::kMmio:
      return ".mmio.relaxed.sys";
    case Order::kRelaxed:
      return ".relaxed" + scope;
    case Order::kAcquire:
      return ".acquire" + scope;
    case Order::kRelease:
      return ".release" + scope;
    case Order::kAcquireRelease:
      return ".acq_rel" + scope;
    case Order::kSequential:
      return ".sc" + scope;
  }
  return {};
}

Operation operation(const std::string& word, Program& program, unsigned& first_register) {
  constexpr std::size_t kShortest = 2;
  Operation out;
  if (word == "B") {
    out.what = What::kBarrier;
    return out;
  }
  if (word.size() < kShortest) throw std::invalid_argument("litmus shape: " + word);
  out.location = static_cast<unsigned>(word[1] - 'x');
  program.locations = std::max(program.locations, out.location + 1);
  switch (word[0]) {
    case 'R':
      break;
    case 'W':
      out.what = What::kStore;
      break;
    case 'A':
      out.what = What::kAdd;
      break;
    case 'D':
      out.what = What::kReduce;
      break;
    default:
      throw std::invalid_argument("litmus shape: " + word);
  }
  if (word[0] == 'R' || word[0] == 'A') {
    if (first_register == kNone) first_register = program.registers;
    out.reg = program.registers++;
  }
  if (word[0] != 'R') out.value = static_cast<std::uint32_t>(std::stoul(word.substr(kShortest)));
  if (const std::size_t plus = word.find('+'); plus != std::string::npos)
    out.plus = first_register + static_cast<unsigned>(std::stoul(word.substr(plus + 1)));
  return out;
}

}  // namespace

std::string instruction(const Operation& operation, const std::string& address, const std::string& result,
                        const std::string& stored) {
  const std::string order = ordering(operation);
  switch (operation.what) {
    case What::kLoad:
      return fmt::format("ld{}.global.u32 {}, [{}];", order, result, address);
    case What::kStore:
      return fmt::format("st{}.global.u32 [{}], {};", order, address, stored);
    case What::kAdd:
      return fmt::format("atom{}.global.add.u32 {}, [{}], {};", order, result, address, stored);
    case What::kExchange:
      return fmt::format("atom{}.global.exch.b32 {}, [{}], {};", order, result, address, stored);
    case What::kReduce:
      return fmt::format("red{}.global.add.u32 [{}], {};", order, address, stored);
    case What::kFence:
      return fmt::format("fence{};", order);
    case What::kMembar:
      return fmt::format("membar.{};", operation.scope == Scope::kGpu ? "gl" : name_of(operation.scope));
    case What::kBarrier:
      break;
  }
  return "bar.sync 0;";
}

std::string Program::text() const {
  std::string text = name + ":";
  for (const Thread& thread : threads) {
    text += &thread == &threads.front() ? " " : " | ";
    text += same_warp ? "same warp {" : fmt::format("CTA {} {{", thread.cta);
    for (const Operation& each : thread.operations) {
      std::string stored = std::to_string(each.value);
      if (each.plus != kNone) stored += fmt::format("+r{}", each.plus);
      const std::string address(1, static_cast<char>('x' + each.location));
      const std::string result = each.reg == kNone ? "_" : fmt::format("r{}", each.reg);
      text += " " + instruction(each, address, result, stored);
    }
    text += " }";
  }
  return text;
}

Program parse(const std::string& name, const std::string& shape) {
  Program program;
  program.name = name;
  std::istringstream words(shape);
  std::string word;
  unsigned first_register = kNone;
  bool edge = false;
  program.threads.emplace_back();
  while (words >> word) {
    if (word == "|") {
      program.threads.emplace_back();
      program.threads.back().cta = static_cast<unsigned>(program.threads.size()) - 1;
      first_register = kNone;
      continue;
    }
    auto& operations = program.threads.back().operations;
    if (word == "-") {
      operations.back().before_edge = edge = true;
      continue;
    }
    operations.push_back(operation(word, program, first_register));
    operations.back().behind_edge = edge;
    edge = false;
  }
  return program;
}

}  // namespace heddle::litmus
