//! What [`super::entry`] saves of a call, on the stack of its caller.

/// Arguments that go in registers.
#[cfg(target_arch = "x86_64")]
pub const REGISTERS: usize = 6;
#[cfg(target_arch = "aarch64")]
pub const REGISTERS: usize = 8;

/// One call in progress. Its place and its order are those of `entry`.
#[repr(C)]
pub struct Frame {
    /// Tells, while the call is in progress, that the frame is still there: see [`Frame::is_alive`].
    cookie: usize,
    /// [`Frame::call`], [`Frame::layer`] and [`Frame::is_watched`].
    number: u64,
    /// When the call began, in ticks, and the state before it.
    pub since: u64,
    pub previous: u64,
    /// What the real function gave.
    pub result: u64,
    /// A status of ours, where the program wants none.
    pub status: [u64; 4],
    /// A handle that the call will change.
    pub handle: u64,
    registers: [usize; REGISTERS],
    frame_pointer: usize,
    /// The address to which the call returns. The arguments that did not go in registers follow.
    pub site: usize,
}

pub const FRAME_BYTES: usize = size_of::<Frame>() - 16;

const COOKIE: usize = 0x6e77_6d70_6963_616c;

impl Frame {
    pub fn call(&self) -> usize {
        (self.number & 0xffff) as usize
    }

    pub fn layer(&self) -> usize {
        (self.number >> 16 & 0xff) as usize
    }

    /// Whether requests of the call are looked at when it ends.
    pub fn is_watched(&self) -> bool {
        self.number >> 32 != 0
    }

    pub fn watch(&mut self) {
        self.number |= 1 << 32;
    }

    pub fn address(&self) -> usize {
        (&raw const *self).addr()
    }

    /// An argument as the register or the stack has it: of an int, the upper half may hold anything.
    #[inline]
    pub fn argument(&self, number: u8) -> usize {
        match self.registers.get(usize::from(number)) {
            Some(argument) => *argument,
            None => {
                let behind = usize::from(number) - REGISTERS + 1;
                // SAFETY: the table says that the function has this argument, so the caller put it there.
                unsafe { (&raw const self.site).add(behind).read() }
            }
        }
    }

    /// Gives the real function another argument than the caller did.
    pub fn set_argument(&mut self, number: u8, value: usize) {
        match self.registers.get_mut(usize::from(number)) {
            Some(argument) => *argument = value,
            None => {
                let behind = usize::from(number) - REGISTERS + 1;
                // SAFETY: as above; the words of arguments belong to the function that is called.
                unsafe { (&raw mut self.site).add(behind).write(value) };
            }
        }
    }

    pub fn begin(&mut self) {
        self.cookie = COOKIE ^ self.address();
    }

    pub fn end(&mut self) {
        self.cookie = 0;
    }

    /// Whether the call with its frame at this address is still in progress: an exception or longjmp may have left it, and other
    /// calls may have used its part of the stack.
    ///
    /// # Safety
    /// It must be where a frame of this thread once was.
    pub unsafe fn is_alive(address: usize) -> bool {
        let frame = core::ptr::with_exposed_provenance::<Frame>(address);
        // SAFETY: a part of this thread's stack, which stays mapped.
        unsafe { (&raw const (*frame).cookie).read_volatile() == COOKIE ^ address }
    }
}
