//! How many bytes a call hands over and takes in, from its arguments and the table.

use core::ffi::c_int;

use numawise_wire::trace::ROOT_ITSELF;

use super::abi::{self, Abi};
use super::communicators::{self, Comm};
use super::frame::Frame;
use super::functions;
use super::table::{Amount, Call, Role};

/// A call that MPI accepted, so that what its arguments point to is there.
pub struct Accepted<'a> {
    pub abi: &'a Abi,
    pub call: &'a Call,
    pub frame: &'a Frame,
    /// The handle of the communicator, and what we know of it.
    pub handle: u64,
    pub comm: Option<Comm>,
}

/// The arguments of one side: its counts and its types.
#[derive(Clone, Copy)]
struct Side {
    count: Option<u8>,
    kind: Option<u8>,
    /// 1 where it hands over to neighbours, 0 where it takes in.
    direction: usize,
}

impl Accepted<'_> {
    pub fn sent(&self) -> u64 {
        let (send, receive) = self.sides();
        let in_place = self.is_in_place(Role::SendBuffer);
        self.bytes(self.call.sent, if in_place { receive } else { send }.to(1))
    }

    pub fn received(&self) -> u64 {
        let (send, receive) = self.sides();
        let in_place = self.is_in_place(Role::ReceiveBuffer);
        self.bytes(self.call.received, if in_place { send } else { receive }.to(0))
    }

    fn sides(&self) -> (Side, Side) {
        let place = |role| self.call.place(role);
        let send = Side { count: place(Role::Count), kind: place(Role::Type), direction: 0 };
        let receive = Side { count: place(Role::ReceiveCount), kind: place(Role::ReceiveType), direction: 0 };
        // One pair of arguments is for both, as in an Allreduce.
        (send, if receive.kind.is_some() { receive } else { send })
    }

    fn is_in_place(&self, role: Role) -> bool {
        self.call.place(role).is_some_and(|place| self.frame.argument(place) == self.abi.in_place)
    }

    fn bytes(&self, amount: Amount, side: Side) -> u64 {
        let size = || self.comm.map_or(0, Comm::size);
        // As MPI has them now: it has read so much of the program's arrays, and we read the same.
        let ranks = || communicators::size_now(self.handle);
        let degree = || communicators::neighbours_now(self.handle, side.direction);
        match amount {
            Amount::Nothing | Amount::Status | Amount::Request => 0,
            Amount::Each if self.is_to_nobody() || self.has_no_part() => 0,
            Amount::Each => self.each(side),
            Amount::One if self.is_to_nobody() => 0,
            Amount::One => self.type_size(side),
            Amount::Partitions => {
                let parts =
                    self.call.place(Role::Number).map_or(0, |place| self.frame.argument(place) as u32);
                self.each(side).wrapping_mul(parts.into())
            }
            Amount::All => self.each(side).wrapping_mul(size()),
            Amount::Root => self.at_root(true, || self.each(side)),
            Amount::Other => self.at_root(false, || self.each(side)),
            Amount::AllAtRoot => self.at_root(true, || self.each(side).wrapping_mul(size())),
            Amount::Sum => self.sum(side, ranks()),
            Amount::SumAtRoot => self.at_root(true, || self.sum(side, ranks())),
            Amount::Weighted => self.weighted(side, ranks()),
            Amount::Mine => {
                let count = self.count_in(side, communicators::rank_now(self.handle));
                self.of_type(count, side)
            }
            Amount::Degree => self.each(side).wrapping_mul(degree()),
            Amount::DegreeSum => self.sum(side, degree()),
            Amount::DegreeWeighted => self.weighted(side, degree()),
        }
    }

    /// Whether it goes to `MPI_PROC_NULL`, which is negative.
    pub fn is_to_nobody(&self) -> bool {
        self.rank(Role::Destination).is_some_and(|rank| rank < 0)
    }

    /// In an intercommunicator the group of the root has arguments that mean nothing.
    fn has_no_part(&self) -> bool {
        self.comm.is_some_and(Comm::is_inter) && self.rank(Role::Root).is_some_and(|root| root < 0)
    }

    /// The root in the communicator; of two groups, that in the other one, or [`ROOT_ITSELF`].
    pub fn root(&self) -> Option<c_int> {
        let root = self.rank(Role::Root)?;
        if root >= 0 {
            return Some(root);
        }
        (root == self.abi.root).then_some(ROOT_ITSELF)
    }

    /// An argument that is a rank.
    pub fn rank(&self, role: Role) -> Option<c_int> {
        self.call.place(role).map(|place| self.frame.argument(place) as c_int)
    }

    fn at_root(&self, wanted: bool, bytes: impl Fn() -> u64) -> u64 {
        let (Some(root), Some(comm)) = (self.rank(Role::Root), self.comm) else { return 0 };
        let is_root = if comm.is_inter() {
            // MPI_PROC_NULL, which is negative too, has no part; a rank is the root in the other group.
            if root < 0 && root != self.abi.root {
                return 0;
            }
            root == self.abi.root
        } else {
            i64::from(root) == i64::from(comm.rank())
        };
        if is_root == wanted { bytes() } else { 0 }
    }

    fn each(&self, side: Side) -> u64 {
        let Some(place) = side.count else { return 0 };
        let argument = self.frame.argument(place);
        let count = if self.call.wide { argument as i64 } else { i64::from(argument as c_int) };
        self.of_type(count.max(0).cast_unsigned(), side)
    }

    /// Bytes of so many. Of none, the type may be no type.
    fn of_type(&self, count: u64, side: Side) -> u64 {
        if count == 0 { 0 } else { count.wrapping_mul(self.type_size(side)) }
    }

    /// A count of an array.
    fn count_in(&self, side: Side, number: usize) -> u64 {
        let Some(place) = side.count else { return 0 };
        let array = self.frame.argument(place);
        // SAFETY: MPI has read as many counts as the communicator has ranks or neighbours.
        let count = unsafe {
            if self.call.wide {
                core::ptr::with_exposed_provenance::<i64>(array).add(number).read()
            } else {
                i64::from(core::ptr::with_exposed_provenance::<c_int>(array).add(number).read())
            }
        };
        count.max(0).cast_unsigned()
    }

    fn sum(&self, side: Side, ranks: u64) -> u64 {
        let counts = (0..ranks as usize).map(|rank| self.count_in(side, rank)).fold(0, u64::wrapping_add);
        self.of_type(counts, side)
    }

    fn weighted(&self, side: Side, ranks: u64) -> u64 {
        let Some(types) = side.kind.map(|place| self.frame.argument(place)) else { return 0 };
        (0..ranks as usize).fold(0, |bytes, rank| {
            let count = self.count_in(side, rank);
            if count == 0 {
                return bytes;
            }
            // SAFETY: as for the counts.
            let size = size_of_type(self.abi, unsafe { self.abi.stored(types, rank) });
            bytes.wrapping_add(count.wrapping_mul(size))
        })
    }

    fn type_size(&self, side: Side) -> u64 {
        side.kind.map_or(0, |place| size_of_type(self.abi, self.abi.passed(self.frame.argument(place))))
    }
}

impl Side {
    fn to(self, direction: usize) -> Side {
        Side { direction, ..self }
    }
}

/// The size of a type that MPI has just accepted.
#[inline]
fn size_of_type(abi: &Abi, handle: u64) -> u64 {
    if let Some(size) = abi.size_in_handle(handle) {
        return size;
    }
    // What is null where it means nothing would be an error, with the program's own handler.
    if handle == abi::null_type() {
        return 0;
    }
    // SAFETY: the function is of this type, and the handle valid.
    let size = unsafe { functions::TYPE_SIZE.number(handle) };
    u64::try_from(size.unwrap_or(0)).unwrap_or(0)
}
