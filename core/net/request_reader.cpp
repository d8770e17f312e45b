#include "core/net/request_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace retrystorm {

RequestReader::Read RequestReader::read() {
  while (!parser_->is_done() && begin_ != end_) {
    const std::size_t size = end_ - begin_;
    const bool in_header = !in_body();
    const char* const taken = buffer_.data() + begin_;
    const auto fed = parser_->feed(taken, size, size == buffer_.size());
    begin_ += fed.consumed;
    status_ = fed.status;
    if (in_header && status_ == 0) count_header(taken, fed.consumed);
    if (status_ != 0) return Read::bad;
    if (fed.need_more) break;
  }
  if (parser_->is_done()) return Read::whole;
  if (begin_ == end_ && !proceeded_ && in_body() && parser_->expects_continue()) {
    proceeded_ = true;
    return Read::proceed;
  }
  make_room();
  return Read::more;
}

// The parser bounds each line, the buffer what it has not taken yet: the whole header is bounded
// here.
void RequestReader::count_header(const char* taken, std::size_t size) {
  if (header_size_ == 0) {
    // Empty lines before a request are no part of it.
    const std::size_t empty =
        std::min(std::string_view(taken, size).find_first_not_of("\r\n"), size);
    taken += empty;
    size -= empty;
  }
  if (in_body()) {
    // The empty line that ends it; its own line end alone where the line before it is long gone.
    constexpr std::string_view end = "\r\n\r\n";
    const std::size_t at = std::string_view(taken, size).find(end);
    size = at == std::string_view::npos ? 2 : at + end.size();
  }
  header_size_ += size;
  if (header_size_ > largest_header) status_ = 431;
}

// Moves what is unparsed to the front of the buffer.
void RequestReader::make_room() {
  if (begin_ == 0) return;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
}

}  // namespace retrystorm
