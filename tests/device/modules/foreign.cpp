/// A shared library that is no CUDA module.
extern "C" int something_else() { return 1; }
