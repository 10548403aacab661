#include <algorithm>
#include <bit>

#include "waiting/wait_text.h"

namespace heddle::waiting {
namespace {

// Words of the buffer (or shared variable) that threads wait by. Waiting loops are told apart by these offsets.
constexpr unsigned kFlagWord = 0;
constexpr unsigned kLockWord = 8;
constexpr unsigned kCounterWord = 16;
constexpr unsigned kTicketWord = 20;  ///< two each
constexpr unsigned kFirstTicket = 3;  ///< tickets are numbered behind the locks
constexpr unsigned kChainWord = 32;
constexpr unsigned kChainLength = 16;
// Words of the buffer that is published and protected.
constexpr unsigned kValueWord = 0;
constexpr unsigned kProtectedWord = 16;
constexpr unsigned kCountedWord = 30;
constexpr unsigned kDataWords = 32;

class Emitter : WaitText {
 public:
  explicit Emitter(const Program& program)
      : WaitText(program.shared ? "shared" : "global"), program_(program) {}

  std::string text() {
    block(program_.body, "");
    std::string out = ".version 7.5\n.target sm_75\n.address_size 64\n";
    if (program_.shared) out += fmt::format(".shared .align 8 .b32 words[{}];\n", kWords);
    out += ".visible .entry k(.param .u64 words_ptr, .param .u64 data_ptr, .param .u64 out_ptr)\n{\n";
    out += fmt::format("  .reg .b32 %me, %acc, %t<8>, %v<{}>;\n  .reg .b64 %words, %data, %out, %a<4>;\n",
                       fresh_ + 1);
    out += fmt::format("  .reg .pred %p<8>, %w<{}>;\n", fresh_ + 1);
    out += "  ld.param.u64 %data, [data_ptr];\n  ld.param.u64 %out, [out_ptr];\n  mov.u32 %t0, %tid.x;\n";
    out +=
        "  mov.u32 %t1, %ctaid.x;\n  mov.u32 %t2, %ntid.x;\n  mad.lo.u32 %me, %t1, %t2, %t0;\n  mov.u32 "
        "%acc, 1;\n";
    if (program_.shared) {
      out += "  mov.u64 %words, words;\n  mov.u32 %t0, 0;\n";
      for (unsigned word = 0; word < kWords; ++word)
        if (used_[word]) out += fmt::format("  st.volatile.shared.u32 [%words+{}], %t0;\n", 4 * word);
      out += "  bar.sync 0;\n";
    } else {
      out += "  ld.param.u64 %words, [words_ptr];\n";
    }
    return out + text_ + "END:\n  mul.wide.u32 %a0, %me, 4;\n  add.u64 %a0, %a0, %out;\n" +
           "  st.global.u32 [%a0], %acc;\n  ret;\n}\n";
  }

 private:
  void protect(unsigned number) {
    const unsigned at = 4 * (kProtectedWord + number);
    line("ld.volatile.global.u32 %t0, [%data+{}];", at);
    line("add.u32 %t0, %t0, 1;");
    line("st.volatile.global.u32 [%data+{}], %t0;", at);
  }

  void block(const Block& block, const std::string& counter) {
    for (const Statement& s : block) statement(s, counter);
  }

  void statement(const Statement& s, const std::string& counter);
  void set(const Statement& s);
  void read_value(unsigned flag) {
    line("ld.volatile.global.u32 %t0, [%data+{}];", 4 * (kValueWord + flag));
    line("mad.lo.u32 %acc, %acc, 3, %t0;");
  }
  void chain(const Statement& s);
  void ticket(const Statement& s, const std::string& counter);
  void retry(const Statement& s, const std::string& counter);
  void loop(const Statement& s);
  void several(const Statement& s, const std::string& counter);
  void shared(const Statement& s, const std::string& counter);
  void graph(const Statement& s);
  void together(const Statement& s, const std::string& counter);

