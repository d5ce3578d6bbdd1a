//! The body on files of LIBSVM, steered by a fuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kern_campaign::fuzz("libsvm", bytes));
