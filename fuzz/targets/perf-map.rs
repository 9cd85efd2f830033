#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| numawise_hostile::hold("perf-map", input));
