//! A file that is written in full before it gets its name.
//!
//! Where the file system can, it has no name at all until then (`O_TMPFILE`), and is gone with a process that is killed. Elsewhere
//! (NFS, FAT, older overlays), and in the moment in which it takes the place of another file, its name is
//! `.numawise-RANDOM.part`: made with `O_EXCL`, so that no link is followed, and locked by its maker. One whose maker is dead
//! has no lock; the next draft in that folder removes it.

use std::ffi::{CString, OsStr};
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use crate::calls::lock::{WriterClaim, claim_writer};

#[cfg(test)]
#[path = "draft_tests.rs"]
mod tests;

/// What may be done with a new file, before the umask takes its part: what others measured here is not for everybody.
const WIDEST_MODE: u32 = 0o640;
/// The kernel follows as many links.
const MOST_LINKS: usize = 40;
/// Somebody may clean up a draft between its making and its lock; not so many times in a row.
const ATTEMPTS: usize = 8;

/// A file on its way to a path. It holds the writer's lock from the beginning; dropped before it is placed, it is gone.
#[derive(Debug)]
pub struct Draft {
    file: File,
    /// Where it lies meanwhile; nowhere, where the file system can do that.
    part: Option<PathBuf>,
    target: PathBuf,
}

impl Draft {
    /// Begins a file that is to stand at `path`, or where a link at `path` leads.
    ///
    /// # Errors
    /// When no file can be made in that folder.
    pub fn of(path: &Path) -> io::Result<Draft> {
        let target = behind_links(path)?;
        if target.file_name().is_none() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        let folder = folder_of(&target);
        sweep(folder);
        match unnamed(folder) {
            Ok(file) => Ok(Draft { file, part: None, target }),
            Err(error) if has_no_unnamed_files(&error) => Draft::named(target),
            Err(error) => Err(error),
        }
    }

    fn named(target: PathBuf) -> io::Result<Draft> {
        for _ in 0..ATTEMPTS {
            let part = new_name(folder_of(&target));
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .mode(WIDEST_MODE)
                .custom_flags(libc::O_NOFOLLOW)
                .open(&part)?;
            let draft = Draft { file, part: Some(part), target: target.clone() };
            // Nobody removes it from here on, if nobody has.
            let locked = claim_writer(&draft.file)? != WriterClaim::HeldByAnother;
            if locked && draft.file.metadata()?.nlink() > 0 {
                return Ok(draft);
            }
        }
        Err(io::Error::from(io::ErrorKind::ResourceBusy))
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Gives it its name. What stands there already stays.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], or why it could not be written; nothing is left then.
    pub fn place_new(mut self) -> io::Result<File> {
        self.file.sync_all()?;
        match &self.part {
            None => {
                if let Err(error) = link(&self.file, &self.target) {
                    return match error.kind() {
                        io::ErrorKind::AlreadyExists => Err(error),
                        _ => self.with_a_name()?.place_new(),
                    };
                }
            }
            Some(part) => {
                rename_new(part, &self.target)?;
                self.part = None;
            }
        }
        self.placed()
    }

    /// Puts it in the place of what stands there, if anything does: the file has then no more rights than that one had.
    ///
    /// # Errors
    /// Why it could not be written. What stood there is then untouched, and nothing else is left.
    pub fn replace(mut self) -> io::Result<File> {
        match self.target.symlink_metadata() {
            // A file system without rights refuses to set them.
            Ok(old) => drop(take_rights_of(&old, &self.file)),
            // Without a name to the end, then, unless somebody is faster.
            Err(_) if self.part.is_none() => {
                self.file.sync_all()?;
                if link(&self.file, &self.target).is_ok() {
                    return self.placed();
                }
            }
            Err(_) => {}
        }
        self.file.sync_all()?;
        if self.part.is_none() {
            let part = new_name(folder_of(&self.target));
            if link(&self.file, &part).is_err() {
                return self.with_a_name()?.replace();
            }
            self.part = Some(part);
        }
        if let Some(part) = &self.part {
            std::fs::rename(part, &self.target)?;
            self.part = None;
        }
        self.placed()
    }

    /// The same contents under a name, where a file without one cannot be given one: there may be no /proc to do it through.
    fn with_a_name(mut self) -> io::Result<Draft> {
        let mut named = Draft::named(self.target.clone())?;
        self.file.rewind()?;
        io::copy(&mut self.file, &mut named.file)?;
        Ok(named)
    }

