// Asio's compiled part, once for the program.
#include <boost/asio/impl/src.hpp>
