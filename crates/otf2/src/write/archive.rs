//! An archive that is being written.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use super::clocks::Clocks;
use super::communicators::Communicators;
use super::definitions::Definitions;
use super::ranks::Ranks;
use crate::Otf2Error;
use crate::event::{ATTRIBUTES, Event, What};
use crate::ffi::{self, Code, Handle, Otf2, UNDEFINED};

/// Numbers of attributes.
const SOURCE: u32 = 0;
const FUNCTION: u32 = 1;
const POLLS: u32 = 2;
const POLLING: u32 = 3;

/// Where the library writes when its memory is full, and at the end.
unsafe extern "C" fn flush(_: *mut c_void, _: u8, _: u64, _: *mut c_void, _: bool) -> u8 {
    ffi::FLUSH
}

static FLUSH: ffi::FlushCallbacks = ffi::FlushCallbacks { before: Some(flush), after: None };

pub struct Archive<'o> {
    otf2: &'o Otf2,
    folder: PathBuf,
    archive: Handle,
    attributes: Handle,
}

impl Drop for Archive<'_> {
    fn drop(&mut self) {
        // SAFETY: both were made by the library, and are not used behind here; it frees what belongs to them.
        unsafe {
            if !self.attributes.is_null() {
                (self.otf2.attributes_delete)(self.attributes);
            }
            if !self.archive.is_null() {
                (self.otf2.archive_close)(self.archive);
            }
        }
    }
}

impl<'o> Archive<'o> {
    pub fn create(otf2: &'o Otf2, folder: &Path) -> Result<Archive<'o>, Otf2Error> {
        let path = ffi::c_path(folder)?;
        ffi::forget();
        // SAFETY: texts end with a 0 and live as long as the call; the library copies them.
        let (archive, attributes) = unsafe {
            let archive = (otf2.archive_open)(
                path.as_ptr(),
                c"traces".as_ptr(),
                ffi::FILEMODE_WRITE,
                ffi::CHUNK_EVENTS,
                ffi::CHUNK_DEFINITIONS,
                ffi::SUBSTRATE_POSIX,
                ffi::COMPRESSION_NONE,
            );
            (archive, (otf2.attributes_new)())
        };
        let made = Archive { otf2, folder: folder.to_owned(), archive, attributes };
        made.have(archive, "make the archive")?;
        made.have(attributes, "make a list of attributes")?;
        // SAFETY: the archive is open; the callbacks are static.
        unsafe {
            made.done((otf2.archive_serial)(archive), "open the archive for one writer")?;
            made.done((otf2.archive_flush)(archive, &FLUSH, null_mut()), "say when to write")?;
            made.done((otf2.archive_creator)(archive, ffi::CREATOR.as_ptr()), "name the creator")?;
            made.done((otf2.archive_open_events)(archive), "make the files of events")?;
        }
        Ok(made)
    }

    fn done(&self, code: Code, step: &'static str) -> Result<(), Otf2Error> {
        if code == 0 {
            return Ok(());
        }
        Err(Otf2Error::Write { folder: self.folder.clone(), step, problem: self.otf2.problem(code) })
    }

    fn have(&self, handle: Handle, step: &'static str) -> Result<Handle, Otf2Error> {
        // `OTF2_ERROR_INVALID`: that there is no handle says nothing of why.
        if handle.is_null() { self.done(1, step).map(|()| handle) } else { Ok(handle) }
    }

    /// For the events of a location.
    pub fn events(&mut self, location: u64) -> Result<EventWriter<'_, 'o>, Otf2Error> {
        // SAFETY: the archive is open, and so are its files of events.
        let writer = unsafe { (self.otf2.event_writer)(self.archive, location) };
        let writer = self.have(writer, "make a file of events")?;
        Ok(EventWriter { archive: self, writer })
    }

    pub fn define(
        &mut self,
        ranks: &Ranks,
        communicators: &Communicators,
        clocks: &Clocks,
        definitions: &Definitions,
    ) -> Result<(), Otf2Error> {
        let (otf2, archive) = (self.otf2, self.archive);
        // SAFETY: the archive is open; handles are those that it gives.
        let writer = unsafe {
            self.done((otf2.archive_close_events)(archive), "close the files of events")?;
            self.done((otf2.archive_open_definitions)(archive), "make the files of definitions")?;
            for location in 0..ranks.locations.len() as u64 {
                let local = (otf2.definition_writer)(archive, location);
                let local = self.have(local, "make a file of definitions")?;
                self.done((otf2.close_definition_writer)(archive, local), "close a file of definitions")?;
            }
            self.done((otf2.archive_close_definitions)(archive), "close the files of definitions")?;
            (otf2.global_writer)(archive)
        };
        let writer = self.have(writer, "make the file of common definitions")?;
        let length = clocks.length().max(definitions.length());
        let day = clocks.day().unwrap_or(u64::MAX);
        let global = Global { archive: self, writer };
        // SAFETY: the writer is open; nanoseconds are the ticks.
        let code = unsafe {
            (otf2.define_clock)(writer, 1_000_000_000, clocks.first(), length.saturating_add(1), day)
        };
        global.done(code)?;
        global.tables(definitions)?;
        global.locations(ranks, definitions)?;
        global.communicators(ranks, communicators, definitions)?;
        // SAFETY: the writer is open, and not used behind here.
        let code = unsafe { (otf2.close_global_writer)(archive, writer) };
        self.done(code, "close the file of common definitions")
    }

    pub fn close(mut self) -> Result<(), Otf2Error> {
        let archive = std::mem::replace(&mut self.archive, null_mut());
        // SAFETY: the archive is open, and not used behind here.
        let code = unsafe { (self.otf2.archive_close)(archive) };
        self.done(code, "close the archive")
    }
}

/// The events of one location.
pub struct EventWriter<'a, 'o> {
    archive: &'a Archive<'o>,
    writer: Handle,
}

impl EventWriter<'_, '_> {
    pub fn write(&mut self, Event { time, what }: Event) -> Result<(), Otf2Error> {
        let (otf2, to, none) = (self.archive.otf2, self.writer, null_mut());
        // SAFETY: the writer is open; without arguments of the program none are read.
        let code = unsafe {
            match what {
                What::ProgramBegin(name) => {
                    (otf2.write_program_begin)(to, none, time, name, 0, std::ptr::null())
                }
                // `OTF2_UNDEFINED_INT64`: the run has one status of all its processes.
                What::ProgramEnd => (otf2.write_program_end)(to, none, time, i64::MIN),
                What::Enter { region, .. } => {
                    let attributes = self.attributes(what)?;
                    (otf2.write_enter)(to, attributes, time, region)
                }
                What::Leave(region) => (otf2.write_leave)(to, none, time, region),
                What::ThreadFork(threads) => (otf2.write_fork)(to, none, time, ffi::PARADIGM_OPENMP, threads),
                What::ThreadJoin => (otf2.write_join)(to, none, time, ffi::PARADIGM_OPENMP),
                What::Send(of) => {
                    (otf2.write_send)(to, none, time, of.peer, of.communicator, of.tag, of.bytes)
                }
                What::Isend(of, request) => {
                    (otf2.write_isend)(to, none, time, of.peer, of.communicator, of.tag, of.bytes, request)
                }
                What::IsendComplete(request) => (otf2.write_isend_complete)(to, none, time, request),
                What::IrecvRequest(request) => (otf2.write_irecv_request)(to, none, time, request),
                What::Recv(of) => {
                    (otf2.write_recv)(to, none, time, of.peer, of.communicator, of.tag, of.bytes)
                }
                What::Irecv(of, request) => {
                    (otf2.write_irecv)(to, none, time, of.peer, of.communicator, of.tag, of.bytes, request)
                }
                What::CollectiveBegin => (otf2.write_collective_begin)(to, none, time),
                What::CollectiveEnd(of) => (otf2.write_collective_end)(
                    to,
                    none,
                    time,
                    of.operation,
                    of.communicator,
                    of.root,
                    of.sent,
                    of.received,
                ),
                What::CollectiveRequest(request) => (otf2.write_collective_request)(to, none, time, request),
                What::CollectiveComplete(of, request) => (otf2.write_collective_complete)(
                    to,
                    none,
                    time,
                    of.operation,
                    of.communicator,
                    of.root,
                    of.sent,
                    of.received,
                    request,
                ),
            }
        };
        self.archive.done(code, "write an event")
    }

