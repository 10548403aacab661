// The function marks of a compiler's pass ([Resync] §4.2): empty functions, called behind the prologue and before the
// epilogue of what is compiled with -finstrument-functions. The tracer takes them out.
extern "C" {
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void*, void*) {}
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void*, void*) {}
}
