//! Where a thread is among the constructs: values that are kept on its stack while it is somewhere else.

use numawise_wire::snapshot::openmp::{ROOT, ROOT_KEY};

/// A construct that a thread is in.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Position {
    pub key: u64,
    /// The key and the depth of the innermost region: what tasks stand in.
    pub region: u64,
    pub row: u32,
    pub depth: u16,
    pub region_depth: u16,
}

impl Position {
    pub const ROOT: Position =
        Position { key: ROOT_KEY, region: ROOT_KEY, row: ROOT, depth: 0, region_depth: 0 };
    pub const NONE: Position = Position { key: 0, ..Position::ROOT };
}

/// A loop or sections that the thread is in.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct OpenLoop {
    /// Where the thread was before; the key is 0 where none is open, or the loop is one with its region.
    pub outside: Position,
    /// The increment; 0: not known.
    pub increment: i64,
}

impl OpenLoop {
    pub const NONE: OpenLoop = OpenLoop { outside: Position::NONE, increment: 0 };
}

/// What was left for a construct.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Before {
    pub position: Position,
    pub state: u32,
    /// When the construct began.
    pub since: u64,
}

/// What a thread was in before it began to wait, or to run a task within a wait.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Wait {
    pub before: Before,
    /// Of a lock: which one; else 0.
    pub lock: u64,
}