    /// The library empties the list when it has written it.
    fn attributes(&self, what: What) -> Result<Handle, Otf2Error> {
        let What::Enter { at, polls, .. } = what else { return Ok(null_mut()) };
        if at == Default::default() && polls.is_none() {
            return Ok(null_mut());
        }
        let (otf2, list) = (self.archive.otf2, self.archive.attributes);
        // SAFETY: the list is the archive's own.
        unsafe {
            let add = |code| self.archive.done(code, "add an attribute");
            if let Some(line) = at.line {
                add((otf2.add_source)(list, SOURCE, line))?;
            }
            if let Some(function) = at.function {
                add((otf2.add_string)(list, FUNCTION, function))?;
            }
            if let Some(polls) = polls {
                add((otf2.add_number)(list, POLLS, polls.calls))?;
                add((otf2.add_number)(list, POLLING, polls.within))?;
            }
        }
        Ok(list)
    }

    /// Gives how many events were written.
    pub fn close(self) -> Result<u64, Otf2Error> {
        let (otf2, mut events) = (self.archive.otf2, 0);
        // SAFETY: the writer is open, and not used behind here; there is place for a number.
        unsafe {
            self.archive.done((otf2.events_written)(self.writer, &mut events), "count events")?;
            let code = (otf2.close_event_writer)(self.archive.archive, self.writer);
            self.archive.done(code, "close a file of events")?;
        }
        Ok(events)
    }
}

/// The definitions that all locations have in common.
struct Global<'a, 'o> {
    archive: &'a Archive<'o>,
    writer: Handle,
}

impl Global<'_, '_> {
    fn done(&self, code: Code) -> Result<(), Otf2Error> {
        self.archive.done(code, "write a definition")
    }

