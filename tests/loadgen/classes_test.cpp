// Two classes of clients in one live run: each does as its settings say, and every record and count
// knows whose it is.
#include "core/figures.hpp"
#include "core/ledger.hpp"
#include "core/policy/class_order.hpp"
#include "loadgen/metrics.hpp"
#include "loadgen/report.hpp"
#include "tests/alike_classes.hpp"
#include "tests/loadgen/run_generator.hpp"
#include "tests/temporary_directory.hpp"

#include <map>
#include <mutex>
#include <set>

namespace retrystorm::loadgen {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A quarter of the requests are of class 1, which retries twice.
LoadOptions two_classes(const Url& target, int count) {
  LoadOptions options = options_for(target, count);
  options.scenario = in_classes(options.scenario, {3, 1});
  options.scenario.classes[1].client.retries = 2;
  return options;
}

std::vector<AttemptRecord> attempts_in(const std::string& directory, std::uint32_t threads) {
  std::vector<AttemptRecord> all;
  for (std::uint32_t k = 0; k < threads; ++k) {
    const auto file =
        read_ledger<AttemptRecord>(directory + "/attempts-" + std::to_string(k) + ".bin");
    all.insert(all.end(), file.records.begin(), file.records.end());
  }
  return all;
}

TEST(GeneratorOfClasses, RetriesForTheClassThatDoesAndAddsUpToTheWhole) {
  const TemporaryDirectory directory;
  Peer peer([](const Heard& h) { return Answer{reply(h.id.request < 40 ? 503 : 200)}; });
  LoadOptions options = two_classes(peer.url(), 80);
  options.threads = 2;
  options.ledger = directory.path();
  const Result r = run_generator(options);
  const Tally tally = tally_of(r);
  ASSERT_EQ(tally.classes.size(), 2U);
  for (const Tally& of_class : tally.classes) {
    EXPECT_THAT(broken_identities(of_class.counts), IsEmpty());
  }
  const Counts& steady = tally.classes[0].counts;
  const Counts& retrying = tally.classes[1].counts;
  EXPECT_EQ(steady.offered, 60);
  EXPECT_EQ(steady.attempts, 60);
  EXPECT_EQ(steady.gave_up, 30);
  EXPECT_EQ(retrying.offered, 20);
  EXPECT_EQ(retrying.attempts, 3 * 10 + 10);
  EXPECT_EQ(retrying.rejected, 30);
  EXPECT_EQ(retrying.gave_up, 10);
  visit_counts(tally.counts, [&](std::string_view name, const Count& whole) {
    double sum = 0;
    for (const Tally& of_class : tally.classes) {
      visit_counts(of_class.counts, [&](std::string_view of, const Count& count) {
        if (of == name) sum += count.value_or(0);
      });
    }
    EXPECT_EQ(sum, whole.value_or(0)) << name;
  });
  EXPECT_THAT(to_text(r),
              HasSubstr("class 1:     20 offered = 10 succeeded + 10 gave_up; 40 sent"));

  std::vector<std::uint8_t> of_request;
  for (ClassOrder order(options.scenario, {}); of_request.size() < 80; order.pop()) {
    of_request.push_back(order.next());
  }
  for (const AttemptRecord& row : attempts_in(directory.path(), 2)) {
    EXPECT_EQ(row.client_class, of_request.at(row.request)) << row.request;
  }
  for (std::uint32_t k = 0; k < 2; ++k) {
    const auto file =
        read_ledger<RequestRecord>(directory.file("requests-") + std::to_string(k) + ".bin");
    EXPECT_EQ(file.records.size(), 40U);
    for (const RequestRecord& row : file.records) {
      EXPECT_EQ(row.client_class, of_request.at(row.request)) << row.request;
    }
  }
}

TEST(GeneratorOfClasses, WaitsForEachAsLongAsItsTimeout) {
  const TemporaryDirectory directory;
  Peer peer([](const Heard&) { return Answer{}; });
  LoadOptions options = two_classes(peer.url(), 20);
  options.scenario.classes[0].client.timeout = 80ms;
  options.scenario.classes[1].client.timeout = 20ms;
  options.scenario.classes[1].client.abandon = Abandon::rst;
  options.ledger = directory.path();
  const Result r = run_generator(options);
  EXPECT_EQ(count(r, AttemptOutcome::timed_out), 15U + 3 * 5);
  std::set<std::uint64_t> seen;
  for (const AttemptRecord& row : attempts_in(directory.path(), 1)) {
    EXPECT_GE(Duration(row.ended - row.sent), row.client_class == 0 ? 80ms : 20ms);
    seen.insert(row.client_class);
  }
  EXPECT_EQ(seen.size(), 2U);
}

// What Prometheus would scrape of a family, summed by class; "" for samples without one.
std::map<std::string, double> by_class(const std::vector<prometheus::MetricFamily>& families,
                                       std::string_view name, std::string_view outcome = "") {
  std::map<std::string, double> sums;
  for (const auto& family : families) {
    if (family.name != name) continue;
    for (const auto& metric : family.metric) {
      std::string of_class;
      bool meant = outcome.empty();
      for (const auto& label : metric.label) {
        if (label.name == class_label) of_class = label.value;
        if (label.name == "outcome" && label.value == outcome) meant = true;
      }
      const double histogram = static_cast<double>(metric.histogram.sample_count);
      if (meant) sums[of_class] += metric.counter.value + metric.gauge.value + histogram;
    }
  }
  return sums;
}

TEST(GeneratorOfClasses, TellsPrometheusOfEachWhatItsTallySays) {
  Peer peer([](const Heard& h) { return Answer{reply(h.id.request < 40 ? 503 : 200)}; });
  LoadOptions options = two_classes(peer.url(), 80);
  options.threads = 2;
  Generator generator(options);
  generator.start();
  const Tally tally = tally_of(generator.wait());
  const auto families = metrics_of(generator.live(), generator.live_by_class());
  for (std::size_t c = 0; c < 2; ++c) {
    const Counts& counts = tally.classes[c].counts;
    const std::string of = std::to_string(c);
    const auto sum = [&](std::string_view name, std::string_view outcome = "") {
      const auto sums = by_class(families, name, outcome);
      EXPECT_EQ(sums.size(), 2U) << name << ": no sample is of no class";
      return sums.contains(of) ? sums.at(of) : -1;
    };
    EXPECT_EQ(sum("retrystorm_requests_offered_total"), counts.offered);
    EXPECT_EQ(sum("retrystorm_requests_total"), counts.offered);
    EXPECT_EQ(sum("retrystorm_requests_total", "gave_up"), counts.gave_up);
    EXPECT_EQ(sum("retrystorm_attempts_total"), counts.attempts);
    EXPECT_EQ(sum("retrystorm_attempts_total", "rejected"), counts.rejected);
    EXPECT_EQ(sum("retrystorm_send_lag_seconds"), counts.offered);
    EXPECT_EQ(sum("retrystorm_request_latency_seconds"), counts.succeeded);
  }
  EXPECT_EQ(by_class(families, "retrystorm_in_flight"), (std::map<std::string, double>{{"", 0}}));
}

TEST(GeneratorOfClasses, AsksForTheWorkOfTheClassThatHasSome) {
  std::mutex mutex;
  std::map<std::uint64_t, std::string> heard;  // by request
  Peer peer([&](const Heard& h) {
    const std::lock_guard lock(mutex);
    heard[h.id.request] = h.head;
    return Answer{reply(200)};
  });
  LoadOptions options = two_classes(peer.url(), 40);
  options.scenario.classes[1].work = 1500us;
  run_generator(options);
  ClassOrder order(options.scenario, {});
  for (const auto& [request, head] : heard) {
    const bool asks = head.find("Retrystorm-Work-Us: 1500\r\n") != head.npos;
    EXPECT_EQ(asks, order.next() == 1) << request;
    EXPECT_EQ(head.find("Retrystorm-Work-Us") != head.npos, asks) << head;
    order.pop();
  }
  EXPECT_EQ(heard.size(), 40U);
}

TEST(GeneratorOfOneClass, HasNoLabelOfAClass) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  Generator generator(options_for(peer.url(), 10));
  generator.start();
  generator.wait();
  const auto families = metrics_of(generator.live(), generator.live_by_class());
  EXPECT_EQ(by_class(families, "retrystorm_requests_offered_total"),
            (std::map<std::string, double>{{"", 10}}));
}

TEST(GeneratorOfOneClass, TellsOfNone) {
  Peer peer([](const Heard&) { return Answer{reply(200)}; });
  const Result r = run_generator(options_for(peer.url(), 10));
  EXPECT_THAT(tally_of(r).classes, IsEmpty());
  EXPECT_THAT(to_text(r), testing::Not(HasSubstr("class")));
}

}  // namespace
}  // namespace retrystorm::loadgen
