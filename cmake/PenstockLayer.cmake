# One folder of src/ is one layer: one target, one namespace. What a layer may include is what its DEPENDS names, here
# and nowhere else; the test `layers` reads the table that these functions write and checks every include against it.

add_library(penstock_headers INTERFACE)
add_library(penstock::headers ALIAS penstock_headers)
target_include_directories(
  penstock_headers INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(penstock_headers INTERFACE cxx_std_20)
set_target_properties(penstock_headers PROPERTIES EXPORT_NAME headers)

# PENSTOCK_LAYERS: the layers that are archives; PENSTOCK_LAYER_LIBRARIES: what they link besides each other.
# PENSTOCK_LAYER_TABLE: a line "NAME KIND: DEPENDS" for every layer.
set_property(GLOBAL PROPERTY PENSTOCK_LAYERS "")
set_property(GLOBAL PROPERTY PENSTOCK_LAYER_LIBRARIES "")
set_property(GLOBAL PROPERTY PENSTOCK_LAYER_TABLE "")

# Calls within the library are direct: nobody replaces its functions at load time. Its thread-local variables are few and
# small enough for the space that the loader keeps for them, even where it is opened by a running program; not so under
# a sanitizer, whose checks for null g++ makes from flags that ld's relaxation of such an access no longer sets.
function(penstock_set_code_model target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ftls-model=initial-exec>)
  endif()
endfunction()

function(penstock_set_warnings target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow>)
  if(PENSTOCK_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
endfunction()

# Enters a layer into the table only; for the folders that make programs.
#   penstock_declare_layer(NAME cli KIND acting DEPENDS runtime core)
function(penstock_declare_layer)
  cmake_parse_arguments(LAYER "" "NAME;KIND" "DEPENDS" ${ARGN})
  if(NOT LAYER_KIND MATCHES "^(pure|acting)$")
    message(FATAL_ERROR "layer ${LAYER_NAME}: KIND is pure or acting, not '${LAYER_KIND}'")
  endif()
  string(REPLACE ";" " " depends "${LAYER_DEPENDS}")
  set_property(GLOBAL APPEND_STRING PROPERTY PENSTOCK_LAYER_TABLE "${LAYER_NAME} ${LAYER_KIND}: ${depends}\n")
endfunction()

# penstock_add_layer(NAME core KIND pure|acting SOURCES a.cpp ... [DEPENDS layer ...] [LIBRARIES target ...])
function(penstock_add_layer)
  cmake_parse_arguments(LAYER "" "NAME;KIND" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  set(target penstock_${LAYER_NAME})
  add_library(${target} STATIC ${LAYER_SOURCES})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_link_libraries(${target} PUBLIC penstock_headers)
  foreach(layer IN LISTS LAYER_DEPENDS)
    if(NOT TARGET penstock_${layer})
      message(FATAL_ERROR "layer ${LAYER_NAME} depends on ${layer}, which is not above it in src/CMakeLists.txt")
    endif()
    target_link_libraries(${target} PUBLIC penstock_${layer})
  endforeach()
  target_link_libraries(${target} PRIVATE ${LAYER_LIBRARIES})
  penstock_set_warnings(${target})
  penstock_set_code_model(${target})
  set_property(GLOBAL APPEND PROPERTY PENSTOCK_LAYERS ${LAYER_NAME})
  set_property(GLOBAL APPEND PROPERTY PENSTOCK_LAYER_LIBRARIES ${LAYER_LIBRARIES})
  penstock_declare_layer(NAME ${LAYER_NAME} KIND ${LAYER_KIND} DEPENDS ${LAYER_DEPENDS})
endfunction()
