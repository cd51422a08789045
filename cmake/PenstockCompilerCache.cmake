# Uses ccache where it is found, unless the caller chose a launcher. Paths below the checkout are seen as relative, so that
# another clone of the same sources finds what this one compiled.
find_program(PENSTOCK_CCACHE ccache)
mark_as_advanced(PENSTOCK_CCACHE)
foreach(language IN ITEMS C CXX CUDA)
  if(PENSTOCK_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
                                            CCACHE_NOHASHDIR=1 ${PENSTOCK_CCACHE})
  endif()
endforeach()
