#include "core/net/acceptor.hpp"

#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <sys/socket.h>

namespace retrystorm {
namespace {

constexpr auto back_off = std::chrono::milliseconds(50);
constexpr int most_at_once = 64;  // then other events get their turn

Descriptor any_descriptor() {
  return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

}  // namespace

Acceptor::Acceptor(boost::asio::ip::tcp::acceptor acceptor, Memory& memory, Hooks hooks)
    : acceptor_(std::move(acceptor)),
      back_off_(acceptor_.get_executor()),
      memory_(memory),
      hooks_(std::move(hooks)),
      reserve_(any_descriptor()) {}

void Acceptor::start() {
  // Once for nothing: then the context has room for this timer, too, whatever memory is left.
  wait_to_try_again();
  back_off_.cancel();
  wait();
}

void Acceptor::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  back_off_.cancel();
}

void Acceptor::wait() {
  acceptor_.async_wait(boost::asio::socket_base::wait_read,
                       kept_in(memory_.wait, [this](const boost::system::error_code& error) {
                         if (!error && acceptor_.is_open()) accept_all();
                       }));
}

void Acceptor::accept_all() {
  for (int i = 0; i < most_at_once; ++i) {
    Descriptor socket(
        ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      hooks_.accept(std::move(socket));
      continue;
    }
    switch (errno) {
      case EAGAIN:
        return wait();
      case EMFILE:
      case ENFILE:
      case ENOBUFS:
      case ENOMEM:
        return give_up_on(errno);
      default:
        continue;  // one that failed before we got to it
    }
  }
  wait();
}

// Trying again at once would spin; waiting without a word would leave clients hanging. So the
// reserve turns away those who wait, one after another, and after a while we try again.
void Acceptor::give_up_on(int error) {
  int turned_away = 0;
  reserve_.reset();
  while (turned_away < most_at_once &&
         Descriptor(::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC))) {
    ++turned_away;
  }
  reserve_ = any_descriptor();
  hooks_.failed(error, turned_away);
  wait_to_try_again();
}

void Acceptor::wait_to_try_again() {
  back_off_.expires_after(back_off);
  back_off_.async_wait(kept_in(memory_.back_off, [this](const boost::system::error_code& failed) {
    if (!failed && acceptor_.is_open()) accept_all();
  }));
}

}  // namespace retrystorm
