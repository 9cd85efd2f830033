#[path = "residency_tests/invariants.rs"]
mod invariants;
#[path = "residency_tests/places.rs"]
mod places;
#[path = "residency_tests/samples.rs"]
mod samples;
