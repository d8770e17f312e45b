// The verb's frame around the generator: what the machine allows, signals, the live line, the
// report.
#include "loadgen/load.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/ledger.hpp"
#include "core/net/limits.hpp"
#include "loadgen/generator.hpp"
#include "loadgen/progress.hpp"
#include "loadgen/report.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace retrystorm {
namespace {

namespace asio = boost::asio;
using loadgen::Generator;

constexpr std::uint64_t descriptors_wanted = 100'000;
constexpr std::uint64_t descriptors_kept = 100;  // for ledger, metrics, standard streams

// What is left to "auto" is settled here: token, threads, attempts in flight.
LoadOptions resolve(LoadOptions options) {
  if (!options.allow_remote && !options.target.address.loopback()) {
    throw InvalidInput("command line", "URL",
                       fmt::format("{} is not on the loopback interface; load it only with "
                                   "--allow-remote, and only if it is yours to load",
                                   options.target.address.text()));
  }
  if (options.token == 0) options.token = fresh_token();
  const std::uint64_t descriptors = raise_descriptor_limit(descriptors_wanted);
  auto& cap = options.scenario.client.max_in_flight;
  if (!cap) {
    std::uint64_t most = descriptors > 2 * descriptors_kept
                             ? descriptors - descriptors_kept
                             : std::max<std::uint64_t>(descriptors / 2, 1);
    // A tenth of the ports stays free: near the end of the range the kernel searches long for one.
    if (const std::uint64_t ports = local_ports(); ports > 0) {
      most = std::min(most, std::max<std::uint64_t>(ports - ports / 10, 1));
    }
    cap = static_cast<std::int64_t>(std::min<std::uint64_t>(most, 10'000'000));
  }
  return options;
}

// Signals and the live line, on the main thread, until the generator ends.
class Watch {
 public:
  Watch(asio::io_context& io, Generator& generator, bool live)
      : signals_(io, SIGINT, SIGTERM), timer_(io), generator_(generator), live_(live) {
    await_signal();
    if (live_) tick();
  }
  void end() {
    signals_.cancel();
    timer_.cancel();
    if (live_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  void await_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      if (++received_ == 1) {
        generator_.stop();
      } else {
        generator_.leave();
      }
      await_signal();
    });
  }
  void tick() {
    timer_.expires_after(loadgen::Progress::period);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      fmt::print(stderr, "\r{}\x1b[K", progress_.line(generator_.live(), generator_.elapsed()));
      std::fflush(stderr);
      tick();
    });
  }

  asio::signal_set signals_;
  asio::steady_timer timer_;
  Generator& generator_;
  loadgen::Progress progress_;
  bool live_;
  int received_ = 0;
};

}  // namespace

int load(const LoadOptions& given) {
  const LoadOptions options = resolve(given);
  asio::io_context io(1);
  Generator generator(options);
  Watch watch(io, generator, !options.json && isatty(STDERR_FILENO) == 1);
  generator.start([&] { asio::post(io, [&] { watch.end(); }); });
  io.run();
  const loadgen::Result result = generator.wait();
  const std::string report =
      options.json ? pretty_json(loadgen::to_json(result)) : loadgen::to_text(result);
  std::fwrite(report.data(), 1, report.size(), stdout);
  std::fflush(stdout);
  int code = exit_done;
  if (!loadgen::limited_by(result).empty()) code = worse_exit(code, exit_untrusted);
  if (result.interrupted) code = worse_exit(code, exit_interrupted);
  return code;
}

}  // namespace retrystorm
