//! hwloc, in a process of its own.
//!
//! libhwloc is opened when it is needed, and asked for one thing only: the machine as XML. That happens in a forked
//! child, because hwloc reads its environment, writes to stderr and, given a strange enough file, ends its process by an
//! assertion; none of that may reach our process. What it says on stderr becomes part of our error.

use std::ffi::{CStr, CString, c_char, c_int, c_ulong, c_void};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;
use std::time::{Duration, Instant};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use numawise_linux::Roots;
use numawise_linux::calls::pages::page_size;

use crate::Error;
use crate::files::shortened;

mod bounds;
#[cfg(test)]
#[path = "hwloc_tests.rs"]
mod tests;

use bounds::Bounds;

/// What hwloc is to describe.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Input<'a> {
    /// This machine, with the parts that we may not use.
    Live,
    /// The text of an XML file.
    Xml(&'a [u8]),
    /// A synthetic description.
    Synthetic(&'a CStr),
}

/// `HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED`: so that we can tell what is kept from us.
const INCLUDE_DISALLOWED: c_ulong = 1 << 0;
/// `HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING` (hwloc 2.5): do not hop over all CPUs to ask each for its CPUID.
const DONT_CHANGE_BINDING: c_ulong = 1 << 6;

/// `HWLOC_TYPE_FILTER_KEEP_IMPORTANT`: of a file the devices too, those that a placement may have to do with. This machine's are read from
/// the kernel's files: hwloc would load the libraries of all vendors, which takes seconds and changes what is seen.
const KEEP_IMPORTANT: c_int = 3;

type Topology = *mut c_void;

/// The functions of libhwloc that we call. The topology stays opaque.
struct Hwloc {
    init: unsafe extern "C" fn(*mut Topology) -> c_int,
    set_flags: unsafe extern "C" fn(Topology, c_ulong) -> c_int,
    set_xmlbuffer: unsafe extern "C" fn(Topology, *const c_char, c_int) -> c_int,
    set_synthetic: unsafe extern "C" fn(Topology, *const c_char) -> c_int,
    set_io_types_filter: unsafe extern "C" fn(Topology, c_int) -> c_int,
    load: unsafe extern "C" fn(Topology) -> c_int,
    export_xmlbuffer: unsafe extern "C" fn(Topology, *mut *mut c_char, *mut c_int, c_ulong) -> c_int,
    _library: Library,
}

impl Hwloc {
    fn open() -> Result<Self, Error> {
        // SAFETY: libhwloc's initialisers only register its components.
        let library = unsafe { Library::open(Some("libhwloc.so.15"), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|e| Error::HwlocMissing { problem: innermost(&e) })?;
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the type of the field is the prototype in hwloc.h of hwloc 2, whose ABI libhwloc.so.15 names.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }
                    .map_err(|_| Error::HwlocTooOld { function: $name })?
            };
        }
        Ok(Hwloc {
            init: function!("hwloc_topology_init"),
            set_flags: function!("hwloc_topology_set_flags"),
            set_xmlbuffer: function!("hwloc_topology_set_xmlbuffer"),
            set_synthetic: function!("hwloc_topology_set_synthetic"),
            set_io_types_filter: function!("hwloc_topology_set_io_types_filter"),
            load: function!("hwloc_topology_load"),
            export_xmlbuffer: function!("hwloc_topology_export_xmlbuffer"),
            _library: library,
        })
    }
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(cause) = error.source() {
        error = cause;
    }
    error.to_string()
}

/// The steps in the child; each is its exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
enum Step {
    Done = 0,
    Begin = 1,
    Accept = 2,
    Load = 3,
    Write = 4,
}

