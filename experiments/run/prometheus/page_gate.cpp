#include "experiments/run/prometheus/page_gate.hpp"

#include <algorithm>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <fmt/format.h>

namespace retrystorm {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

// What the page asks of Prometheus, and no more: no metadata, no targets, nothing that writes.
constexpr std::string_view queries[] = {"/api/v1/query", "/api/v1/query_range"};

constexpr std::string_view files_at = "/user/";

bool is_same(std::string_view a, std::string_view b) {
  return beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

bool names(std::string_view host, const Address& here) {
  const auto is = [&](const std::string& name) {
    return is_same(host, fmt::format("{}:{}", name, here.port)) ||
           (here.port == 80 && is_same(host, name));
  };
  const bool six = here.host.find(':') != std::string::npos;
  return is(six ? fmt::format("[{}]", here.host) : here.host) ||
         (here.loopback() && is("localhost"));
}

// The only value of a field; empty if there is none or more than one.
std::string_view only(const PageHeader& request, http::field field) {
  const auto [first, last] = request.equal_range(field);
  if (first == last || std::next(first) != last) return {};
  const auto value = first->value();
  return {value.data(), value.size()};
}

// A browser tells of a request that another page causes, also where it names no origin: an image, a
// script. It could not read the answer, and shall not make Prometheus work for it either.
bool caused_elsewhere(const PageHeader& request) {
  const auto value = request["Sec-Fetch-Site"];
  return !value.empty() && value != "same-origin" && value != "none";
}

PageVerdict refused(int status, std::string_view why) {
  return {PageAsk::refused, status, {}, why};
}

}  // namespace

PageVerdict judge_page_request(const PageHeader& request, const Address& here) {
  const std::string_view host = only(request, http::field::host);
  if (host.empty()) return refused(400, "a request needs one Host");
  if (!names(host, here)) {
    return refused(421, "not served under this name; use the address that was printed");
  }
  if (request.count(http::field::origin) > 0 &&
      !is_same(only(request, http::field::origin), fmt::format("http://{}", host))) {
    return refused(403, "only the page that is served here may ask");
  }
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    return refused(405, "GET only");
  }
  const auto whole = request.target();
  const std::string_view target(whole.data(), whole.size());
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == "/") return {PageAsk::home, 200, {}, {}};
  if (std::find(std::begin(queries), std::end(queries), path) != std::end(queries)) {
    if (caused_elsewhere(request)) return refused(403, "only the page that is served here may ask");
    return {PageAsk::query, 200, {}, {}};
  }
  if (!path.starts_with(files_at)) {
    return refused(404, "see /user/live/, /api/v1/query and /api/v1/query_range");
  }
  const std::string_view name = path.substr(files_at.size());
  if (name == "run.json") return {PageAsk::run, 200, {}, {}};
  if (name == "live/") return {PageAsk::file, 200, "live/index.html", {}};
  return {PageAsk::file, 200, name, {}};
}

}  // namespace retrystorm
