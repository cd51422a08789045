# Uses ccache where it is found, unless the caller chose a launcher.
find_program(PENSTOCK_CCACHE ccache)
mark_as_advanced(PENSTOCK_CCACHE)
foreach(language IN ITEMS C CXX CUDA)
  if(PENSTOCK_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${PENSTOCK_CCACHE})
  endif()
endforeach()
