//! This process becomes the program.

use std::cell::Cell;
use std::convert::Infallible;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use numawise_facts::{RunSpec, TaskPlacement};
use numawise_linux::calls::{affinity, inherited};
use numawise_linux::raw::{self, Errno};

use crate::policy::policy;
use crate::{Change, LaunchError, pages, path};

/// Places this process as `task` says, applies `changes` to the environment, and becomes the program of `spec`. Comes
/// back only with an error.
///
/// Must be called while this process has one thread: the mask and the policy are those of the calling thread. The program gets the
/// signals and the streams with which this process was started ([`inherited`]).
///
/// # Errors
/// What failed. The mask and the policy of this process may have been changed by then.
pub fn exec_in_place(
    spec: &RunSpec,
    task: &TaskPlacement,
    changes: &[Change],
) -> Result<Infallible, LaunchError> {
    let words = Words::new(spec, task, changes)?;
    enter(&spec.directory)?;
    if let Some(policy) = policy(&task.memory) {
        let source = io::Error::from_raw_os_error;
        policy.set_own().map_err(|errno| LaunchError::MemoryPolicy {
            plan: task.memory.clone(),
            source: source(errno),
        })?;
    }
    pages::apply(task.memory.pages).map_err(|errno| LaunchError::Pages {
        pages: task.memory.pages,
        source: io::Error::from_raw_os_error(errno),
    })?;
    if must_set_affinity(task) {
        raw::set_affinity(0, task.cpus.words()).map_err(|errno| LaunchError::Affinity {
            cpus: task.cpus.clone(),
            source: io::Error::from_raw_os_error(errno),
        })?;
    }
    inherited::give_back_signals();
    let errno = words.exec();
    Err(words.explain(&spec.directory, errno))
}

/// Changes the directory, unless we are there already, as `numawise run` always is.
fn enter(directory: &Path) -> Result<(), LaunchError> {
    if directory.as_os_str().is_empty() || directory == Path::new(".") {
        return Ok(());
    }
    std::env::set_current_dir(directory)
        .map_err(|source| LaunchError::Directory { directory: directory.to_owned(), source })
}

/// A plan without CPUs, or with those that we have, needs no call.
pub fn must_set_affinity(task: &TaskPlacement) -> bool {
    !task.cpus.is_empty() && !affinity::own().is_ok_and(|now| now == task.cpus)
}

/// Program, arguments and environment as execve takes them.
pub struct Words {
    program: OsString,
    search: OsString,
    /// The files to try, in the order of PATH.
    candidates: Vec<CString>,
    arguments: Vec<*const libc::c_char>,
    /// The arguments of the shell that runs a script without a first line; the second is the script.
    shell: Vec<Cell<*const libc::c_char>>,
    /// `None` for our own as it is.
    environment: Option<Vec<*const libc::c_char>>,
    // What the pointers point into. A CString keeps its bytes on the heap: moving it does not move them.
    _strings: [Vec<CString>; 2],
}

const SHELL: &CStr = c"/bin/sh";

unsafe extern "C" {
    /// environ(7): pointers to `NAME=VALUE`, then null.
    static environ: *const *const libc::c_char;
}