    fn tables(&self, definitions: &Definitions) -> Result<(), Otf2Error> {
        let (otf2, to) = (self.archive.otf2, self.writer);
        let mut next = definitions.strings.len() as u32;
        let names = ATTRIBUTES.iter().flat_map(|(name, is, _)| [*name, *is]);
        let more = names.chain(["MPI", "machine", "node", "OpenMP"]);
        for (text, number) in definitions.strings.iter().map(String::as_str).chain(more).zip(0..) {
            let text = ffi::c_text(text);
            // SAFETY: the writer is open; the text ends with a 0.
            self.done(unsafe { (otf2.define_string)(to, number, text.as_ptr()) })?;
        }
        for (number, (_, _, kind)) in ATTRIBUTES.iter().enumerate() {
            // SAFETY: the writer is open, and the strings are defined.
            self.done(unsafe { (otf2.define_attribute)(to, number as u32, next, next + 1, *kind) })?;
            next += 2;
        }
        let (mpi, machine, node) = (next, next + 1, next + 2);
        // SAFETY: as above.
        unsafe {
            self.done((otf2.define_paradigm)(to, ffi::PARADIGM_MPI, mpi, ffi::PARADIGM_CLASS_PROCESS))?;
            let class = ffi::PARADIGM_CLASS_FORK_JOIN;
            self.done((otf2.define_paradigm)(to, ffi::PARADIGM_OPENMP, node + 1, class))?;
            self.done((otf2.define_system_node)(to, 0, machine, machine, UNDEFINED))?;
            self.done((otf2.define_domain)(to, 0, ffi::DOMAIN_MACHINE))?;
            for (host, number) in definitions.hosts.iter().zip(1..) {
                self.done((otf2.define_system_node)(to, number, *host, node, 0))?;
                self.done((otf2.define_domain)(to, number, ffi::DOMAIN_SHARED_MEMORY))?;
            }
            for ((file, line), number) in definitions.lines.iter().zip(0..) {
                self.done((otf2.define_source)(to, number, *file, *line))?;
            }
            for (region, number) in definitions.regions.iter().zip(0..) {
                let (name, role) = (region.name, region.role as u8);
                let code = (otf2.define_region)(
                    to,
                    number,
                    name,
                    name,
                    0,
                    role,
                    region.paradigm,
                    0,
                    UNDEFINED,
                    0,
                    0,
                );
                self.done(code)?;
            }
        }
        Ok(())
    }

    fn locations(&self, ranks: &Ranks, definitions: &Definitions) -> Result<(), Otf2Error> {
        let (otf2, to) = (self.archive.otf2, self.writer);
        for (group, number) in definitions.groups.iter().zip(0..) {
            let kind = ffi::LOCATION_GROUP_PROCESS;
            // SAFETY: the writer is open; names and hosts are defined.
            let code = unsafe {
                (otf2.define_location_group)(to, number, group.name, kind, group.host + 1, UNDEFINED)
            };
            self.done(code)?;
        }
        for ((location, name), number) in ranks.locations.iter().zip(&definitions.locations).zip(0..) {
            let (kind, events) = (ffi::LOCATION_CPU_THREAD, definitions.events_of(number));
            // SAFETY: the writer is open; names and groups are defined.
            let code =
                unsafe { (otf2.define_location)(to, number, *name, kind, events, location.group as u32) };
            self.done(code)?;
        }
        Ok(())
    }

    fn communicators(
        &self,
        ranks: &Ranks,
        communicators: &Communicators,
        definitions: &Definitions,
    ) -> Result<(), Otf2Error> {
        let members: Vec<u64> = (0..u64::from(ranks.ranks())).collect();
        self.group(0, ffi::GROUP_COMM_LOCATIONS, &members)?;
        for (known, number) in communicators.all.iter().zip(0..) {
            let Some(world) = ranks.worlds.get(known.world) else { continue };
            let of_world = || (0..world.size).collect();
            let of_rank = |rank: u32| u64::from(world.first) + u64::from(rank);
            let members: Vec<u64> =
                known.members.clone().unwrap_or_else(of_world).into_iter().map(of_rank).collect();
            self.group(number + 1, ffi::GROUP_COMM, &members)?;
        }
        for (known, number) in communicators.all.iter().zip(0..) {
            let is_world = (number as usize) < ranks.worlds.len();
            let parent = if is_world { UNDEFINED } else { known.world as u32 };
            let name = definitions.number(&known.name);
            // SAFETY: the writer is open; the name, the group and the parent are defined.
            let code =
                unsafe { (self.archive.otf2.define_comm)(self.writer, number, name, number + 1, parent, 0) };
            self.done(code)?;
        }
        Ok(())
    }

    fn group(&self, number: u32, kind: u8, members: &[u64]) -> Result<(), Otf2Error> {
        let (mpi, count) = (ffi::PARADIGM_MPI, members.len() as u32);
        // SAFETY: the writer is open; there are as many members as it is told.
        let code = unsafe {
            (self.archive.otf2.define_group)(self.writer, number, 0, kind, mpi, 0, count, members.as_ptr())
        };
        self.done(code)
    }
}
