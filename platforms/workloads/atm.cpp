#include <fmt/format.h>

#include <array>
#include <numeric>

#include "workloads/parameters.h"
#include "workloads/random.h"
#include "workloads/suite.h"
#include "workloads/verdict.h"

namespace heddle::workloads::atm {

namespace {

struct Shape {
  std::uint32_t transfers, accounts, ctas, threads;
};

struct Transfer {  // as in atm.cu
  std::int32_t from, to, amount;
};
static_assert(sizeof(Transfer) == 12);

std::int64_t total(const std::vector<std::int32_t>& balance) {
  return std::accumulate(balance.begin(), balance.end(), std::int64_t{0});
}

// Paper: ATM of [DDOS/BOWS] §6.4 (122K transactions, 24K threads, 1000 accounts).
constexpr std::array<Shape, 3> kShapes{
    {{300, 64, 3, 96}, {9'000, 1'000, 30, 256}, {122'880, 1'000, 96, 256}}};
// One lock: a turn takes as long whatever the size is. Paper: ATM of [KiloTM] Tab 4.3.
constexpr std::array<Shape, 3> kCoarseShapes{
    {{100, 64, 2, 64}, {1'200, 1'000, 10, 128}, {122'880, 1'000'000, 120, 192}}};

Verdict run(const char* kernel, host::Device& device, const Options& options, const char* stem = "atm",
            const std::array<Shape, 3>& shapes = kShapes) {
  Shape s = pick(options.size, shapes[0], shapes[1], shapes[2]);
  s = {chosen(options, "transfers", s.transfers), chosen(options, "accounts", s.accounts),
       chosen(options, "ctas", s.ctas), chosen(options, "threads", s.threads)};
  Random random(options.seed);
  std::vector<std::int32_t> balance(s.accounts);
  for (std::int32_t& b : balance) b = static_cast<std::int32_t>(random.below(1'000'000));
  std::vector<Transfer> transfers(s.transfers);
  for (Transfer& t : transfers) {
    t.from = static_cast<std::int32_t>(random.below(s.accounts));
    t.to = static_cast<std::int32_t>(random.below(s.accounts - 1));
    if (t.to >= t.from) ++t.to;
    t.amount = 1 + static_cast<std::int32_t>(random.below(1'000));
  }
  // Transfers are unconditional, so they commute: the final balances do not depend on their order.
  std::vector<std::int32_t> expected = balance;
  for (const Transfer& t : transfers) {
    expected[static_cast<std::size_t>(t.from)] -= t.amount;
    expected[static_cast<std::size_t>(t.to)] += t.amount;
  }

  const auto module = device.load_ptx_file(module_path(stem, options));
  const auto transfers_d = device.upload(transfers, "transfers"),
             balance_d = device.upload(balance, "balance");
  const auto locks_d = device.allocate(s.accounts * sizeof(std::int32_t), "locks");
  const host::Launch shape{.grid = {s.ctas, 1, 1}, .block = {s.threads, 1, 1}, .dynamic_shared_bytes = 0};
  device.launch(module, kernel, shape,
                host::Args().add(transfers_d).add(s.transfers).add(balance_d).add(locks_d));
  const auto actual = device.download<std::int32_t>(balance_d, s.accounts);
  const Verdict accounts = compare("balance", actual, expected);
  if (!accounts.passed)
    return {false, accounts.summary + fmt::format("; total {}, expected {}", total(actual), total(expected))};
  return combine({accounts,
                  {true, fmt::format("total {} kept", total(actual))},
                  compare("locks", device.download<std::int32_t>(locks_d, s.accounts),
                          std::vector<std::int32_t>(s.accounts, 0))});
}

std::vector<Parameter> parameters() {
  return {{"transfers", "of money, between two accounts each", 1, 1u << 26},
          {"accounts", "each with a lock", 2, 1u << 24},
          {"ctas", "of the grid", 1, 1u << 20},
          {"threads", "of a CTA", 1, 1024}};
}

}  // namespace

Workload atm() {
  return {.name = "atm",
          .description = "bank transfers under two ordered locks, SIMT-safe lock loop",
          .stresses = "nested locks: nested divergence, retries, atomics, fences, uncached loads and stores",
          .source = "atm.cu",
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("bank_transfer", d, o); }};
}

Workload atm_coarse() {
  return {.name = "atm-coarse",
          .description = "bank transfers under one lock, SIMT-safe lock loop",
          .stresses = "one lock that all threads want",
          .source = "atm.cu",
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) {
            return run("bank_transfer_coarse", d, o, "atm", kCoarseShapes);
          }};
}

Workload atm_tx() {
  return {.name = "atm-tx",
          .description = "bank transfers, each a transaction",
          .stresses = "transactions: reads that are written, few conflicts",
          .source = "atm_tx.cu",
          .needs_transactions = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("bank_transfer_tx", d, o, "atm_tx"); }};
}

Workload atm_mimd() {
  return {.name = "atm-mimd",
          .description = "bank transfers under two ordered spin locks in MIMD form",
          .stresses = "forward progress of diverged lanes: two locks",
          .source = "atm.cu",
          .needs_simt_progress = true,
          .parameters = parameters(),
          .run = [](host::Device& d, const Options& o) { return run("bank_transfer_mimd", d, o); }};
}

}  // namespace heddle::workloads::atm
