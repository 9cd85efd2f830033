#[path = "residency_tests/invariants.rs"]
mod invariants;
#[path = "residency_tests/looks.rs"]
mod looks;
#[path = "residency_tests/places.rs"]
mod places;
