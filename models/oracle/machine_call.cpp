// Function calls: each activation has its own registers, a frame on the thread's local stack, and copies of
// parameters and results.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "host/kernel_print.h"
#include "oracle/bits.h"
#include "oracle/machine.h"

namespace heddle::oracle {

namespace {
/// Local memory of one thread; a call that exceeds it is reported as infinite recursion.
constexpr std::uint64_t kMostStackBytes = 1u << 20;
constexpr std::size_t kMostFrames = 1u << 14;
}  // namespace

void Machine::grow_stack(const Cta& cta, Thread& thread, const Step& step, std::uint64_t top) {
  const std::uint64_t low = program_.functions[0].frame_bytes;
  if (top > kMostStackBytes)
    operands_.fault(cta, thread, step,
                    fmt::format("the stack of local memory grows beyond {} bytes", kMostStackBytes),
                    "Does the recursion end?");
  if (!thread.upper) thread.upper = std::make_unique<std::vector<std::byte>>();
  if (thread.upper->size() < top - low) thread.upper->resize(top - low);
  // Like registers, a new frame starts as zeros.
  if (top > thread.top)
    std::fill(thread.upper->begin() + static_cast<std::ptrdiff_t>(std::max(thread.top, low) - low),
              thread.upper->begin() + static_cast<std::ptrdiff_t>(top - low), std::byte{0});
  thread.top = top;
}

void Machine::call(Cta& cta, Thread& thread, const Step& step) {
  const CallSite& site = program_.calls[step.extra];
  std::uint32_t number = site.function;
  if (number == CallSite::kIndirect) {
    const std::uint64_t address = operands_.value(cta, thread, step.source[0]);
    const auto found = program_.by_address.find(address);
    if (found == program_.by_address.end() || found->second == 0)
      operands_.fault(cta, thread, step, fmt::format("calls {:#x}, which is not a function", address));
    number = found->second;
    if (!site.targets.empty() &&
        std::find(site.targets.begin(), site.targets.end(), number) == site.targets.end())
      operands_.fault(cta, thread, step,
                      "calls '" + program_.functions[number].name + "', which is not in the list of targets");
  }
  const FunctionCode& function = program_.functions[number];
  if (function.params.size() != site.arguments.size() || function.results.size() != site.results.size())
    operands_.fault(cta, thread, step, "calls '" + function.name + "' with the wrong number of parameters");
  if (thread.frames.size() >= kMostFrames)
    operands_.fault(cta, thread, step, fmt::format("more than {} calls deep", kMostFrames),
                    "Does the recursion end?");

  Frame frame;
  frame.regs.assign(function.slots, 0);
  frame.return_to = thread.pc + 1;
  frame.site = &site;
  frame.function = &function;
  frame.caller_regs = thread.regs;
  frame.caller_base = thread.base;
  frame.caller_top = thread.top;
  const std::uint64_t base =
      (thread.top + function.frame_align - 1) / function.frame_align * function.frame_align;
  grow_stack(cta, thread, step, base + function.frame_bytes);
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    const Actual& actual = site.arguments[i];
    const Formal& formal = function.params[i];
    std::uint64_t bits = actual.in_frame ? 0 : operands_.value(cta, thread, actual.value);
    if (actual.in_frame && actual.bytes != formal.bytes)
      operands_.fault(cta, thread, step,
                      "passes a parameter of another size than '" + function.name + "' takes");
    if (actual.in_frame && formal.in_register)
      std::memcpy(&bits, accesses_.local_bytes(thread, thread.base + actual.offset, actual.bytes),
                  actual.bytes);
    if (formal.in_register) {
      frame.regs[static_cast<std::size_t>(formal.reg.slot)] = bits & formal.reg.mask;
      continue;
    }
    std::byte* to = accesses_.local_bytes(thread, base + formal.offset, formal.bytes);
    if (actual.in_frame)
      std::memcpy(to, accesses_.local_bytes(thread, thread.base + actual.offset, actual.bytes), formal.bytes);
    else
      std::memcpy(to, &bits, std::min<std::size_t>(formal.bytes, sizeof bits));
  }
  thread.frames.push_back(std::move(frame));
  thread.regs = thread.frames.back().regs.data();
  thread.base = base;
  thread.pc = function.entry;
}

void Machine::give_back(Cta& cta, Thread& thread) {
  if (thread.frames.empty()) return meetings_.leave(cta, thread);
  const Frame frame = std::move(thread.frames.back());
  thread.frames.pop_back();
  const std::uint64_t base = thread.base;
  thread.regs = frame.caller_regs;
  thread.base = frame.caller_base;
  for (std::size_t i = 0; i < frame.site->results.size(); ++i) {
    const Actual& actual = frame.site->results[i];
    const Formal& formal = frame.function->results[i];
    const std::byte* from =
        formal.in_register
            ? reinterpret_cast<const std::byte*>(&frame.regs[static_cast<std::size_t>(formal.reg.slot)])
            : accesses_.local_bytes(thread, base + formal.offset, formal.bytes);
    if (actual.in_frame) {
      std::memcpy(accesses_.local_bytes(thread, thread.base + actual.offset, actual.bytes), from,
                  std::min(actual.bytes, formal.bytes));
    } else {
      std::uint64_t bits = 0;
      std::memcpy(&bits, from, std::min<std::size_t>(formal.bytes, sizeof bits));
      operands_.assign(thread, actual.target, bits);
    }
  }
  thread.top = frame.caller_top;
  thread.pc = frame.return_to;
}

