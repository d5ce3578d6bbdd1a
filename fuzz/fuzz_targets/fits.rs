//! The body on fits of all learners, steered by a fuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kern_campaign::fuzz("fits", bytes));