    fn placed(mut self) -> io::Result<File> {
        // The name is on the disk once the folder is. Some file systems cannot be asked for that; the file is whole there too.
        let _ = File::open(folder_of(&self.target)).and_then(|folder| folder.sync_all());
        self.file.rewind()?;
        self.file.try_clone()
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // The error at hand says more than one about tidying up would.
            let _ = std::fs::remove_file(part);
        }
    }
}

/// Where a path leads, also when there is nothing yet.
///
/// # Errors
/// When links lead in a circle.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(to) => path = folder_of(&path).join(to),
            // It is no link, or it is not there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// Gives a file the owner of the one whose place it takes, where we may, and no right that nobody had on that one.
fn take_rights_of(old: &Metadata, file: &File) -> io::Result<()> {
    let new = file.metadata()?;
    let mut mode = new.mode() & old.mode() & 0o777;
    let same_owner = (new.uid(), new.gid()) == (old.uid(), old.gid());
    if !same_owner && fchown(file, Some(old.uid()), Some(old.gid())).is_err() && new.gid() != old.gid() {
        // The rights of the old group are not for ours.
        mode &= 0o707;
    }
    file.set_permissions(Permissions::from_mode(mode))
}

/// The folder that holds a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn unnamed(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(WIDEST_MODE).custom_flags(libc::O_TMPFILE);
    let file = options.open(folder)?;
    claim_writer(&file)?;
    Ok(file)
}

/// Kernels that do not know the flag open the folder itself, which cannot be written.
fn has_no_unnamed_files(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::EOPNOTSUPP | libc::EISDIR | libc::ENOENT | libc::EINVAL | libc::ENOSYS)
    )
}

const PREFIX: &[u8] = b".numawise-";
const SUFFIX: &[u8] = b".part";

fn new_name(folder: &Path) -> PathBuf {
    // Seeded by the kernel, and different each time.
    let random = RandomState::new().build_hasher().finish();
    folder.join(format!(".numawise-{random:016x}.part"))
}

fn is_a_name_of_ours(name: &OsStr) -> bool {
    let middle = name.as_bytes().strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    middle.is_some_and(|random| random.len() == 16 && random.iter().all(u8::is_ascii_hexdigit))
}

/// Removes the drafts that dead processes of this user have left. What cannot be judged stays.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_a_name_of_ours(&entry.file_name())) {
        let _ = remove_abandoned(&entry.path());
    }
}

fn remove_abandoned(part: &Path) -> io::Result<()> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(part)?;
    let facts = file.metadata()?;
    // SAFETY: a system call without arguments that cannot fail.
    let own = facts.uid() == unsafe { libc::geteuid() };
    if own && facts.is_file() && facts.nlink() == 1 && claim_writer(&file)? == WriterClaim::Taken {
        std::fs::remove_file(part)?;
    }
    Ok(())
}

/// Names a file that has no name.
fn link(file: &File, to: &Path) -> io::Result<()> {
    let (descriptor, to) = (file.as_raw_fd(), CString::new(to.as_os_str().as_bytes())?);
    // SAFETY: a system call on a descriptor that is open and strings that end with NUL and live until it returns.
    let linked =
        unsafe { libc::linkat(descriptor, c"".as_ptr(), libc::AT_FDCWD, to.as_ptr(), libc::AT_EMPTY_PATH) };
    if linked == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    if error.kind() == io::ErrorKind::AlreadyExists {
        return Err(error);
    }
    // Older kernels allow the above to root only, and everybody this.
    let from = CString::new(format!("/proc/self/fd/{descriptor}"))?;
    // SAFETY: a system call on strings that end with NUL and live until it returns.
    let linked = unsafe {
        libc::linkat(libc::AT_FDCWD, from.as_ptr(), libc::AT_FDCWD, to.as_ptr(), libc::AT_SYMLINK_FOLLOW)
    };
    if linked == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Moves a file to where nothing stands.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let [from_c, to_c] = [from, to].map(|path| CString::new(path.as_os_str().as_bytes()));
    let (from_c, to_c) = (from_c?, to_c?);
    // SAFETY: a system call on strings that end with NUL and live until it returns.
    let renamed = unsafe {
        libc::renameat2(
            libc::AT_FDCWD,
            from_c.as_ptr(),
            libc::AT_FDCWD,
            to_c.as_ptr(),
            libc::RENAME_NOREPLACE,
        )
    };
    if renamed == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // NFS knows no such renaming, and has hard links.
        Some(libc::EINVAL | libc::ENOSYS) => {
            std::fs::hard_link(from, to).and_then(|()| std::fs::remove_file(from))
        }
        _ => Err(error),
    }
}
