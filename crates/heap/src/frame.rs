//! The frame of the entry.

/// The caller's arguments, the registers that it wants back, and where it goes on.
#[repr(C)]
pub struct Frame {
    pub arguments: [usize; 6],
    /// Of the function.
    pub number: usize,
    /// What is left before the function for after it.
    pub note: usize,
    /// rbx and r12 to r15; on aarch64 x19 to x23.
    pub kept: [usize; 5],
    reserved: usize,
    pub bp: usize,
    /// Where the caller goes on.
    pub ip: usize,
}

impl Frame {
    pub fn address(&self) -> usize {
        core::ptr::from_ref(self).expose_provenance()
    }

    /// The caller's stack pointer when it goes on.
    pub fn sp(&self) -> usize {
        self.address() + size_of::<Frame>()
    }

    pub fn argument(&self, number: usize) -> usize {
        self.arguments.get(number).copied().unwrap_or_default()
    }
}
