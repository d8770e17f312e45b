# The installed program runs by itself, from any folder: what it needs is within it.
#   cmake -DBUILD=FOLDER -DPREFIX=FOLDER -P install_test.cmake
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(case "--version;^retrystorm [0-9]+" "rules;AbandonedWork" "predict --rate 1200;advice")
  list(GET case 0 arguments)
  list(GET case 1 expected)
  separate_arguments(arguments)
  execute_process(COMMAND ${PREFIX}/bin/retrystorm ${arguments} WORKING_DIRECTORY /
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "installed retrystorm ${arguments} printed no ${expected}:\n${output}")
  endif()
endforeach()
