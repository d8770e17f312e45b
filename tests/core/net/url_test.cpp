#include "core/net/url.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace retrystorm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& url) {
  try {
    parse_url(url, "URL");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> texts(const std::vector<Address>& addresses) {
  std::vector<std::string> result;
  for (const Address& address : addresses) result.push_back(address.text());
  return result;
}

struct Good {
  const char* what;
  std::string url;
  std::string address, path, host;
};

class GoodUrl : public testing::TestWithParam<Good> {};

TEST_P(GoodUrl, IsTakenApart) {
  const Url url = parse_url(GetParam().url, "URL");
  EXPECT_EQ(url.address.text(), GetParam().address);
  EXPECT_EQ(url.path, GetParam().path);
  EXPECT_EQ(url.host(), GetParam().host);
}

INSTANTIATE_TEST_SUITE_P(
    Url, GoodUrl,
    testing::Values(
        Good{"Whole", "http://127.0.0.1:8080/a?b=c", "127.0.0.1:8080", "/a?b=c", "127.0.0.1:8080"},
        Good{"NoPath", "http://127.0.0.1:8080", "127.0.0.1:8080", "/", "127.0.0.1:8080"},
        Good{"NoPort", "http://127.0.0.1/", "127.0.0.1:80", "/", "127.0.0.1"},
        Good{"QueryWithoutPath", "http://127.0.0.1?b=/c", "127.0.0.1:80", "/?b=/c", "127.0.0.1"},
        Good{"Fragment", "http://127.0.0.1/a#b?c", "127.0.0.1:80", "/a", "127.0.0.1"},
        Good{"FragmentAlone", "http://127.0.0.1#b", "127.0.0.1:80", "/", "127.0.0.1"},
        Good{"LoudScheme", "HTTP://127.0.0.1/", "127.0.0.1:80", "/", "127.0.0.1"},
        Good{"Six", "http://[::1]:8080/a", "[::1]:8080", "/a", "[::1]:8080"},
        Good{"SixAtLength", "http://[0:0:0:0:0:0:0:1]", "[::1]:80", "/", "[0:0:0:0:0:0:0:1]"},
        Good{"Name", "http://my-host.example:81/", "my-host.example:81", "/", "my-host.example:81"},
        Good{"LongTarget", "http://127.0.0.1/" + std::string(7999, 'x'), "127.0.0.1:80",
             "/" + std::string(7999, 'x'), "127.0.0.1"}),
    [](const auto& one) { return std::string(one.param.what); });

struct Bad {
  const char* what;
  std::string url;
  std::string says;
};

class BadUrl : public testing::TestWithParam<Bad> {};

TEST_P(BadUrl, IsRefusedForItsOwnCause) {
  EXPECT_THAT(refusal(GetParam().url), HasSubstr("URL: must " + GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Url, BadUrl,
    testing::Values(
        Bad{"Nothing", "", "begin with http://"}, Bad{"NoScheme", "127.0.0.1:80", "begin with"},
        Bad{"OtherScheme", "ftp://127.0.0.1/", "begin with http://, as http://127.0.0.1:8080/"},
        Bad{"Tls", "https://127.0.0.1/", "begin with http://: TLS is not spoken here"},
        Bad{"NoHost", "http:///a", "name a host, as"},
        Bad{"PortAlone", "http://:80/", "name a host, as"},
        Bad{"BadHost", "http://a,b/", "name a host of letters"},
        Bad{"User", "http://me:secret@127.0.0.1/", "not name a user"},
        Bad{"NoNumber", "http://127.0.0.1:http/", "have a port from 1 to 65535"},
        Bad{"EmptyPort", "http://127.0.0.1:/", "have a port from 1 to 65535"},
        Bad{"PortZero", "http://127.0.0.1:0/", "have a port from 1 to 65535"},
        Bad{"LargePort", "http://127.0.0.1:65536/", "have a port from 1 to 65535"},
        Bad{"OpenBracket", "http://[::1/", "close the bracket"},
        Bad{"NoSix", "http://[127.0.0.1]/", "have an IPv6 address between its brackets"},
        Bad{"BareSix", "http://::1:8080/", "have its IPv6 address in brackets"},
        Bad{"Blank", "http://127.0.0.1/a b", "have ' ' in its path or query written as %20"},
        Bad{"Umlaut", "http://127.0.0.1/\xc3\xa4",
            "have '\\xc3' in its path or query written as %C3"},
        Bad{"TooLong", "http://127.0.0.1/" + std::string(8000, 'x'),
            "have a path and query of at most 8000 bytes, not 8001"}),
    [](const auto& one) { return std::string(one.param.what); });

TEST(AddressesOf, ANumericHostAreItselfAlone) {
  EXPECT_THAT(texts(addresses_of({"127.0.0.2", 80}, "URL")), ElementsAre("127.0.0.2:80"));
  EXPECT_THAT(texts(addresses_of({"0::1", 80}, "URL")), ElementsAre("[::1]:80"));
}

TEST(AddressesOf, LocalhostAreThoseOfThisMachineWhateverTheSystemSays) {
  for (const char* name : {"localhost", "LOCALHOST", "any.localhost"}) {
    EXPECT_THAT(texts(addresses_of({name, 81}, "URL")), ElementsAre("127.0.0.1:81", "[::1]:81"));
  }
}

// Old writings of addresses are names to us, which the system knows without asking anybody.
TEST(AddressesOf, ANameAreWhatTheSystemResolvesItTo) {
  EXPECT_THAT(texts(addresses_of({"127.1", 80}, "URL")), ElementsAre("127.0.0.1:80"));
}

// A label of a name has 63 bytes at most, so that nobody is asked for this one.
TEST(AddressesOf, ANameThatIsNotFoundIsRefused) {
  const std::string name(64, 'x');
  try {
    addresses_of({name, 80}, "URL");
    ADD_FAILURE() << "found";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("URL: must name a host that can be found; " + name + ": "));
  }
}

}  // namespace
}  // namespace retrystorm
