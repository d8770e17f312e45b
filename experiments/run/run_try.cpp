#include "experiments/run/run_try.hpp"

#include "core/clocks.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"
#include "core/ledger.hpp"
#include "core/scenario_toml.hpp"
#include "experiments/evidence/kept_recordings.hpp"
#include "experiments/evidence/run_directory.hpp"
#include "experiments/run/environment.hpp"
#include "experiments/run/prometheus/witness.hpp"

#include <array>
#include <csignal>
#include <initializer_list>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;

constexpr auto start_limit = 20s;  // for a service to listen; a loaded machine may be slow
constexpr auto slack = 20s;        // beyond what the scenario itself allows
constexpr auto tick_period = 500ms;
constexpr auto scrape_limit = 10s;  // for a scrape that comes every 250 ms

// Something went wrong in a child: the try has failed. Caught in run_try().
struct Failure {
  std::string what;
};

std::string death(std::string_view who, const ChildProcess& process) {
  std::string text = fmt::format("the {} {}", who, process.ended()->describe());
  if (const std::string last = process.last_error(); !last.empty()) {
    text += fmt::format(": {}", last);
  }
  return text;
}

// The last whole line or document of a process's output that is a JSON object; empty if none.
json::object json_in(std::string_view text) {
  try {
    const json::value value = parse_json(text, "output");
    return value.is_object() ? value.get_object() : json::object();
  } catch (const InvalidInput&) {
    return {};
  }
}

json::object event_in(const std::string& output, std::string_view event) {
  for (std::string_view rest = output; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    if (end == rest.npos) break;
    json::object line = json_in(rest.substr(0, end));
    if (JsonObject(line, "output").text_or("event", "") == event) return line;
    rest.remove_prefix(end + 1);
  }
  return {};
}

class Running {
 public:
  Running(const TrySpec& spec, TryNote& note, Interrupts& interrupts,
          const std::function<void(Duration)>& tick)
      : spec_(spec),
        note_(note),
        interrupts_(interrupts),
        tick_(tick),
        asked_(interrupts.count()) {}

  void run() {
    const std::string token = format_token(note_.token);
    const std::string scenario = spec_.directory + "/scenario.toml";
    const PrometheusServer* prometheus = spec_.prometheus;
    const double began = unix_seconds();  // as Prometheus stamps its samples
    service_.emplace(spec_.program,
                     std::vector<std::string>{
                         "serve", "--scenario", scenario, "--listen", spec_.listen, "--metrics",
                         prometheus != nullptr ? prometheus->service_metrics().text() : "off",
                         "--ledger", spec_.directory, "--token", token, "--json"},
                     spec_.directory + "/service.err");
    const std::string address = await_listening();
    if (!address.empty()) {
      std::vector<std::string> arguments{
          "load",
          fmt::format("http://{}/", address),
          "--scenario",
          scenario,
          "--ledger",
          spec_.directory,
          "--token",
          token,
          "--json",
          "--allow-failure",  // an arm may collapse: that is what it is run for
          "--metrics",
          prometheus != nullptr ? prometheus->generator_metrics().text() : "off"};
      for (const TrustLimit& one : trust_limits) {  // it judges its own load by the run's limits
        if (!one.of_generator) continue;
        arguments.emplace_back(one.flag);
        arguments.push_back(format_number(spec_.limits.*one.value));
      }
      if (prometheus != nullptr) {
        arguments.emplace_back("--hold");
        await_answer([&] { return scraped_since(prometheus->api(), "service", began); });
      }
      if (spec_.page != nullptr) spec_.page->begins(note_.key, spec_.scenario.client.duration);
      generator_.emplace(spec_.program, std::move(arguments), spec_.directory + "/generator.err");
      await_generator();
      if (prometheus != nullptr) take_last_sample(*prometheus, began);
    }
    stop_service();
  }

  // What the processes left, however it went.
  void take_last_words() {
    if (service_) note_.service = service_->ended();
    if (service_) note_.service_said = event_in(service_->output(), "stopped");
    if (generator_) note_.generator = generator_->ended();
    if (generator_) note_.generator_said = json_in(generator_->output());
  }

  // Ends what still runs; it may be hurt already.
  void clear() {
    for (auto* process : {&generator_, &service_}) {
      if (*process && (*process)->running()) end(**process, SIGTERM, 2s);
    }
  }

 private:
  // Where the service listens; empty if the user asked to stop before.
  std::string await_listening() {
    const Instant deadline = steady_now() + start_limit;
    for (;;) {
      const json::object line = event_in(service_->output(), "listening");
      if (!line.empty()) return JsonObject(line, "the service's first line").text("address");
      if (!service_->running()) throw Failure{death("service", *service_)};
      if (stop_asked()) return {};
      if (steady_now() > deadline) {
        throw Failure{
            fmt::format("the service did not listen within {}", format_duration(start_limit))};
      }
      wait_until(deadline);
    }
  }

  void await_generator() {
    const auto& client = spec_.scenario.client;
    const Instant began = steady_now();
    const Instant deadline =
        began + client.duration + client.timeout + spec_.scenario.drain_limit + slack;
    bool told = false;
    while (generator_->running() && !holding()) {
      if (!service_->running()) {
        end(*generator_, SIGINT, 5s);
        throw Failure{death("service", *service_) + " while it was under load"};
      }
      if (stop_asked() && !told) {
        told = true;
        generator_->signal(SIGINT);  // ends sending, drains and reports
      }
      if (killing_asked()) generator_->signal(SIGKILL);
      if (steady_now() > deadline) throw Failure{"the generator did not end in its time"};
      if (tick_) tick_(steady_now() - began);
      wait_until(std::min<Instant>(deadline, steady_now() + tick_period));
    }
    if (holding() || stop_asked()) return;
    // Its exit code may say that it does not vouch for the load; then its report is there.
    if (!json_in(generator_->output()).contains("tally")) {
      throw Failure{death("generator", *generator_)};
    }
    if (generator_->ended()->exit_code == exit_interrupted) {
      throw Failure{"the generator was interrupted"};
    }
  }

