// Beast's compiled part, once for the program.
#include <boost/beast/src.hpp>
