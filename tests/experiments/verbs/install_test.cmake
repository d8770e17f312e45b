# The installed program runs by itself, from any folder: what it needs is within it or beside it.
#   cmake -DBUILD=FOLDER -DPREFIX=FOLDER -P install_test.cmake
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(case "--version;^retrystorm [0-9.]+ .revision " "rules;AbandonedWork"
    "predict --rate 1200;best knob" "predict small.toml --rate 80 --retries 0;2 workers of 20ms")
  list(GET case 0 arguments)
  list(GET case 1 expected)
  separate_arguments(arguments)
  execute_process(COMMAND ${PREFIX}/bin/retrystorm ${arguments} WORKING_DIRECTORY /
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "installed retrystorm ${arguments} printed no ${expected}:\n${output}")
  endif()
endforeach()
foreach(file man/man1/retrystorm.1 man/man1/retrystorm-run.1 bash-completion/completions/retrystorm
    zsh/site-functions/_retrystorm fish/vendor_completions.d/retrystorm.fish retrystorm/scenarios/collapse.toml
    doc/retrystorm/README.md doc/retrystorm/docs/README.md)
  if(NOT EXISTS ${PREFIX}/share/${file})
    message(FATAL_ERROR "share/${file} is not installed")
  endif()
endforeach()
