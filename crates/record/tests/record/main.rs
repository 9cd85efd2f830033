//! The record seen from outside: what is written comes back, whatever happens on the way.

mod broken;
mod builds;
mod foreign;
mod format;
mod full;
mod kill;
mod killer;
mod objects;
mod roundtrip;
mod same;
mod sample;
mod series;
mod watched;
