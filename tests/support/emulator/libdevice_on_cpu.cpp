// Functions of libdevice that functors call, by those of the C library.
#include <cmath>
#include <cstdlib>
#define ONE(name) \
  extern "C" double __nv_##name(double x) { return std::name(x); } \
  extern "C" float __nv_##name##f(float x) { return std::name(x); }
#define TWO(name) \
  extern "C" double __nv_##name(double x, double y) { return std::name(x, y); } \
  extern "C" float __nv_##name##f(float x, float y) { return std::name(x, y); }
ONE(atan)
TWO(atan2)
ONE(ceil)
TWO(copysign)
ONE(cos)
ONE(erf)
ONE(exp)
ONE(exp2)
ONE(expm1)
ONE(fabs)
ONE(floor)
TWO(fmax)
TWO(fmin)
TWO(fmod)
TWO(hypot)
ONE(log)
ONE(log10)
ONE(log1p)
ONE(log2)
TWO(pow)
ONE(rint)
ONE(sin)
ONE(sqrt)
ONE(tan)
ONE(tanh)
ONE(trunc)
extern "C" double __nv_powi(double x, int n) { return std::pow(x, n); }
extern "C" float __nv_powif(float x, int n) { return std::pow(x, float(n)); }
extern "C" int __nv_isnand(double x) { return std::isnan(x); }
extern "C" int __nv_isnanf(float x) { return std::isnan(x); }
extern "C" int __nv_isinfd(double x) { return std::isinf(x); }
extern "C" int __nv_isinff(float x) { return std::isinf(x); }
extern "C" int __nv_isfinited(double x) { return std::isfinite(x); }
extern "C" int __nv_finitef(float x) { return std::isfinite(x); }
extern "C" int __nv_abs(int x) { return std::abs(x); }
extern "C" long long __nv_llabs(long long x) { return std::llabs(x); }
extern "C" long long __nv_llrint(double x) { return std::llrint(x); }
