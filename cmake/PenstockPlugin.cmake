# Plugins: shared objects with kernels for job files. Part of the installed package too.

# penstock_add_plugin(NAME a.cpp b.cu ...)
# Makes NAME.so in the current binary folder. It is linked to nothing of penstock, only compiled against the headers:
# what it calls of the library is found, when it is loaded, in the one copy of the library that loads it. Its symbols are
# hidden, so that two plugins do not get at each other's. Other libraries are linked to it as to any target; those
# that the system's loader does not know are found by an absolute path only (not $ORIGIN), since the plugin is loaded
# by another name than its file's. A .cu file needs CUDA::cudart, the shared CUDA runtime, as penstock's is: of a copy of
# its own launch errors would not be seen. It is linked as C++, which keeps the path of that library.
function(penstock_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE penstock::headers)
  set_target_properties(
    ${name}
    PROPERTIES PREFIX ""
               SUFFIX ".so"
               CXX_VISIBILITY_PRESET hidden
               CUDA_VISIBILITY_PRESET hidden
               CUDA_RUNTIME_LIBRARY Shared
               LINKER_LANGUAGE CXX
               VISIBILITY_INLINES_HIDDEN ON
               BUILD_RPATH_USE_ORIGIN OFF)
endfunction()