  const Program& program_;
};

void Emitter::set(const Statement& s) {
  line("mov.u32 %t0, {};", 100 + s.variable);
  line("st.volatile.global.u32 [%data+{}], %t0;", 4 * (kValueWord + s.variable));
  line("membar.gl;");
  const std::string at = word(kFlagWord + s.variable);
  line("mov.u32 %t0, 1;");
  if (s.release == 1)
    line("atom.{}.exch.b32 %t1, {}, 1;", space_, at);
  else if (s.release == 2)
    line("atom.{}.or.b32 %t1, {}, 1;", space_, at);
  else
    line("st.volatile.{}.u32 {}, %t0;", space_, at);
}

void Emitter::chain(const Statement& s) {
  const unsigned first = kChainWord + kChainLength * s.variable;
  for (unsigned i = 0; i <= program_.all_threads(); ++i) used_[first + i] = true;
  const std::string position = new_register();
  if (s.poll % 2 == 0)
    line("mov.u32 {}, %me;", position);
  else
    line("sub.u32 {}, {}, %me;", position, program_.all_threads() - 1);
  line("mul.wide.u32 %a1, {}, 4;", position);
  line("add.u64 %a1, %a1, %words;");
  const std::string first_one = new_label();
  line("setp.eq.u32 %p0, {}, 0;", position);
  line("@%p0 bra {};", first_one);
  wait(s.form, {.address = fmt::format("[%a1+{}]", 4 * first), .other = "", .kind = s.poll});
  label(first_one);
  line("membar.gl;");
  line("mov.u32 %t0, 1;");
  line("st.volatile.{}.u32 [%a1+{}], %t0;", space_, 4 * (first + 1));
}

void Emitter::ticket(const Statement& s, const std::string& counter) {
  const unsigned at = kTicketWord + 2 * (s.variable - kFirstTicket);
  const std::string mine = new_register();
  line("atom.{}.add.u32 {}, {}, 1;", space_, mine, word(at));
  wait(s.form, {.address = word(at + 1), .other = "", .least = mine, .kind = s.poll % 3});
  line("membar.gl;");
  protect(s.variable);
  block(s.blocks[0], counter);
  line("membar.gl;");
  if (s.release == 0) {
    line("atom.{}.add.u32 %t0, {}, 1;", space_, word(at + 1));
  } else {
    line("add.u32 %t0, {}, 1;", mine);
    line("st.volatile.{}.u32 {}, %t0;", space_, word(at + 1));
  }
}

void Emitter::retry(const Statement& s, const std::string& counter) {
  const std::string done = new_register();
  const std::string again = new_label();
  const std::string failed = new_label();
  line("mov.u32 {}, 0;", done);
  label(again);
  if (s.varies) {  // twice, in one loop with one way back
    const std::string end = new_label();
    try_lock({.address = word(kLockWord + s.variable), .other = "", .kind = s.poll});
    line("@%p1 bra {};", failed);
    line("membar.gl;");
    protect(s.variable);
    block(s.blocks[0], counter);
    release(s.release, word(kLockWord + s.variable));
    line("add.u32 {0}, {0}, 1;", done);
    line("setp.eq.u32 %p0, {}, 2;", done);
    line("@%p0 bra {};", end);
    label(failed);
    line("add.u32 %t6, %t6, 1;");
    line("bra {};", again);
    label(end);
    return;
  }
  try_lock({.address = word(kLockWord + s.variable), .other = "", .kind = s.poll});
  line("@%p1 bra {};", failed);
  line("membar.gl;");
  protect(s.variable);
  block(s.blocks[0], counter);
  release(s.release, word(kLockWord + s.variable));
  line("mov.u32 {}, 1;", done);
  label(failed);
  line("setp.eq.u32 %p0, {}, 0;", done);
  line("@%p0 bra {};", again);
}

void Emitter::loop(const Statement& s) {
  const std::string i = new_register();
  const std::string trips = new_register();
  const std::string again = new_label();
  const std::string next = new_label();
  const std::string end = new_label();
  line("mov.u32 {}, 0;", i);
  line("and.b32 {}, %me, {};", trips, s.varies ? 1 : 0);
  line("add.u32 {0}, {0}, {1};", trips, s.amount);
  label(again);
  if (s.form == 1) {
    line("setp.ge.u32 %p0, {}, {};", i, trips);
    line("@%p0 bra {};", end);
  }
  block(s.blocks[0], i);
  if (s.form >= 2) {
    decide(s.condition, i);
    line("@%p0 bra {};", s.form == 2 ? end : next);
  }
  block(s.blocks[1], i);
  label(next);
  line("add.u32 {0}, {0}, 1;", i);
  if (s.form == 1) {
    line("bra {};", again);
  } else {
    line("setp.lt.u32 %p0, {}, {};", i, trips);
    line("@%p0 bra {};", again);
  }
  label(end);
  line("add.u32 %acc, %acc, {};", i);
}

void Emitter::several(const Statement& s, const std::string& counter) {
  const std::string end = new_label();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < s.blocks.size(); ++i) names.push_back(new_label());
  line("add.u32 %t0, %me, {};", counter.empty() ? "0" : counter);
  line("rem.u32 %t0, %t0, {};", s.blocks.size());
  if (s.form % 2 == 0) {
    const std::string table = fmt::format("T{}", labels_++);
    text_ += fmt::format("{}: .branchtargets {};\n", table, fmt::join(names, ", "));
    line("brx.idx %t0, {};", table);
  } else {
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      line("setp.eq.u32 %p0, %t0, {};", i);
      line("@%p0 bra {};", names[i]);
    }
    line("bra {};", names.back());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    label(names[i]);
    line("mad.lo.u32 %acc, %acc, 3, {};", i);
    block(s.blocks[i], counter);
    line("bra {};", end);
  }
  label(end);
}