/// The machine as hwloc writes it, XML version 2. `name` is for messages.
pub(crate) fn export(input: Input<'_>, name: &str) -> Result<String, Error> {
    let hwloc = Hwloc::open()?;
    let (reader, writer) = pipe().map_err(Error::Helper)?;
    let said = memory_file().map_err(Error::Helper)?;
    let environment = Environment::prepared();
    let bounds = if matches!(input, Input::Live) { Bounds::LIVE } else { Bounds::FOREIGN };
    let (parent, own) = (std::process::id() as libc::pid_t, address_space());
    // SAFETY: the child calls hwloc, which allocates; glibc keeps malloc usable in the child of a process with threads.
    // Apart from that it makes system calls only, and leaves by _exit.
    let pid = unsafe { libc::fork() };
    match pid {
        -1 => return Err(Error::Helper(io::Error::last_os_error())),
        0 => {
            bounds.enter(parent, own);
            let status = child(&hwloc, input, &environment, writer.as_raw_fd(), said.as_raw_fd());
            // SAFETY: leaves at once, without the exit handlers of the parent.
            unsafe { libc::_exit(status as c_int) }
        }
        _ => drop(writer),
    }
    let read = everything(reader, bounds.wall);
    if !matches!(read, Ok(Some(_))) {
        // SAFETY: our own child, which was not waited for.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    let status = wait(pid).map_err(Error::Helper)?;
    let Some(xml) = read.map_err(Error::Helper)? else {
        return Err(Error::HwlocTooSlow { input: name.to_owned(), limit: bounds.cpu });
    };
    if libc::WIFSIGNALED(status) {
        let (input, signal) = (name.to_owned(), libc::WTERMSIG(status));
        let slow = Bounds::is_out_of_time(signal);
        return Err(if slow {
            Error::HwlocTooSlow { input, limit: bounds.cpu }
        } else {
            Error::HwlocDied { input, signal }
        });
    }
    match libc::WEXITSTATUS(status) {
        0 => {
            // hwloc counts the closing NUL.
            let end = xml.iter().position(|&b| b == 0).unwrap_or(xml.len());
            Ok(String::from_utf8_lossy(&xml[..end]).into_owned())
        }
        status => Err(failed(status, name, &shortened(&words(said)))),
    }
}

/// No description that hwloc writes is longer: 8,192 CPUs take 6 MB.
const LONGEST_ANSWER: usize = 128 << 20;

/// What comes through a pipe; `None` where its end does not come in time, or it never ends.
fn everything(pipe: OwnedFd, time: Duration) -> io::Result<Option<Vec<u8>>> {
    let deadline = Instant::now() + time;
    let mut pipe = File::from(pipe);
    let (mut all, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    while bounds::readable(pipe.as_raw_fd(), deadline)? {
        match pipe.read(&mut piece) {
            Ok(0) => return Ok(Some(all)),
            Ok(n) if all.len() + n > LONGEST_ANSWER => return Ok(None),
            Ok(n) => all.extend_from_slice(&piece[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// The size of our address space, which the child has too; a gibibyte where the kernel does not say.
fn address_space() -> u64 {
    let text = Roots::live().try_text("/proc/self/statm");
    let pages: Option<u64> = text.and_then(|text| text.split(' ').next()?.parse().ok());
    pages.map_or(1 << 30, |pages| pages.saturating_mul(page_size().0))
}

fn failed(status: c_int, name: &str, said: &str) -> Error {
    let (step, expected) = match status {
        s if s == Step::Begin as c_int => ("begin to describe", "enough memory"),
        s if s == Step::Accept as c_int || s == Step::Load as c_int => {
            ("read", "a machine that hwloc accepts; lstopo -i shows whether it does")
        }
        _ => ("write its description of", "enough memory"),
    };
    Error::Hwloc {
        step,
        input: name.to_owned(),
        problem: match said {
            "" => "it gives no reason".to_owned(),
            said => format!("it says \"{said}\""),
        },
        expected,
    }
}

/// Variables for hwloc, made before the fork so that the child need not allocate for them.
struct Environment {
    set: Vec<(CString, CString)>,
    unset: Vec<CString>,
}

impl Environment {
    fn prepared() -> Self {
        let c = |text: &str| CString::new(text).expect("no NUL in a literal");
        let pair = |name, value| (c(name), c(value));
        Environment {
            set: vec![
                // 2: not even critical ones; they would repeat what we say of our own accord.
                pair("HWLOC_HIDE_ERRORS", "2"),
                pair("HWLOC_XML_VERBOSE", "1"),
                pair("HWLOC_SYNTHETIC_VERBOSE", "1"),
                // hwloc leaves out nodes of GPU memory unless told so; we tell them apart by their kind.
                pair("HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES", "1"),
            ],
            // These would put another machine in the place of the one that was asked for.
            unset: [
                "HWLOC_XMLFILE",
                "HWLOC_SYNTHETIC",
                "HWLOC_FSROOT",
                "HWLOC_CPUID_PATH",
                "HWLOC_THISSYSTEM",
            ]
            .map(c)
            .to_vec(),
        }
    }
}

/// What the child does: hwloc from beginning to end, the XML to `out`. Nothing is freed, since the process ends.
fn child(hwloc: &Hwloc, input: Input<'_>, environment: &Environment, out: c_int, said: c_int) -> Step {
    // SAFETY: this process has one thread; descriptors and strings outlive the calls.
    unsafe {
        libc::dup2(said, 1);
        libc::dup2(said, 2);
        for (name, value) in &environment.set {
            libc::setenv(name.as_ptr(), value.as_ptr(), 1);
        }
        for name in &environment.unset {
            libc::unsetenv(name.as_ptr());
        }
    }
    let mut topology: Topology = ptr::null_mut();
    // SAFETY: the calls follow the order that hwloc.h documents, with a topology that hwloc itself made; the buffers
    // are valid for the lengths given.
    unsafe {
        if (hwloc.init)(&mut topology) != 0 {
            return Step::Begin;
        }
        let accepted = match input {
            // Older than 2.5: that flag is refused.
            Input::Live => match (hwloc.set_flags)(topology, INCLUDE_DISALLOWED | DONT_CHANGE_BINDING) {
                0 => 0,
                _ => (hwloc.set_flags)(topology, INCLUDE_DISALLOWED),
            },
            Input::Xml(text) => {
                (hwloc.set_io_types_filter)(topology, KEEP_IMPORTANT);
                (hwloc.set_xmlbuffer)(topology, text.as_ptr().cast(), text.len() as c_int)
            }
            Input::Synthetic(text) => (hwloc.set_synthetic)(topology, text.as_ptr()),
        };
        if accepted != 0 {
            return Step::Accept;
        }
        if (hwloc.load)(topology) != 0 {
            return Step::Load;
        }
        let (mut text, mut length) = (ptr::null_mut(), 0);
        if (hwloc.export_xmlbuffer)(topology, &mut text, &mut length, 0) != 0 {
            return Step::Write;
        }
        write_all(out, text.cast(), length as usize)
    }
}

/// # Safety
/// `text` is valid for `length` bytes.
unsafe fn write_all(out: c_int, text: *const c_void, length: usize) -> Step {
    let mut done = 0;
    while done < length {
        // SAFETY: the rest is inside of what the caller vouches for.
        match unsafe { libc::write(out, text.byte_add(done), length - done) } {
            n if n > 0 => done += n as usize,
            _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            _ => return Step::Write,
        }
    }
    Step::Done
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors; on success they are ours.
    unsafe {
        match libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) {
            0 => Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// A file without a name, for what hwloc says.
fn memory_file() -> io::Result<File> {
    // SAFETY: a NUL-terminated name; on success the descriptor is ours.
    unsafe {
        match libc::memfd_create(c"hwloc".as_ptr(), libc::MFD_CLOEXEC) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(File::from_raw_fd(fd)),
        }
    }
}

fn wait(pid: libc::pid_t) -> io::Result<c_int> {
    let mut status = 0;
    loop {
        // SAFETY: our own child, and room for its status.
        match unsafe { libc::waitpid(pid, &mut status, 0) } {
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            -1 => return Err(io::Error::last_os_error()),
            _ => return Ok(status),
        }
    }
}

/// The first lines of what hwloc said, on one line.
fn words(mut said: File) -> String {
    let mut text = Vec::new();
    // Without its words the error is still told.
    let _ = said.rewind();
    let _ = said.take(4096).read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text);
    let mut lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim_matches(|c: char| c == '*' || c == '#' || c.is_whitespace()))
        .filter(|line| !line.is_empty())
        .take(4)
        .collect();
    // What its small parser adds to every complaint; we have made sure that the XML is one that it takes.
    let common = |line: &str| line.contains("minimalistic parser") || line.contains("full XML support");
    if lines.iter().any(|line| !common(line)) {
        lines.retain(|line| !common(line));
    }
    lines.join("; ")
}