impl Words {
    pub fn new(spec: &RunSpec, task: &TaskPlacement, changes: &[Change]) -> Result<Words, LaunchError> {
        let command = spec.for_task(task.threads.len() as u32, task.task);
        let program = command.first().ok_or(LaunchError::EmptyCommand)?.clone();
        // A name with a slash is not searched for.
        let search = if path::is_named(&program) { OsString::new() } else { path::search() };
        let arguments = command.into_iter().map(c_string).collect::<Result<Vec<_>, _>>()?;
        let variables = match changes {
            [] => None,
            _ => Some(variables(changes).into_iter().map(c_string).collect::<Result<Vec<_>, _>>()?),
        };
        let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
            strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect()
        };
        let argument_pointers = pointers(&arguments);
        let shell =
            [SHELL.as_ptr(), std::ptr::null()].into_iter().chain(argument_pointers[1..].iter().copied());
        Ok(Words {
            candidates: path::candidates(&program, &search).map(c_string).collect::<Result<_, _>>()?,
            shell: shell.map(Cell::new).collect(),
            arguments: argument_pointers,
            environment: variables.as_deref().map(pointers),
            _strings: [arguments, variables.unwrap_or_default()],
            program,
            search,
        })
    }

    /// Leaves out where no file is, relative to `directory`: each call that finds none would be in the time of the program.
    pub fn without_missing(mut self, directory: &Path) -> Words {
        let is_there = |file: &CString| {
            let path = directory.join(OsStr::from_bytes(file.as_bytes()));
            !path.metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        let there: Vec<CString> = self.candidates.iter().filter(|file| is_there(file)).cloned().collect();
        if !there.is_empty() {
            self.candidates = there;
        }
        self
    }

    /// Becomes the program, as execvp does it; gives the errno when that fails. Makes only system calls, so it may stand
    /// between fork and exec.
    ///
    /// One thing differs from execvp: a file that begins like a program of another system is not given to the shell,
    /// which would take it for a script and complain of its syntax.
    pub fn exec(&self) -> Errno {
        let mut result = libc::ENOENT;
        for file in &self.candidates {
            match self.execve(file, self.arguments.as_ptr()) {
                libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ENODEV | libc::ETIMEDOUT => {}
                libc::EACCES => result = libc::EACCES,
                libc::ENOEXEC if !begins_like_a_program(file) => {
                    self.shell[1].set(file.as_ptr());
                    return self.execve(SHELL, self.shell.as_ptr().cast());
                }
                errno => return errno,
            }
        }
        result
    }

    fn execve(&self, file: &CStr, arguments: *const *const libc::c_char) -> Errno {
        // SAFETY: the C library's own list, read as its execv does; nobody changes it meanwhile (`set_var` is unsafe).
        let environment = self.environment.as_ref().map_or_else(|| unsafe { environ }, |list| list.as_ptr());
        // SAFETY: the lists end with a null pointer, and their strings live as long as `self` or the process.
        unsafe { libc::execve(file.as_ptr(), arguments, environment) };
        raw::errno()
    }

    /// What the errno of [`Words::exec`] means.
    pub fn explain(&self, directory: &Path, errno: Errno) -> LaunchError {
        path::explain(&self.program, directory, &self.search, io::Error::from_raw_os_error(errno))
    }
}

fn begins_like_a_program(file: &CStr) -> bool {
    let mut head = [0u8; 4];
    // SAFETY: the path is a live string, the buffer is live and its size is given; the descriptor is closed again.
    let length = unsafe {
        let descriptor = libc::open(file.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let length = libc::read(descriptor, head.as_mut_ptr().cast(), head.len());
        libc::close(descriptor);
        length
    };
    length > 0 && head[..length as usize].iter().any(|byte| *byte == 0 || *byte == 0x7f)
}

/// Our environment with the changes, as `NAME=VALUE`.
fn variables(changes: &[Change]) -> Vec<OsString> {
    let changed = |name: &OsStr| changes.iter().any(|change| OsStr::new(change.name) == name);
    let kept = std::env::vars_os().filter(|(name, _)| !changed(name));
    let new = changes.iter().filter_map(|change| Some((change.name.into(), change.value.as_ref()?.into())));
    kept.chain(new).map(|(name, value)| joined(name, value)).collect()
}

fn joined(mut name: OsString, value: OsString) -> OsString {
    name.push("=");
    name.push(value);
    name
}

fn c_string(text: OsString) -> Result<CString, LaunchError> {
    CString::new(text.into_vec())
        .map_err(|error| LaunchError::ZeroByte(String::from_utf8_lossy(&error.into_vec()).into_owned()))
}

#[cfg(test)]
mod tests {
    use numawise_facts::{Argument, MemoryPlan};
    use numawise_units::TaskId;

    use super::*;

    #[test]
    fn only_files_that_are_there_are_tried_and_all_where_none_is() {
        let files = |program: &str, directory: &str| {
            let spec = RunSpec { command: vec![Argument::from(program)], directory: directory.into() };
            let task = TaskPlacement {
                task: TaskId(0),
                cpus: Default::default(),
                threads: vec![],
                memory: MemoryPlan::default_policy(),
                gpus: Vec::new(),
            };
            let words = Words::new(&spec, &task, &[]).unwrap();
            let all = words.candidates.len();
            let left = words.without_missing(Path::new(directory)).candidates;
            (all, left.into_iter().map(|file| file.into_string().unwrap()).collect::<Vec<_>>())
        };
        let (all, there) = files("sh", "/");
        assert!(!there.is_empty() && there.iter().all(|file| Path::new(file).exists()), "{there:?}");
        assert!(
            all > there.len() || std::env::var("PATH").is_ok_and(|path| !path.contains(':')),
            "{there:?}"
        );
        let (all, left) = files("no-such-program-anywhere", "/");
        assert_eq!(left.len(), all);
        assert_eq!(files("./sh", "/bin").1, ["./sh"]);
    }
}