void Emitter::shared(const Statement& s, const std::string& counter) {
  const std::string otherwise = new_label();
  const std::string common = new_label();
  const std::string end = new_label();
  decide(s.condition, counter);
  line("@!%p0 bra {};", otherwise);
  block(s.blocks[0], counter);
  decide(s.other, counter);
  line("@%p0 bra {};", common);
  block(s.blocks[1], counter);
  line("bra {};", end);
  label(otherwise);
  block(s.blocks[2], counter);
  label(common);
  line("add.u32 %acc, %acc, 11;");
  block(s.blocks[3], counter);
  label(end);
  line("add.u32 %t6, %t6, 1;");
}

void Emitter::graph(const Statement& s) {
  const std::string fuel = new_register();
  const std::string end = new_label();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < s.blocks.size(); ++i) names.push_back(new_label());
  line("mov.u32 {}, {};", fuel, s.amount);
  for (std::size_t i = 0; i < names.size(); ++i) {
    label(names[i]);
    line("mad.lo.u32 %acc, %acc, 3, {};", i);
    block(s.blocks[i], fuel);
    decide({Condition::Kind::kHash, s.variable + static_cast<unsigned>(i), false}, fuel);
    line("sub.u32 {0}, {0}, 1;", fuel);
    line("setp.eq.u32 %p2, {}, 0;", fuel);
    line("@%p2 bra {};", end);
    line("@%p0 bra {};", names[s.targets[2 * i + 1]]);
    line("bra {};", names[s.targets[2 * i]]);
  }
  label(end);
}

void Emitter::together(const Statement& s, const std::string& counter) {
  const std::string members = new_register();
  line("mov.u32 {}, {};", members, s.members[0]);
  if (s.members.size() > 1) {
    line("mov.u32 %t0, %tid.x;");
    line("setp.ge.u32 %p0, %t0, 32;");
    line("selp.b32 {0}, {1}, {0}, %p0;", members, s.members[1]);
  }
  const std::string again = new_label();
  const std::string next = new_label();
  switch (s.form) {
    case 0:
      label(again);
      poll({.address = word(kFlagWord + s.variable), .other = ""});
      line("vote.sync.any.pred %p2, %p1, {};", members);
      line("@%p2 bra {};", again);
      break;
    case 1: {  // lanes whose flag is set do not look again
      const std::string seen = new_register();
      line("ld.volatile.{}.u32 {}, {};", space_, seen, word(kFlagWord + s.variable));
      label(again);
      line("setp.eq.u32 %p1, {}, 0;", seen);
      line("vote.sync.any.pred %p2, %p1, {};", members);
      line("@!%p2 bra {};", next);
      line("setp.ne.u32 %p1, {}, 0;", seen);
      line("@%p1 bra {};", again);
      line("ld.volatile.{}.u32 {}, {};", space_, seen, word(kFlagWord + s.variable));
      line("bra {};", again);
      label(next);
      line("add.u32 %acc, %acc, {};", seen);
      break;
    }
    case 2:
      decide(s.condition.depends_on_counter() ? Condition{Condition::Kind::kBit, 0, false} : s.condition,
             counter);
      line("vote.sync.ballot.b32 %t0, %p0, {};", members);
      line("mad.lo.u32 %acc, %acc, 3, %t0;");
      break;
    case 3:
      line("shfl.sync.idx.b32 %t0, %me, {}, 31, {};", std::countr_zero(s.members[0] | 1u << 31), members);
      line("mad.lo.u32 %acc, %acc, 3, %t0;");
      break;
    case 4:
      line("and.b32 %t0, %me, 1;");
      line("match.any.sync.b32 %t1, %t0, {};", members);
      line("mad.lo.u32 %acc, %acc, 3, %t1;");
      break;
    case 5:  // one of those that happen to be here counts for all of them
      line("activemask.b32 %t0;");
      line("brev.b32 %t1, %t0;");
      line("clz.b32 %t1, %t1;");
      line("mov.u32 %t2, %laneid;");
      line("setp.eq.u32 %p0, %t1, %t2;");
      line("popc.b32 %t3, %t0;");
      line("@%p0 red.global.add.u32 [%data+{}], %t3;", 4 * kCountedWord);
      break;
    default:
      line("bar.warp.sync {};", members);
  }
}