  // The generator has reported, and stays for Prometheus' sake.
  bool holding() const {
    return spec_.prometheus != nullptr && generator_->running() && !generator_->output().empty() &&
           json_in(generator_->output()).contains("tally");
  }

  // Keeps the processes until Prometheus has their final counts, then lets the generator go.
  void take_last_sample(const PrometheusServer& prometheus, double began) {
    const double over = unix_seconds();
    std::optional<Scraped> last;
    std::string problem = await_answer([&] {
      last = last_sample(prometheus.api(), over);
      return last.has_value();
    });
    note_.scraped = last ? *last : Scraped{};
    try {
      note_.scraped->scrapes = scrapes_between(prometheus.api(), began, unix_seconds());
    } catch (const RunFailed& error) {
      problem = error.what();
    }
    note_.scraped->problem = problem;
    if (!generator_->running()) return;
    end(*generator_, SIGTERM, 5s);
    const int code = generator_->ended()->exit_code;
    if (generator_->ended()->signal != 0 || (code != exit_done && code != exit_untrusted)) {
      throw Failure{death("generator", *generator_) + " when it was told to go"};
    }
  }

  // Asks Prometheus again and again until it says yes. A text why it did not; empty if it did.
  template <typename Ask>
  std::string await_answer(Ask ask) {
    for (const Instant deadline = steady_now() + scrape_limit; !stop_asked();) {
      try {
        if (ask()) return {};
      } catch (const RunFailed& error) {
        return error.what();
      }
      if (steady_now() > deadline) {
        return fmt::format("not within {}", format_duration(scrape_limit));
      }
      wait_until(steady_now() + scrape_interval / 2);
    }
    return "interrupted";
  }

  void stop_service() {
    // What it may still have in work when the load is over.
    const Scenario& s = spec_.scenario;
    const auto rounds = queue_places(s) / s.service.workers + 2;
    const auto limit =
        s.drain_limit + std::min<Duration>(longest_mean_work(s) * rounds, 1h) + slack;
    if (!service_->running()) throw Failure{death("service", *service_)};
    end(*service_, SIGTERM, limit);
    if (!stop_asked() && (service_->ended()->signal != 0 || service_->ended()->exit_code != 0)) {
      throw Failure{death("service", *service_) + " when it was told to stop"};
    }
  }

  // Sends a signal and waits for the end; kills at the limit or when the user insists.
  void end(ChildProcess& process, int signal, Duration limit) {
    process.signal(signal);
    const Instant deadline = steady_now() + limit;
    while (process.running()) {
      if (steady_now() > deadline || killing_asked()) process.signal(SIGKILL);
      wait_until(std::max<Instant>(deadline, steady_now() + 100ms));
    }
  }

  void wait_until(Instant deadline) {
    std::vector<ChildProcess*> processes;
    for (auto* process : {&service_, &generator_}) {
      if (*process) processes.push_back(&**process);
    }
    await(processes, interrupts_, deadline);
  }

  bool stop_asked() { return interrupts_.count() > asked_; }
  bool killing_asked() { return interrupts_.count() > asked_ + 1; }

  const TrySpec& spec_;
  TryNote& note_;
  Interrupts& interrupts_;
  const std::function<void(Duration)>& tick_;
  int asked_;  // interrupts before this try
  std::optional<ChildProcess> service_;
  std::optional<ChildProcess> generator_;
};

void save(const TryNote& note, const std::string& directory) {
  write_whole(note_file(directory), pretty_json(to_json(note)));
}

// What the processes wrote, as they told it, or as it is now.
LedgerDigests digests_of(const TryNote& note, const std::string& directory) {
  try {
    return digests_of_try(directory, told_digests(note));
  } catch (const InvalidInput&) {  // what cannot be read will be named when it is imported
    return {};
  }
}

}  // namespace

std::string note_file(const std::string& directory) {
  return directory + "/try.json";
}

TryNote run_try(const TrySpec& spec, Interrupts& interrupts,
                const std::function<void(Duration)>& tick) {
  make_directories(spec.directory);
  // The processes read the recordings of the run, which stand beside arms/.
  write_whole(spec.directory + "/scenario.toml",
              scenario_to_toml(with_recordings_in("../../..", spec.scenario)));
  TryNote note;
  note.key = spec.key;
  note.repeat = spec.repeat;
  note.repeats = spec.repeats;
  note.token = fresh_token();
  note.scenario = spec.scenario;
  note.limits = spec.limits;
  note.environment = describe_machine();
  save(note, spec.directory);
  const int asked = interrupts.count();
  const MachineCounters before = read_machine_counters();
  Running running(spec, note, interrupts, tick);
  try {
    running.run();
    note.status = TryStatus::done;
  } catch (const Failure& failure) {
    note.status = TryStatus::failed;
    note.failure = failure.what;
  } catch (const std::runtime_error& error) {  // no process, no pipe, an unreadable first line
    note.status = TryStatus::failed;
    note.failure = error.what();
  }
  running.clear();
  running.take_last_words();
  note.digests = digests_of(note, spec.directory);
  note.environment["during"] = growth(before, read_machine_counters());
  if (interrupts.count() > asked) note.status = TryStatus::interrupted;
  if (spec.page != nullptr) spec.page->ends();
  save(note, spec.directory);
  return note;
}

}  // namespace retrystorm
