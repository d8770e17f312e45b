#include "experiments/run/prometheus/api.hpp"

#include "core/error.hpp"
#include "core/json.hpp"

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

PrometheusSeries::Sample sample_in(const json::value& pair) {
  const json::array& both = pair.as_array();
  const std::string text(both.at(1).as_string());
  // "NaN" and "+Inf" are values here, so strtod and not our own strict reader.
  return {both.at(0).to_number<double>(), std::strtod(text.c_str(), nullptr)};
}

PrometheusSeries series_in(const json::object& entry) {
  PrometheusSeries series;
  for (const auto& [label, value] : entry.at("metric").as_object()) {
    series.labels.emplace(label, std::string(value.as_string()));
  }
  if (const json::value* value = entry.if_contains("value")) {
    series.samples.push_back(sample_in(*value));
  } else {
    for (const json::value& pair : entry.at("values").as_array()) {
      series.samples.push_back(sample_in(pair));
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
    const json::object& whole = answer.as_object();
    if (whole.at("status").as_string() != "success") {
      throw RunFailed(fmt::format("Prometheus refused a question: {}",
                                  std::string_view(whole.at("error").as_string())));
    }
    std::vector<PrometheusSeries> all;
    for (const json::value& entry : whole.at("data").as_object().at("result").as_array()) {
      all.push_back(series_in(entry.as_object()));
    }
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
