//! The machine that we run on, as a use case needs it.
