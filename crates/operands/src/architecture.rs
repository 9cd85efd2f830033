//! Whose code it is.

/// The instruction set of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Architecture {
    X86_64,
    Aarch64,
}

impl Architecture {
    /// That of the programs which run where this was compiled for; nothing where their code is not decoded.
    pub const fn native() -> Option<Architecture> {
        if cfg!(target_arch = "x86_64") {
            Some(Architecture::X86_64)
        } else if cfg!(target_arch = "aarch64") {
            Some(Architecture::Aarch64)
        } else {
            None
        }
    }
}
