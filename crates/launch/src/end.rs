//! Our own end, as that of the program that we stood in for.

use numawise_facts::Exit;

/// Ends this process by the signal that ended its program; comes back where none did, or where it does not end us. Launchers tell a rank
/// that was killed from one that left with a status: mpiexec of MPICH may wait for ever for other computers where it hears the latter of a
/// rank that had not left MPI.
pub fn end_by_signal(exit: Exit) {
    let Exit::Signal(signal) = exit else { return };
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: system calls of this process about itself, with live structures; zeros are a value of a set of signals.
    unsafe {
        // The program has left a core where it was to leave one.
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::signal(signal, libc::SIG_DFL);
        let mut only: libc::sigset_t = std::mem::zeroed();
        libc::sigaddset(&raw mut only, signal);
        libc::kill(libc::getpid(), signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const only, std::ptr::null_mut());
    }
}
