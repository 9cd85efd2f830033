mod invariants;
mod looks;
mod places;
