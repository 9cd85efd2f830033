//! Hostile command lines: thousands of mutated arguments, each within limits; and what outlives the command.

mod arguments;
mod helper;
