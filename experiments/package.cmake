# The Debian package: `cpack -G DEB` in a build folder. What it depends on, dpkg-shlibdeps finds in the program itself.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME retrystorm)
set(CPACK_PACKAGE_VENDOR "the retrystorm authors")
set(CPACK_PACKAGE_CONTACT "the retrystorm authors <retrystorm@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "prometheus, sqlite3")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"A bounded-queue HTTP service and a load generator with timeouts and retries rerun
a retry storm on real sockets; a model of the same state machines predicts it.
Goodput, abandoned work and metastable failure are counted to the last request,
without coordinated omission.")
include(CPack)