std::uint64_t Machine::argument(const Cta& cta, const Thread& thread, const Actual& actual) const {
  if (!actual.in_frame) return operands_.value(cta, thread, actual.value);
  std::uint64_t bits = 0;
  std::memcpy(&bits, accesses_.local_bytes(thread, thread.base + actual.offset, actual.bytes),
              std::min<std::size_t>(actual.bytes, sizeof bits));
  return bits;
}

std::string Machine::text_at(const Cta& cta, const Thread& thread, const Step& step, std::uint64_t address) {
  std::string text;
  for (;; ++address) {
    const std::byte* const at = accesses_.byte_at(cta, thread, address);
    if (at == nullptr)
      operands_.fault(cta, thread, step,
                      fmt::format("a string at {:#x} is not in the thread's memory", address));
    const auto c = static_cast<char>(*at);
    if (c == '\0') return text;
    text += c;
  }
}

/// vprintf(format, arguments)
void Machine::print(const Cta& cta, Thread& thread, const Step& step) {
  const CallSite& site = program_.calls[step.extra];
  const auto read = [&](std::uint64_t address, std::span<std::byte> bytes) {
    for (std::byte& byte : bytes) {
      const std::byte* const at = accesses_.byte_at(cta, thread, address++);
      if (at == nullptr)
        operands_.fault(cta, thread, step, fmt::format("prints from {:#x}, not the thread's", address - 1));
      byte = *at;
    }
  };
  const std::uint64_t format = argument(cta, thread, site.arguments[0]);
  const host::Printed printed = host::format_print(read, format, argument(cta, thread, site.arguments[1]));
  if (options_.on_print) options_.on_print(printed.text);
  answer(thread, site.results[0], printed.arguments);
}

void Machine::answer(const Thread& thread, const Actual& result, std::uint64_t bits) {
  if (result.in_frame)
    std::memcpy(accesses_.local_bytes(thread, thread.base + result.offset, result.bytes), &bits,
                std::min<std::size_t>(result.bytes, sizeof bits));
  else
    operands_.assign(thread, result.target, bits);
}

void Machine::heap_allocate(const Cta& cta, Thread& thread, const Step& step) {
  const CallSite& site = program_.calls[step.extra];
  answer(thread, site.results[0], surroundings_.heap->allocate(argument(cta, thread, site.arguments[0])));
}

void Machine::heap_free(const Cta& cta, Thread& thread, const Step& step) {
  const std::uint64_t address = argument(cta, thread, program_.calls[step.extra].arguments[0]);
  allocations_.heap_freed();
  if (const auto wrong = surroundings_.heap->free(address))
    operands_.fault(cta, thread, step, fmt::format("frees {:#x}: {}", address, *wrong),
                    "Free what malloc returned, once.");
}

/// __assertfail(message, file, line, function, size of a character)
void Machine::assertion_failed(const Cta& cta, const Thread& thread, const Step& step) {
  const CallSite& site = program_.calls[step.extra];
  const std::string message = text_at(cta, thread, step, argument(cta, thread, site.arguments[0]));
  const std::string file = text_at(cta, thread, step, argument(cta, thread, site.arguments[1]));
  const std::string function = text_at(cta, thread, step, argument(cta, thread, site.arguments[3]));
  const auto triple = [](const std::array<std::uint32_t, 3>& v) {
    return fmt::format("[{},{},{}]", v[0], v[1], v[2]);
  };
  throw base::AssertionFailed(
      operands_.where(step),
      fmt::format("an assertion of the kernel failed\n{}:{}: {}: block: {}, thread: {} Assertion "
                  "`{}` failed.",
                  file, argument(cta, thread, site.arguments[2]) & low_bits(32), function, triple(cta.id),
                  triple(thread.tid), message));
}

void Machine::allocate(Cta& cta, Thread& thread, const Step& step) {
  const std::uint64_t bytes = operands_.value(cta, thread, step.source[0]);
  const std::uint64_t align = operands_.value(cta, thread, step.source[1]);
  if (align == 0 || (align & (align - 1)) != 0 || align > 4096)
    operands_.fault(cta, thread, step, fmt::format("an alignment of {} bytes", align));
  const std::uint64_t at = (thread.top + align - 1) / align * align;
  if (bytes > kMostStackBytes)
    operands_.fault(cta, thread, step, fmt::format("allocates {} bytes of stack", bytes));
  grow_stack(cta, thread, step, at + bytes);
  operands_.assign(thread, step.target[0], at);
}

void Machine::restore_stack(Cta& cta, Thread& thread, const Step& step) {
  const std::uint64_t top = operands_.value(cta, thread, step.source[0]);
  const std::uint64_t frame_end =
      thread.base +
      (thread.frames.empty() ? program_.functions[0] : *thread.frames.back().function).frame_bytes;
  if (top < frame_end || top > thread.top)
    operands_.fault(cta, thread, step,
                    fmt::format("restores the stack to {:#x}, which is not above this frame", top));
  thread.top = top;
}

}  // namespace heddle::oracle
