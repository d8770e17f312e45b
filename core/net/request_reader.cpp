#include "core/net/request_reader.hpp"

#include <cstring>

namespace retrystorm {

RequestReader::Read RequestReader::read() {
  while (!parser_->is_done() && begin_ != end_) {
    const std::size_t size = end_ - begin_;
    const auto fed = parser_->feed(buffer_.data() + begin_, size, size == buffer_.size());
    begin_ += fed.consumed;
    status_ = fed.status;
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

// Moves what is unparsed to the front of the buffer.
void RequestReader::make_room() {
  if (begin_ == 0) return;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
}

}  // namespace retrystorm
