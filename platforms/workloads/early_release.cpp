#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::early_release {

namespace {

struct Shape {
  std::uint32_t deposits, accounts, offices, threads;
};

/// One lock and a return within the critical section, or two locks given back in two arms.
Verdict run(bool two_locks, host::Device& device, const Options& options) {
  const Shape s =
      pick(options.size, Shape{150, 24, 4, 64}, Shape{4'000, 200, 20, 128}, Shape{122'880, 1'000, 40, 256});
  Random random(options.seed);
  std::vector<std::int32_t> account(s.deposits), amount(s.deposits), balance(s.accounts);
  for (std::int32_t& b : balance) b = static_cast<std::int32_t>(random.below(1'000'000));
  for (std::size_t t = 0; t < s.deposits; ++t) {
    account[t] = static_cast<std::int32_t>(random.below(s.accounts));
    amount[t] = static_cast<std::int32_t>(random.below(1'000)) - 300;
  }
  // Deposits commute: what is left does not depend on their order.
  std::vector<std::int32_t> expected = balance, refused(s.accounts, 0), office(s.offices, 0),
                            receipt(s.deposits, 0);
  for (std::size_t t = 0; t < s.deposits; ++t) {
    const auto where = static_cast<std::size_t>(account[t]);
    if (amount[t] <= 0) {
      ++refused[where];
    } else {
      expected[where] += amount[t];
      office[where % s.offices] += amount[t];
      receipt[t] = amount[t];
    }
  }

  const auto module = device.load_ptx_file(module_path("early_release", options));
  const auto account_d = device.upload(account, "account"), amount_d = device.upload(amount, "amount"),
             balance_d = device.upload(balance, "balance");
  const auto integers = [&](std::size_t count, const char* name) {
    return device.allocate(count * sizeof(std::int32_t), name);
  };
  const auto refused_d = integers(s.accounts, "refused"), locks_d = integers(s.accounts, "locks");
  const host::Launch shape = cover(s.deposits, s.threads);
  host::Args args = host::Args().add(account_d).add(amount_d).add(s.deposits);
  const auto accounts = [&](std::uint64_t address) {
    return device.download<std::int32_t>(address, s.accounts);
  };
  const std::vector<std::int32_t> free_locks(s.accounts, 0);
  if (!two_locks) {
    const auto receipt_d = integers(s.deposits, "receipt");
    device.launch(module, "early_return", shape,
                  args.add(balance_d).add(refused_d).add(locks_d).add(receipt_d));
    return combine({compare("balance", accounts(balance_d), expected),
                    compare("refused", accounts(refused_d), refused),
                    compare("locks", accounts(locks_d), free_locks),
                    compare("receipt", device.download<std::int32_t>(receipt_d, s.deposits), receipt)});
  }
  const auto office_d = integers(s.offices, "office"), office_locks_d = integers(s.offices, "office_locks");
  device.launch(
      module, "early_release", shape,
      args.add(s.offices).add(balance_d).add(refused_d).add(office_d).add(locks_d).add(office_locks_d));
  return combine({compare("balance", accounts(balance_d), expected),
                  compare("refused", accounts(refused_d), refused),
                  compare("office", device.download<std::int32_t>(office_d, s.offices), office),
                  compare("locks", accounts(locks_d), free_locks),
                  compare("office_locks", device.download<std::int32_t>(office_locks_d, s.offices),
                          std::vector<std::int32_t>(s.offices, 0))});
}

}  // namespace

Workload early_return() {
  return {.name = "early-return",
          .description = "a critical section that some lanes leave by returning from the kernel",
          .stresses = "forward progress of diverged lanes that exit with a lock's release",
          .source = "early_release.cu",
          .needs_simt_progress = true,
          .run = [](host::Device& d, const Options& o) { return run(false, d, o); }};
}

Workload early_release() {
  return {.name = "early-release",
          .description = "two locks, given back in both arms of a branch",
          .stresses = "forward progress of diverged lanes: releases in two places",
          .source = "early_release.cu",
          .needs_simt_progress = true,
          .run = [](host::Device& d, const Options& o) { return run(true, d, o); }};
}

}  // namespace heddle::workloads::early_release