void Emitter::statement(const Statement& s, const std::string& counter) {
  switch (s.kind) {
    case Kind::kWork:
      line("mad.lo.u32 %acc, %acc, 5, {};", s.amount);
      break;
    case Kind::kSet:
      set(s);
      break;
    case Kind::kWait:
      wait(s.form, {.address = word(kFlagWord + s.variable),
                    .other = s.poll < 3 ? "" : word(kFlagWord + s.second),
                    .either = s.poll == 3,
                    .kind = s.poll});
      if (s.poll == 3) break;
      line("membar.gl;");
      read_value(s.variable);
      break;
    case Kind::kIncrement:
      line("membar.gl;");
      line("atom.{}.add.u32 %t0, {}, 1;", space_, word(kCounterWord + s.variable));
      break;
    case Kind::kWaitCount: {
      const std::string least = new_register();
      line("mov.u32 {}, {};", least, s.amount);
      if (s.second != 0 && !counter.empty()) line("mad.lo.u32 {0}, {1}, {2}, {0};", least, counter, s.second);
      wait(s.form,
           {.address = word(kCounterWord + s.variable), .other = "", .least = least, .kind = s.poll % 3});
      break;
    }
    case Kind::kChain:
      chain(s);
      break;
    case Kind::kLock:
      wait(s.form, {.address = word(kLockWord + s.variable), .other = "", .acquires = true, .kind = s.poll});
      line("membar.gl;");
      protect(s.variable);
      block(s.blocks[0], counter);
      release(s.release, word(kLockWord + s.variable));
      break;
    case Kind::kRetry:
      retry(s, counter);
      break;
    case Kind::kTicket:
      ticket(s, counter);
      break;
    case Kind::kIf: {
      const std::string otherwise = new_label();
      const std::string end = new_label();
      decide(s.condition, counter);
      line("@!%p0 bra {};", otherwise);
      block(s.blocks[0], counter);
      if (!s.blocks[1].empty()) line("bra {};", end);
      label(otherwise);
      block(s.blocks[1], counter);
      label(end);
      break;
    }
    case Kind::kLoop:
      loop(s);
      break;
    case Kind::kSwitch:
      several(s, counter);
      break;
    case Kind::kShared:
      shared(s, counter);
      break;
    case Kind::kGraph:
      graph(s);
      break;
    case Kind::kExit:
      decide(s.condition, counter);
      line("@%p0 exit;");
      break;
    case Kind::kBarrier:
      line("bar.sync 0;");
      break;
    case Kind::kTogether:
      together(s, counter);
      break;
  }
}

}  // namespace

generator::GeneratedKernel emit(const Program& program) {
  generator::GeneratedKernel kernel;
  kernel.seed = program.seed;
  kernel.entry = "k";
  kernel.ptx = Emitter(program).text();
  kernel.shape = {{program.ctas, 1, 1}, {program.threads, 1, 1}, 0};
  kernel.buffers = {{"words", std::vector<std::byte>(4 * kWords)},
                    {"data", std::vector<std::byte>(4 * kDataWords)},
                    {"out", std::vector<std::byte>(4 * std::size_t{program.all_threads()})}};
  return kernel;
}

std::vector<std::byte> memory_after(host::Device& device, const generator::GeneratedKernel& kernel) {
  const host::ModuleHandle module =
      device.load_ptx_text(kernel.ptx, fmt::format("waiting-{}.ptx", kernel.seed));
  std::vector<std::uint64_t> addresses;
  host::Args args;
  for (const generator::Buffer& buffer : kernel.buffers) {
    addresses.push_back(device.upload(buffer.initial, buffer.name));
    args.add(addresses.back());
  }
  device.launch(module, kernel.entry, kernel.shape, args);
  std::vector<std::byte> image;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto bytes = device.download<std::byte>(addresses[i], kernel.buffers[i].initial.size());
    image.insert(image.end(), bytes.begin(), bytes.end());
    device.free(addresses[i]);
  }
  device.unload(module);
  return image;
}

}  // namespace heddle::waiting
