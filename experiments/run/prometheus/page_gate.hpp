// Who may ask the page server, and for what. A browser carries the requests of every page that its
// user has open: only those are answered that were meant for this very address (`Host`, so that no
// foreign name that was bent to point here is served) and that come from our own page (`Origin`).
#pragma once

#include "core/net/address.hpp"

#include <string>
#include <string_view>

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>

namespace retrystorm {

enum class PageAsk {
  refused,
  file,   // one of dashboards/, at /user/NAME
  run,    // /user/run.json: what the run says of itself
  query,  // a question to Prometheus, to be passed on as it is
  home    // "/": the page is elsewhere
};

// What a request comes to.
struct PageVerdict {
  PageAsk ask = PageAsk::refused;
  int status = 200;       // of a refusal, the HTTP status
  std::string_view name;  // of a file, its name in dashboards/ (a part of the request's target)
  std::string_view why;   // of a refusal
};

using PageHeader = boost::beast::http::request_header<boost::beast::http::fields>;

// `here`: where the connection has arrived, the local end of its socket. Allowed names of it are
// its numeric address and, on loopback, "localhost", with its port.
PageVerdict judge_page_request(const PageHeader& request, const Address& here);

}  // namespace retrystorm
