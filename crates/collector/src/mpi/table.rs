//! What the table says of a call: see mpi.table.

use numawise_wire::trace::CallKind;

/// What the sizes of a call's messages are counted with.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Sizes {
    Send = 0,
    Receive = 1,
    Collective = 2,
    OneSided = 3,
    File = 4,
    Nothing = 255,
}

/// How many bytes a side of a call has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    Nothing,
    Each,
    One,
    Partitions,
    All,
    Root,
    Other,
    AllAtRoot,
    Sum,
    SumAtRoot,
    Weighted,
    Mine,
    Degree,
    DegreeSum,
    DegreeWeighted,
    Status,
    Request,
}

/// What a call changes for later ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Nothing,
    Init,
    Finalize,
    Abort,
    Control,
    Session,
    SessionEnd,
    CommFree,
    RequestFree,
    Start,
    StartAll,
    Wait,
    Test,
    WaitAll,
    TestAll,
    WaitAny,
    TestAny,
    WaitSome,
    Receive,
    Read,
    PersistentSend,
    PersistentReceive,
    PersistentCollective,
    /// Partitions of a message may go.
    Ready,
    Probe,
    Matched,
    Window,
    WindowFree,
    WindowFence,
    WindowPost,
    WindowStart,
    WindowComplete,
    WindowWait,
    WindowLock,
    WindowUnlock,
    WindowLockAll,
    WindowUnlockAll,
    /// It needs all ranks of its communicator, and moves nothing of the program's.
    AllRanks,
}

/// An argument that is looked at.
#[derive(Clone, Copy)]
#[repr(usize)]
pub enum Role {
    Count = 0,
    Type = 1,
    ReceiveCount = 2,
    ReceiveType = 3,
    /// Of a receive with a request, the source.
    Destination = 4,
    /// A window, or where a new one is written.
    Window = 5,
    Root = 6,
    Communicator = 7,
    Request = 8,
    Status = 9,
    SendBuffer = 10,
    ReceiveBuffer = 11,
    /// Of requests, or of partitions; or the first partition.
    Number = 12,
    Flag = 13,
    /// Of a request; or the last partition.
    Index = 14,
    /// Indices; the level that MPI_Init_thread gives; the level of MPI_Pcontrol; a matched message; what lock of a window; a group.
    Indices = 15,
    /// Of a message that is sent.
    Tag = 16,
}

/// A call.
pub struct Call {
    pub arguments: u8,
    /// Strings among them.
    pub strings: u8,
    /// Counts have 64 bits.
    pub wide: bool,
    pub sizes: Sizes,
    pub sent: Amount,
    pub received: Amount,
    pub effect: Effect,
    /// Where the argument of each role is; 255: there is none.
    pub at: [u8; 17],
}

impl Call {
    /// It returns when its part is done, and all ranks of its communicator, or one other, take part.
    #[inline]
    pub fn is_blocking(&self) -> bool {
        self.place(Role::Request).is_none() && !self.is_among_neighbours()
    }

    /// It begins what ranks of its communicator take part in, and another call ends.
    #[inline]
    pub fn begins_collective(&self) -> bool {
        self.sizes == Sizes::Collective
            && self.effect == Effect::Nothing
            && self.place(Role::Request).is_some()
    }

    /// It is one of the collective calls of its communicator, in the same order in all of the ranks, though each may need its neighbours only.
    #[inline]
    pub fn is_among_all(&self) -> bool {
        self.sizes == Sizes::Collective && self.place(Role::Request).is_none()
            || self.begins_collective()
            || matches!(self.effect, Effect::AllRanks | Effect::Window | Effect::PersistentCollective)
    }

    /// None: it begins or ends MPI, or names phases.
    pub fn kind(&self) -> Option<CallKind> {
        use Effect::{
            Abort, CommFree, Control, Finalize, Init, Nothing, Session, SessionEnd, WindowComplete,
            WindowFence, WindowFree, WindowLock, WindowLockAll, WindowPost, WindowStart, WindowUnlock,
            WindowUnlockAll, WindowWait,
        };
        Some(match (self.effect, self.sizes) {
            (Init | Finalize | Abort | Control | Session | SessionEnd, _) => return None,
            (
                WindowFree | WindowFence | WindowPost | WindowStart | WindowComplete | WindowWait
                | WindowLock | WindowUnlock | WindowLockAll | WindowUnlockAll,
                _,
            )
            | (_, Sizes::OneSided) => CallKind::OneSided,
            (_, Sizes::File) => CallKind::Files,
            (Effect::AllRanks | Effect::Window | Effect::PersistentCollective | CommFree, _)
            | (_, Sizes::Collective) => CallKind::Collective,
            (Nothing, Sizes::Nothing) => CallKind::Others,
            _ => CallKind::PointToPoint,
        })
    }

    #[inline]
    pub fn is_among_neighbours(&self) -> bool {
        use Amount::{Degree, DegreeSum, DegreeWeighted};
        [self.sent, self.received].iter().any(|amount| matches!(amount, Degree | DegreeSum | DegreeWeighted))
    }

    #[inline]
    pub fn place(&self, role: Role) -> Option<u8> {
        self.at.get(role as usize).copied().filter(|place| *place != u8::MAX)
    }
}

/// Defines the functions of each call: its number, and its names in the order of the layers.
macro_rules! wrappers {
    ($($call:literal: $c:ident $p:ident $f:ident $g:ident $u:ident $f08:ident $f08ts:ident;)*) => {
        $(
            wrappers!(@one $c, $call);
            wrappers!(@one $p, 0x1_0000 + $call);
            wrappers!(@one $f, 0x2_0000 + $call);
            wrappers!(@one $g, 0x3_0000 + $call);
            wrappers!(@one $u, 0x4_0000 + $call);
            wrappers!(@one $f08, 0x5_0000 + $call);
            wrappers!(@one $f08ts, 0x6_0000 + $call);
        )*
    };
    (@one $name:ident, $number:expr) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(non_snake_case)]
        extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                "mov r11d, {number}",
                "jmp numawise_collector_mpi_call",
                number = const $number,
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                "mov w16, #{low}",
                "movk w16, #{high}, lsl #16",
                "b numawise_collector_mpi_call",
                low = const $number & 0xffff,
                high = const $number >> 16,
            );
        }
    };
}
pub(super) use wrappers;
