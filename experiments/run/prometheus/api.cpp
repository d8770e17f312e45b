#include "experiments/run/prometheus/api.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/json_reader.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace json = boost::json;

struct Answer {
  int status = 0;
  std::string body;
};

constexpr std::uint64_t most_body = std::uint64_t{64} << 20;

// One GET on a connection of its own; throws boost::system::system_error. Asynchronous only because
// a deadline of Beast holds for nothing else.
Answer get(const Address& address, const std::string& target, Duration patience) {
  asio::io_context context(1);
  beast::tcp_stream stream(context);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(most_body);
  http::request<http::empty_body> request(http::verb::get, target, 11);
  request.set(http::field::host, address.text());
  request.keep_alive(false);
  beast::error_code failed;
  stream.expires_after(patience);
  stream.async_connect(
      {asio::ip::make_address(address.host), address.port}, [&](beast::error_code error) {
        if ((failed = error)) return;
        http::async_write(stream, request, [&](beast::error_code e, std::size_t) {
          if ((failed = e)) return;
          http::async_read(stream, buffer, parser,
                           [&](beast::error_code last, std::size_t) { failed = last; });
        });
      });
  context.run();
  if (failed) throw beast::system_error(failed);
  return {static_cast<int>(parser.get().result_int()), std::move(parser.get().body())};
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

PrometheusSeries::Sample sample_in(const json::array& both) {
  const std::string text(both.at(1).as_string());
  // "NaN" and "+Inf" are values here, so strtod and not our own strict reader.
  return {both.at(0).to_number<double>(), std::strtod(text.c_str(), nullptr)};
}

PrometheusSeries series_in(const JsonObject& entry) {
  PrometheusSeries series;
  const JsonObject labels = entry.object("metric");
  for (const auto& member : labels.members()) {
    series.labels.emplace(member.key(), labels.text(member.key()));
  }
  if (entry.has("value")) {
    series.samples.push_back(sample_in(entry.list("value")));
  } else {
    for (const json::value& pair : entry.list("values")) {
      series.samples.push_back(sample_in(pair.as_array()));
    }
  }
  return series;
}

}  // namespace

std::optional<int> PrometheusApi::status(const std::string& target) const {
  try {
    return get(address_, target, patience_).status;
  } catch (const beast::system_error&) {
    return std::nullopt;
  }
}

std::vector<PrometheusSeries> PrometheusApi::query(std::string_view expression,
                                                   std::optional<double> time) const {
  std::string target = "/api/v1/query?query=" + encoded(expression);
  if (time) target += fmt::format("&time={:.3f}", *time);
  try {
    const json::value answer = parse_json(get(address_, target, patience_).body, "Prometheus");
    const JsonObject whole(answer, "Prometheus");
    if (whole.text("status") != "success") {
      throw RunFailed(fmt::format("Prometheus refused a question: {}", whole.text("error")));
    }
    std::vector<PrometheusSeries> all;
    whole.object("data").each("result",
                              [&](const JsonObject& entry) { all.push_back(series_in(entry)); });
    return all;
  } catch (const RunFailed&) {
    throw;
  } catch (const beast::system_error& error) {
    throw RunFailed(fmt::format("Prometheus at {} does not answer: {}", address_.text(),
                                error.code().message()));
  } catch (const std::exception& error) {
    throw RunFailed(fmt::format("Prometheus at {} gave no answer of its API: {}", address_.text(),
                                error.what()));
  }
}

}  // namespace retrystorm
