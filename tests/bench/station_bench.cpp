// One Station behind all loops: what an arrival costs through its lock, and what it would cost if
// the Station had a strand that arrivals are posted to and the answer posted back from. Wall
// nanoseconds for an arrival, with one and two loops that do nothing else: the worst case of
// contention. And what counting and recording a refusal costs, in CPU of all threads, the ledger's
// writer too. Prints figures, never fails. Build target station_bench of the release preset; run it
// while nothing else runs.
#include "core/clocks.hpp"
#include "core/ledger.hpp"
#include "service/counters.hpp"
#include "service/shared_station.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <fmt/format.h>

namespace {
using namespace retrystorm;
namespace asio = boost::asio;

constexpr std::uint64_t arrivals = 300'000;  // of each loop
constexpr std::size_t in_flight = 50;        // with a strand: arrivals of a loop under way at once

// Full for an hour, so that every arrival is refused: the path that a storm takes.
Scenario full_service() {
  Scenario s;
  s.service.workers = 1;
  s.service.queue = 0;
  s.service.work = std::chrono::hours(1);
  return s;
}

struct Bench {
  SharedStation station{full_service(), [](const Completion&) {}};
  Bench() {
    std::vector<Completion> none;
    station.arrive({0, 0}, steady_now(), none);
  }
};

double per_arrival(Duration took) {
  return static_cast<double>(took.count()) / static_cast<double>(arrivals);
}

// Every loop asks the Station itself.
double with_lock(std::uint32_t loops) {
  Bench bench;
  std::vector<std::thread> threads;
  const Instant begin = steady_now();
  for (std::uint32_t loop = 0; loop < loops; ++loop) {
    threads.emplace_back([&bench, loop] {
      std::vector<Completion> none;
      for (std::uint64_t i = 0; i < arrivals; ++i) {
        bench.station.arrive({loop, 1}, steady_now(), none);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return per_arrival(steady_now() - begin);
}

using Guard = asio::executor_work_guard<asio::io_context::executor_type>;

// Every loop posts its arrivals to the Station's strand, which runs on the first loop, and is
// posted the answer.
class Posting {
 public:
  Posting(Bench& bench, asio::strand<asio::io_context::executor_type> strand, std::uint32_t loop,
          asio::io_context& own)
      : bench_(bench), strand_(std::move(strand)), loop_(loop), own_(own) {}

  void ask() {
    asio::post(strand_, [this] {
      std::vector<Completion> none;
      bench_.station.arrive({loop_, 1}, steady_now(), none);
      asio::post(own_, [this] { answered(); });
    });
  }
  void start() {
    for (std::size_t i = 0; i < in_flight; ++i) ask();
    asked_ = in_flight;
  }
  std::unique_ptr<Guard> guard;  // keeps the own loop running until all are answered

 private:
  void answered() {
    if (asked_ < arrivals) {
      ++asked_;
      ask();
    }
    if (++answered_ == arrivals) guard.reset();
  }

  Bench& bench_;
  asio::strand<asio::io_context::executor_type> strand_;
  std::uint32_t loop_;
  asio::io_context& own_;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
};

double with_strand(std::uint32_t loops) {
  Bench bench;
  std::vector<std::unique_ptr<asio::io_context>> contexts;
  for (std::uint32_t i = 0; i < loops; ++i) {
    contexts.push_back(std::make_unique<asio::io_context>(1));
  }
  // The first loop has to run as long as any loop has something to ask.
  std::vector<std::unique_ptr<Posting>> postings;
  auto strand = asio::make_strand(*contexts[0]);
  for (std::uint32_t i = 0; i < loops; ++i) {
    postings.push_back(std::make_unique<Posting>(bench, strand, i, *contexts[i]));
    postings[i]->guard = std::make_unique<Guard>(asio::make_work_guard(*contexts[i]));
  }
  std::vector<std::thread> threads;
  auto first = std::make_unique<Guard>(asio::make_work_guard(*contexts[0]));
  const Instant begin = steady_now();
  for (std::uint32_t i = 0; i < loops; ++i) {
    threads.emplace_back([&, i] {
      postings[i]->start();
      contexts[i]->run();
    });
  }
  for (std::uint32_t i = 1; i < loops; ++i) threads[i].join();
  first.reset();
  threads[0].join();
  return per_arrival(steady_now() - begin);
}

// CPU nanoseconds of the process for counting a refusal and writing its row.
double bookkeeping(const std::string& directory) {
  const std::clock_t begin = std::clock();
  {
    Ledger ledger(directory, 1);
    LedgerFile* file = ledger.open(RecordKind::arrivals, 0, 0);
    ServiceCounts counters;
    for (std::uint64_t i = 0; i < arrivals; ++i) {
      counters.refused_by[static_cast<std::size_t>(Reason::queue_full)].add();
      ArrivalRecord row{};
      row.request = i;
      row.disposition = Disposition::refused;
      row.reason = Reason::queue_full;
      file->add(row);
    }
  }
  return 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC /
         static_cast<double>(arrivals);
}

}  // namespace

int main() {
  struct Case {
    const char* name;
    double (*run)(std::uint32_t);
    std::uint32_t loops;
    std::vector<double> took;
  };
  std::array<Case, 4> cases = {{{"lock, 1 loop", with_lock, 1, {}},
                                {"strand, 1 loop", with_strand, 1, {}},
                                {"lock, 2 loops at once", with_lock, 2, {}},
                                {"strand, 2 loops at once", with_strand, 2, {}}}};
  const std::filesystem::path scratch =
      std::filesystem::temp_directory_path() / "retrystorm-station-bench";
  std::filesystem::create_directories(scratch);
  std::vector<double> booked;
  for (int round = 0; round < 9; ++round) {
    for (Case& c : cases) c.took.push_back(c.run(c.loops));
    booked.push_back(bookkeeping(scratch));
  }
  std::filesystem::remove_all(scratch);
  fmt::print("wall time for an arrival at a full Station, of each loop\n");
  for (Case& c : cases) {
    std::sort(c.took.begin(), c.took.end());
    fmt::print("  {:<26} {:>7.0f} ns  ({:.0f} to {:.0f})\n", c.name, c.took[c.took.size() / 2],
               c.took.front(), c.took.back());
  }
  std::sort(booked.begin(), booked.end());
  fmt::print("CPU for counting a refusal and writing its row to the ledger\n");
  fmt::print("  {:<26} {:>7.0f} ns  ({:.0f} to {:.0f})\n", "all threads", booked[booked.size() / 2],
             booked.front(), booked.back());
}
