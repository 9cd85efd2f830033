//! The functions of C's maths library that the binary needs, linked in.
//!
//! `f64::ln` and its like call them by these names. The C library's own come as a shared library, which every start of
//! `numawise run` would find, map and put right, for a statistic that it never computes (docs/decisions/0003-start-up.md).
//! A function that is missing here is found in the shared library, as ever: only the start is slower then, and
//! `scripts/bench-run` says so.

macro_rules! linked_in {
    ($($name:ident($($argument:ident),+);)+) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: f64),+) -> f64 {
            libm::$name($($argument),+)
        }
    )+};
}

linked_in! {
    exp(x);
    exp2(x);
    expm1(x);
    log(x);
    log10(x);
    log1p(x);
    log2(x);
    pow(x, y);
    sin(x);
}
