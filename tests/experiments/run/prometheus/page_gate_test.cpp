#include "experiments/run/prometheus/page_gate.hpp"

#include <boost/beast/http/empty_body.hpp>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

namespace http = boost::beast::http;

const Address here{"127.0.0.1", 4711};

PageHeader request(std::string_view target, std::string_view host = "127.0.0.1:4711",
                   std::string_view origin = "", http::verb method = http::verb::get) {
  PageHeader header;
  header.method(method);
  header.target({target.data(), target.size()});
  if (!host.empty()) header.insert(http::field::host, {host.data(), host.size()});
  if (!origin.empty()) header.insert(http::field::origin, {origin.data(), origin.size()});
  return header;
}

int status(std::string_view host, std::string_view origin, const Address& at = here) {
  return judge_page_request(request("/api/v1/query?query=up", host, origin), at).status;
}

TEST(PageGate, KnowsItselfByItsAddressAndAsLocalhost) {
  for (const char* host : {"127.0.0.1:4711", "localhost:4711", "LocalHost:4711"}) {
    EXPECT_EQ(status(host, ""), 200) << host;
  }
  EXPECT_EQ(status("[::1]:4711", "", {"::1", 4711}), 200);
  EXPECT_EQ(status("localhost", "", {"127.0.0.1", 80}), 200);
}

// A foreign name that its owner has bent to 127.0.0.1 (DNS rebinding) is still a foreign name.
TEST(PageGate, IsServedUnderNoOtherName) {
  for (const char* host : {"evil.example:4711", "127.0.0.1", "localhost", "127.0.0.1:4712",
                           "localhost.evil.example:4711", "127.0.0.1:4711.evil.example",
                           "evil.example", "127.0.0.1:4711, evil.example", "[::1]:4711",
                           "10.0.0.1:4711", "user@127.0.0.1:4711", "0.0.0.0:4711"}) {
    EXPECT_EQ(status(host, ""), 421) << host;
  }
}

TEST(PageGate, OfAnotherAddressIsNotLocalhost) {
  const Address chosen{"192.0.2.7", 9000};
  EXPECT_EQ(status("192.0.2.7:9000", "", chosen), 200);
  EXPECT_EQ(status("localhost:9000", "", chosen), 421);
}

TEST(PageGate, WantsOneHost) {
  EXPECT_EQ(status("", ""), 400);
  PageHeader twice = request("/");
  twice.insert(http::field::host, "127.0.0.1:4711");
  EXPECT_EQ(judge_page_request(twice, here).status, 400);
}

TEST(PageGate, LetsOnlyItsOwnPageAsk) {
  EXPECT_EQ(status("127.0.0.1:4711", "http://127.0.0.1:4711"), 200);
  EXPECT_EQ(status("localhost:4711", "http://localhost:4711"), 200);
  for (const char* origin :
       {"null", "http://evil.example", "https://127.0.0.1:4711", "http://127.0.0.1:4712",
        "http://localhost:4711", "http://127.0.0.1:4711.evil.example", "http://127.0.0.1"}) {
    EXPECT_EQ(status("127.0.0.1:4711", origin), 403) << origin;
  }
  PageHeader twice = request("/", "127.0.0.1:4711", "http://127.0.0.1:4711");
  twice.insert(http::field::origin, "http://evil.example");
  EXPECT_EQ(judge_page_request(twice, here).status, 403);
}

// As <img src="http://127.0.0.1:4711/api/v1/query?..."> on a page of somebody else.
TEST(PageGate, AsksNothingForWhatAnotherPageEmbeds) {
  const auto status_of = [](const char* target, const char* site) {
    PageHeader header = request(target);
    header.insert("Sec-Fetch-Site", site);
    return judge_page_request(header, here).status;
  };
  EXPECT_EQ(status_of("/api/v1/query?query=up", "same-origin"), 200);
  EXPECT_EQ(status_of("/api/v1/query?query=up", "none"), 200);  // typed by the user
  EXPECT_EQ(status_of("/api/v1/query?query=up", "cross-site"), 403);
  EXPECT_EQ(status_of("/api/v1/query?query=up", "same-site"), 403);  // another port
  EXPECT_EQ(status_of("/user/live/", "cross-site"), 200);            // a link to the page
}

TEST(PageGate, OnlyReads) {
  for (const http::verb method : {http::verb::post, http::verb::put, http::verb::delete_,
                                  http::verb::options, http::verb::connect, http::verb::trace}) {
    EXPECT_EQ(judge_page_request(request("/", "127.0.0.1:4711", "", method), here).status, 405);
  }
  EXPECT_EQ(judge_page_request(request("/", "127.0.0.1:4711", "", http::verb::head), here).status,
            200);
}

TEST(PageGate, PassesOnlyTheQueriesOfThePage) {
  for (const char* target :
       {"/api/v1/query?query=up", "/api/v1/query", "/api/v1/query_range?query=up&start=0"}) {
    EXPECT_EQ(judge_page_request(request(target), here).ask, PageAsk::query) << target;
  }
  for (const char* target : {"/api/v1/query/",
                             "/api/v1/query/../admin/tsdb/snapshot",
                             "/api/v1/queryx",
                             "//api/v1/query",
                             "/api/v1/targets",
                             "/api/v1/status/config",
                             "/api/v1/series",
                             "/api/v1/read",
                             "/api/v1/admin/tsdb/delete_series",
                             "/debug/pprof/",
                             "/debug/pprof/heap",
                             "/-/quit",
                             "/-/reload",
                             "/metrics",
                             "/graph",
                             "/federate",
                             "/userx/",
                             "/api/v1/%71uery",
                             "*",
                             "http://127.0.0.1:4711/api/v1/query",
                             ""}) {
    const PageVerdict verdict = judge_page_request(request(target), here);
    EXPECT_EQ(verdict.ask, PageAsk::refused) << target;
    EXPECT_EQ(verdict.status, 404) << target;
  }
}

TEST(PageGate, TellsFilesFromWhatTheRunSays) {
  EXPECT_EQ(judge_page_request(request("/user/live/?view=live"), here).name, "live/index.html");
  EXPECT_EQ(judge_page_request(request("/user/live/live.mjs"), here).name, "live/live.mjs");
  EXPECT_EQ(judge_page_request(request("/user/run.json"), here).ask, PageAsk::run);
  EXPECT_EQ(judge_page_request(request("/"), here).ask, PageAsk::home);
}

}  // namespace
}  // namespace retrystorm
