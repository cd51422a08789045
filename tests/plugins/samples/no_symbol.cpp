// A shared object that is no plugin.
extern "C" int sample_of_nothing() { return 0; }
