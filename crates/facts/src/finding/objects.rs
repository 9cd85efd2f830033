//! What findings rest on of memory objects.

use numawise_units::{Bytes, NodeId, NodeSet};
use serde::Serialize;

use crate::Reading;
use crate::activity::CodePlace;
use crate::objects::{ObjectCure, ObjectKind};

/// What a piece of evidence of an object is a value of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectQuantity {
    /// Share of the time that threads wait for memory in which they wait for the object.
    MemoryTimeOfObject,
    /// The same where passes of loops are counted instead of waiting: share of the accesses that are to it.
    AccessesOfObject,
    /// The same two where a finding of the whole program names the object; unavailable where it is not known, and then it is the size that
    /// ranks it. `of`: the bytes of the object.
    NamedByTime,
    NamedByAccesses,
    /// Share of the page faults of the object that one thread took.
    FaultsOfObjectByThread,
    /// Share of the pages of the object that lie on one node.
    ObjectOnNode,
    /// Share of the time with the object that threads of other nodes have than the one where most of it lies.
    UsedFromElsewhere,
    /// Share of the time with the object in which the page was on another node than the CPU.
    RemoteUse,
    /// Share of the time with the object that threads of one node have.
    UsedFromNode,
    /// Share of the time with the object that one thread has.
    UsedByThread,
    /// Where several nodes use the object: the share of its use by the node that uses a part of it most, on average over its parts.
    /// 1 where the nodes divide it among them, 1 / nodes where all use all of it.
    PartsOfNodes,
    /// The same of its pages.
    PagesOfNodes,
    /// The same of lines of its pages, of 64 to the page.
    LinesOfNodes,
    /// Share of the memory of the object that lies in huge pages.
    HugePagesOfObject,
    /// What the object has at its peak; `of`: what pages that are not huge reach of it at once, in the largest TLB known.
    SizeOfObject,
    /// Share of the time that threads wait for memory in which they wait for one of the objects that fit into the fast memory.
    MemoryTimeOfChoice,
}

/// What a piece of evidence speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectSubject {
    /// The object itself.
    WholeObject,
    ThreadOfObject {
        /// By when it was first seen.
        number: u32,
        node: Option<NodeId>,
    },
    NodeOfObject {
        node: NodeId,
    },
    /// One of several, by what tells it from the others.
    NamedObject(Box<NamedObject>),
}

/// An object that a finding of the whole program names, with the lines that have to do with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedObject {
    pub name: Reading<String>,
    pub kind: ObjectKind,
    pub allocated: Reading<CodePlace>,
    /// The thread that touched nearly all of it first, by when it was first seen; unavailable where several did.
    pub touched_by: Reading<u32>,
    /// Where most of that was.
    pub touched_at: Reading<CodePlace>,
    /// Where most of its use is.
    pub used_at: Reading<CodePlace>,
}

/// What to do about an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectAdvice {
    /// Let the threads that use a part touch it first, in a loop that is divided as this one.
    TouchWhereUsed { used_at: Reading<CodePlace> },
    /// The same of a named one, which is touched first elsewhere now.
    InitialiseObject(Box<NamedObject>),
    /// Spread its pages over the nodes.
    InterleaveObject { nodes: NodeSet },
    /// Have the thread that uses it allocate and touch it.
    TouchByUser { number: u32 },
    /// Put it on the node of those who use it.
    PutOnNode { node: NodeId },
    /// Put it into the fast memory.
    PutIntoFastMemory { nodes: NodeSet },
    /// Give the parts that different nodes use pages of their own.
    SeparatePages { page: Reading<Bytes> },
    /// Have it in huge pages. `from_outside`: it comes from an allocator, which takes huge pages without a change of the program.
    UseHugePages { from_outside: bool },
}

impl ObjectAdvice {
    /// What of it can be tried.
    pub fn cure(&self) -> ObjectCure {
        match self {
            ObjectAdvice::TouchWhereUsed { .. }
            | ObjectAdvice::TouchByUser { .. }
            | ObjectAdvice::InitialiseObject(_) => ObjectCure::TouchWhereUsed,
            ObjectAdvice::InterleaveObject { .. } => ObjectCure::Interleave,
            ObjectAdvice::PutOnNode { .. } => ObjectCure::PutOnNode,
            ObjectAdvice::PutIntoFastMemory { .. } => ObjectCure::PutIntoFastMemory,
            ObjectAdvice::SeparatePages { .. } => ObjectCure::SeparatePages,
            ObjectAdvice::UseHugePages { .. } => ObjectCure::HugePages,
        }
    }
}
