// A shared object that has the symbol, but means something else by it.
extern "C" {
[[gnu::visibility("default")]] extern const char penstock_plugin[128];
const char penstock_plugin[128] = "a pipe that feeds a turbine";
}
