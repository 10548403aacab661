#include "waiting/wait_text.h"

namespace heddle::waiting {

void WaitText::decide(const Condition& c, const std::string& counter) {
  const char* const is = c.negated ? "ne" : "eq";
  const std::string i = counter.empty() ? "0" : counter;
  switch (c.kind) {
    case Condition::Kind::kBit:
      line("bfe.u32 %t0, %me, {}, 1;", c.number);
      line("setp.{}.u32 %p0, %t0, 1;", is);
      break;
    case Condition::Kind::kBelow:
      line("setp.{}.u32 %p0, %me, {};", c.negated ? "ge" : "lt", c.number);
      break;
    case Condition::Kind::kEqual:
      line("setp.{}.u32 %p0, %me, {};", is, c.number);
      break;
    case Condition::Kind::kTurn:
      line("setp.{}.u32 %p0, %me, {};", is, i);
      break;
    case Condition::Kind::kParity:
      line("xor.b32 %t0, %me, {};", i);
      line("and.b32 %t0, %t0, 1;");
      line("setp.{}.u32 %p0, %t0, 0;", is);
      break;
    case Condition::Kind::kHash:
      line("mul.lo.u32 %t0, %me, 0x9e3779b1;");
      line("mov.u32 %t1, {};", i);
      line("mad.lo.u32 %t0, %t1, 0x85ebca77, %t0;");
      line("add.u32 %t0, %t0, {};", c.number * 0xc2b2ae3du);
      line("bfe.u32 %t0, %t0, 20, 1;");
      line("setp.{}.u32 %p0, %t0, 1;", is);
      break;
  }
}

void WaitText::poll(const Poll& p) {
  if (p.acquires) {
    try_lock(p);
    return;
  }
  const auto read = [&](const char* into, const std::string& at) {
    if (p.kind == 1)
      line("atom.{}.or.b32 {}, {}, 0;", space_, into, at);
    else if (p.kind == 2)
      line("atom.{}.add.u32 {}, {}, 0;", space_, into, at);
    else
      line("ld.volatile.{}.u32 {}, {};", space_, into, at);
  };
  read("%t2", p.address);
  if (!p.other.empty()) {
    read("%t3", p.other);
    line("{}.u32 %t2, %t2, %t3;", p.either ? "max" : "min");
  }
  line("setp.lt.u32 %p1, %t2, {};", p.least);
}

void WaitText::try_lock(const Poll& p) {
  switch (p.kind) {
    case 1:
      line("atom.{}.exch.b32 %t2, {}, 1;", space_, p.address);
      line("setp.ne.u32 %p1, %t2, 0;");
      break;
    case 2: {  // looks first
      const std::string busy = new_label();
      line("ld.volatile.{}.u32 %t2, {};", space_, p.address);
      line("setp.ne.u32 %p1, %t2, 0;");
      line("@%p1 bra {};", busy);
      line("atom.{}.cas.b32 %t2, {}, 0, 1;", space_, p.address);
      line("setp.ne.u32 %p1, %t2, 0;");
      label(busy);
      break;
    }
    case 3:
      line("ld.volatile.{}.u32 %t2, {};", space_, p.address);
      line("setp.ne.u32 %p1, %t2, 0;");
      line("@!%p1 atom.{}.cas.b32 %t2, {}, 0, 1;", space_, p.address);
      line("setp.ne.u32 %p1, %t2, 0;");
      break;
    default:
      line("atom.{}.cas.b32 %t2, {}, 0, 1;", space_, p.address);
      line("setp.ne.u32 %p1, %t2, 0;");
  }
}

void WaitText::wait(unsigned form, const Poll& p) {
  const std::string again = new_label();
  const std::string end = new_label();
  switch (form) {
    case 1:  // tested at the top
      label(again);
      poll(p);
      line("@!%p1 bra {};", end);
      line("bra {};", again);
      break;
    case 2:  // two exits
      label(again);
      poll(p);
      line("@!%p1 bra {};", end);
      poll(p);
      line("@%p1 bra {};", again);
      break;
    case 3: {  // entered in the middle by some
      const std::string middle = new_label();
      const std::string tries = new_register();
      line("mov.u32 {}, 0;", tries);
      line("and.b32 %t0, %me, 1;");
      line("setp.eq.u32 %p0, %t0, 0;");
      line("@%p0 bra {};", middle);
      label(again);
      line("add.u32 {0}, {0}, 1;", tries);
      label(middle);
      poll(p);
      line("@%p1 bra {};", again);
      break;
    }
    case 4: {  // with a delay
      const std::string delay = new_label();
      label(again);
      poll(p);
      line("@!%p1 bra {};", end);
      line("mov.u32 %t4, 2;");
      label(delay);
      line("sub.u32 %t4, %t4, 1;");
      line("setp.ne.u32 %p0, %t4, 0;");
      line("@%p0 bra {};", delay);
      line("bra {};", again);
      break;
    }
    case 5: {  // exits to different places
      const std::string other = new_label();
      label(again);
      poll(p);
      line("@!%p1 bra {};", other);
      poll(p);
      line("@%p1 bra {};", again);
      line("mov.u32 %t5, 7;");
      line("bra {};", end);
      label(other);
      line("mov.u32 %t5, 8;");
      break;
    }
    case 6: {  // remembers that it is done
      const std::string done = new_register();
      line("mov.u32 {}, 0;", done);
      label(again);
      poll(p);
      line("@%p1 bra {};", end);
      line("mov.u32 {}, 1;", done);
      label(end);
      line("setp.eq.u32 %p0, {}, 0;", done);
      line("@%p0 bra {};", again);
      return;
    }
    case 7:  // rotated
      poll(p);
      line("@!%p1 bra {};", end);
      label(again);
      poll(p);
      line("@%p1 bra {};", again);
      break;
    case 8: {  // a few tries at a time
      const std::string few = new_label();
      const std::string left = new_register();
      label(again);
      line("mov.u32 {}, 3;", left);
      label(few);
      poll(p);
      line("@!%p1 bra {};", end);
      line("sub.u32 {0}, {0}, 1;", left);
      line("setp.ne.u32 %p0, {}, 0;", left);
      line("@%p0 bra {};", few);
      line("bra {};", again);
      break;
    }
    case 9: {  // two latches
      const std::string tries = new_register();
      line("mov.u32 {}, 0;", tries);
      label(again);
      poll(p);
      line("@!%p1 bra {};", end);
      line("add.u32 {0}, {0}, 1;", tries);
      line("xor.b32 %t0, {}, %me;", tries);
      line("and.b32 %t0, %t0, 1;");
      line("setp.eq.u32 %p0, %t0, 0;");
      line("@%p0 bra {};", again);
      line("add.u32 {0}, {0}, 2;", tries);
      line("bra {};", again);
      break;
    }
    case 10: {  // as a value
      label(again);
      poll(p);
      line("selp.u32 %t4, 1, 0, %p1;");
      line("setp.ne.u32 %p2, %t4, 0;");
      line("@%p2 bra {};", again);
      break;
    }
    case 11: {  // twice, in one loop with one way back; a lock is taken once
      if (p.acquires) return wait(0, p);
      const std::string next = new_label();
      const std::string turns = new_register();
      line("mov.u32 {}, 0;", turns);
      label(again);
      poll(p);
      line("@%p1 bra {};", next);
      line("add.u32 {0}, {0}, 1;", turns);
      line("setp.eq.u32 %p0, {}, 2;", turns);
      line("@%p0 bra {};", end);
      label(next);
      line("add.u32 %t6, %t6, 1;");
      line("bra {};", again);
      break;
    }
    default:
      label(again);
      poll(p);
      line("@%p1 bra {};", again);
      return;
  }
  label(end);
  line("add.u32 %t6, %t6, 1;");
}

void WaitText::release(unsigned how, const std::string& address) {
  line("membar.gl;");
  switch (how) {
    case 1:
      line("mov.u32 %t0, 0;");
      line("st.volatile.{}.u32 {}, %t0;", space_, address);
      break;
    case 2: {  // in both arms of a branch
      const std::string other = new_label();
      const std::string end = new_label();
      line("and.b32 %t0, %me, 1;");
      line("setp.eq.u32 %p0, %t0, 0;");
      line("@%p0 bra {};", other);
      line("atom.{}.exch.b32 %t0, {}, 0;", space_, address);
      line("bra {};", end);
      label(other);
      line("atom.{}.cas.b32 %t0, {}, 1, 0;", space_, address);
      label(end);
      line("add.u32 %t6, %t6, 1;");
      break;
    }
    default:
      line("atom.{}.exch.b32 %t0, {}, 0;", space_, address);
  }
}

}  // namespace heddle::waiting
