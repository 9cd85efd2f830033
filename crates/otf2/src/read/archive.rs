//! An archive that is being read. Nothing of it ends the program: callbacks take what they are given and never fail.

use std::ffi::{c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use super::definitions::{
    Attributes, Clock, Comm, Definitions, Group, Location, LocationGroup, Region, SystemNode,
};
use crate::Otf2Error;
use crate::event::{Collective, EnteredAt, Event, Message, Polls, What};
use crate::ffi::{self, Code, GoOn, Handle, Otf2};

/// Go on.
const OK: GoOn = 0;

pub struct Archive<'o> {
    otf2: &'o Otf2,
    anchor: PathBuf,
    reader: Handle,
}

impl Drop for Archive<'_> {
    fn drop(&mut self) {
        // SAFETY: the reader was made by the library, and is not used behind here; it closes what belongs to it.
        unsafe { (self.otf2.reader_close)(self.reader) };
    }
}

impl<'o> Archive<'o> {
    pub fn open(otf2: &'o Otf2, anchor: &Path) -> Result<Archive<'o>, Otf2Error> {
        let cannot = |problem: String| Otf2Error::CannotOpen { anchor: anchor.to_owned(), problem };
        let path = ffi::c_path(anchor)?;
        let about = std::fs::metadata(anchor).map_err(|error| cannot(error.to_string()))?;
        if !about.is_file() {
            return Err(cannot("it is no file".to_owned()));
        }
        ffi::forget();
        // SAFETY: the name ends with a 0, and lives as long as the call.
        let reader = unsafe { (otf2.reader_open)(path.as_ptr()) };
        if reader.is_null() {
            // `OTF2_ERROR_INVALID`: that there is no handle says nothing of why.
            return Err(cannot(otf2.problem(1)));
        }
        let archive = Archive { otf2, anchor: anchor.to_owned(), reader };
        // SAFETY: the reader is open.
        archive.done(unsafe { (otf2.reader_serial)(reader) }, "open the archive for one reader")?;
        Ok(archive)
    }

    fn done(&self, code: Code, step: &'static str) -> Result<(), Otf2Error> {
        if code == 0 {
            return Ok(());
        }
        Err(Otf2Error::Read { anchor: self.anchor.clone(), step, problem: self.otf2.problem(code) })
    }

    pub fn creator(&mut self) -> String {
        let mut name: *mut c_char = null_mut();
        // SAFETY: the reader is open, and there is place for a pointer; the text is a copy for us.
        let code = unsafe { (self.otf2.reader_creator)(self.reader, &mut name) };
        if code == 0 { ffi::own_text(name) } else { String::new() }
    }

    pub fn definitions(&mut self) -> Result<Definitions, Otf2Error> {
        let (otf2, mut found, mut read) = (self.otf2, Definitions::default(), 0);
        let step = "read its definitions";
        ffi::forget();
        // SAFETY: handles are those of the library; `found` outlives the reading, and nobody else has it meanwhile.
        unsafe {
            let reader = (otf2.global_reader)(self.reader);
            if reader.is_null() {
                return self.done(1, step).map(|()| found);
            }
            let callbacks = (otf2.definition_callbacks)();
            let set = [
                (otf2.on_clock)(callbacks, on_clock),
                (otf2.on_string)(callbacks, on_string),
                (otf2.on_system_node)(callbacks, on_system_node),
                (otf2.on_location_group)(callbacks, on_location_group),
                (otf2.on_location)(callbacks, on_location),
                (otf2.on_region)(callbacks, on_region),
                (otf2.on_group)(callbacks, on_group),
                (otf2.on_comm)(callbacks, on_comm),
                (otf2.on_inter_comm)(callbacks, on_inter_comm),
                (otf2.on_attribute)(callbacks, on_attribute),
                (otf2.on_source)(callbacks, on_source),
                (otf2.register_definitions)(self.reader, reader, callbacks, (&raw mut found).cast()),
            ];
            (otf2.delete_definition_callbacks)(callbacks);
            let failed = set.into_iter().find(|code| *code != 0);
            let code = failed.unwrap_or_else(|| (otf2.read_definitions)(self.reader, reader, &mut read));
            self.done(code, step)?;
            self.done((otf2.close_global_reader)(self.reader, reader), step)?;
        }
        Ok(found)
    }

    /// Makes events of these locations ready to be read. Gives how many locations have definitions of their own that cannot be read: without
    /// them events would refer to others.
    pub fn select(&mut self, locations: &[u64]) -> Result<u64, Otf2Error> {
        let (otf2, reader) = (self.otf2, self.reader);
        let mut broken = 0;
        // SAFETY: handles are those of the library, and not used when they are closed.
        unsafe {
            for location in locations {
                self.done((otf2.select_location)(reader, *location), "select a location")?;
            }
            // Not every writer makes files of definitions.
            let has_files = (otf2.open_local_definitions)(reader) == 0;
            ffi::forget();
            self.done((otf2.open_events)(reader), "open its events")?;
            for location in locations.iter().filter(|_| has_files) {
                let local = (otf2.local_reader)(reader, *location);
                if local.is_null() {
                    continue;
                }
                let mut read = 0;
                broken += u64::from((otf2.read_local_definitions)(reader, local, &mut read) != 0);
                (otf2.close_local_reader)(reader, local);
            }
            if has_files {
                (otf2.close_local_definitions)(reader);
            }
        }
        Ok(broken)
    }

    /// How many events a location has, and whether all could be read.
    pub fn events(
        &mut self,
        location: u64,
        attributes: Attributes,
        take: &mut dyn FnMut(Event),
    ) -> (u64, bool) {
        let (otf2, mut read) = (self.otf2, 0);
        ffi::forget();
        let mut listener = Listener { otf2, attributes, take };
        // SAFETY: handles are those of the library; the listener outlives the reading, and nobody else has it meanwhile.
        unsafe {
            let reader = (otf2.event_reader)(self.reader, location);
            if reader.is_null() {
                return (0, false);
            }
            let callbacks = (otf2.event_callbacks)();
            let set = [
                (otf2.on_program_begin)(callbacks, on_program_begin),
                (otf2.on_enter)(callbacks, on_enter),
                (otf2.on_leave)(callbacks, on_leave),
                (otf2.on_fork)(callbacks, on_fork),
                (otf2.on_join)(callbacks, on_join),
                (otf2.on_send)(callbacks, on_send),
                (otf2.on_isend)(callbacks, on_isend),
                (otf2.on_isend_complete)(callbacks, on_isend_complete),
                (otf2.on_irecv_request)(callbacks, on_irecv_request),
                (otf2.on_recv)(callbacks, on_recv),
                (otf2.on_irecv)(callbacks, on_irecv),
                (otf2.on_collective_begin)(callbacks, on_collective_begin),
                (otf2.on_collective_end)(callbacks, on_collective_end),
                (otf2.on_collective_request)(callbacks, on_collective_request),
                (otf2.on_collective_complete)(callbacks, on_collective_complete),
                (otf2.register_events)(self.reader, reader, callbacks, (&raw mut listener).cast()),
            ];
            (otf2.delete_event_callbacks)(callbacks);
            let is_set = set.iter().all(|code| *code == 0);
            let is_whole = is_set && (otf2.read_events)(self.reader, reader, &mut read) == 0;
            (otf2.close_event_reader)(self.reader, reader);
            (read, is_whole)
        }
    }
}

/// What callbacks of definitions fill.
///
/// # Safety
/// The pointer is the one that [`Archive::definitions`] registers.
unsafe fn found<'a>(data: *mut c_void) -> &'a mut Definitions {
    // SAFETY: it lives while definitions are read, and only one callback runs at a time.
    unsafe { &mut *data.cast() }
}

unsafe extern "C" fn on_clock(data: *mut c_void, ticks: u64, offset: u64, length: u64, day: u64) -> GoOn {
    // SAFETY: as registered.
    unsafe { found(data) }.clock = Some(Clock { ticks, offset, length, day });
    OK
}

unsafe extern "C" fn on_string(data: *mut c_void, number: u32, text: *const c_char) -> GoOn {
    // SAFETY: as registered.
    unsafe { found(data) }.strings.entry(number).or_insert_with(|| ffi::text(text));
    OK
}

unsafe extern "C" fn on_system_node(
    data: *mut c_void,
    number: u32,
    name: u32,
    class: u32,
    parent: u32,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { found(data) }.nodes.insert(number, SystemNode { name, class, parent });
    OK
}

unsafe extern "C" fn on_location_group(
    data: *mut c_void,
    number: u32,
    name: u32,
    kind: u8,
    node: u32,
    _: u32,
) -> GoOn {
    if kind <= ffi::LOCATION_GROUP_PROCESS {
        // SAFETY: as registered.
        unsafe { found(data) }.processes.insert(number, LocationGroup { name, node });
    }
    OK
}

unsafe extern "C" fn on_location(
    data: *mut c_void,
    number: u64,
    _: u32,
    kind: u8,
    events: u64,
    group: u32,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { found(data) }.locations.insert(number, Location { group, kind, events });
    OK
}

unsafe extern "C" fn on_region(
    data: *mut c_void,
    number: u32,
    name: u32,
    _: u32,
    _: u32,
    role: u8,
    paradigm: u8,
    _: u32,
    file: u32,
    _: u32,
    _: u32,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { found(data) }.regions.insert(number, Region { name, file, role, paradigm });
    OK
}

unsafe extern "C" fn on_group(
    data: *mut c_void,
    number: u32,
    _: u32,
    kind: u8,
    paradigm: u8,
    flags: u32,
    count: u32,
    members: *const u64,
) -> GoOn {
    let members = if members.is_null() || count == 0 {
        Vec::new()
    } else {
        // SAFETY: the library hands over as many members as it says.
        unsafe { std::slice::from_raw_parts(members, count as usize) }.to_vec()
    };
    // SAFETY: as registered.
    unsafe { found(data) }.groups.push(Group { number, kind, paradigm, flags, members });
    OK
}

unsafe extern "C" fn on_comm(data: *mut c_void, number: u32, name: u32, group: u32, _: u32, _: u32) -> GoOn {
    // SAFETY: as registered.
    unsafe { found(data) }.comms.entry(number).or_insert(Comm { name, group, other: None });
    OK
}

unsafe extern "C" fn on_inter_comm(
    data: *mut c_void,
    number: u32,
    name: u32,
    group: u32,
    other: u32,
    _: u32,
    _: u32,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { found(data) }.comms.entry(number).or_insert(Comm { name, group, other: Some(other) });
    OK
}

unsafe extern "C" fn on_attribute(data: *mut c_void, number: u32, name: u32, _: u32, kind: u8) -> GoOn {
    // SAFETY: as registered.
    unsafe { found(data) }.named.push((number, name, kind));
    OK
}

unsafe extern "C" fn on_source(data: *mut c_void, number: u32, file: u32, line: u32) -> GoOn {
    // SAFETY: as registered.
    unsafe { found(data) }.lines.insert(number, (file, line));
    OK
}

/// Whom events are handed to.
struct Listener<'a, 't> {
    otf2: &'a Otf2,
    attributes: Attributes,
    take: &'t mut dyn FnMut(Event),
}

impl Listener<'_, '_> {
    fn take(&mut self, time: u64, what: What) -> GoOn {
        (self.take)(Event { time, what });
        OK
    }

    /// What the attributes of an event say that are looked at.
    fn entered(&self, list: Handle) -> (EnteredAt, Option<Polls>) {
        if list.is_null() {
            return (EnteredAt::default(), None);
        }
        let otf2 = self.otf2;
        // SAFETY: the list is that of the event; values are read of the types that the attributes were defined with, which the library checks.
        unsafe {
            let has = |attribute: &u32| (otf2.has_attribute)(list, *attribute);
            let number = |attribute: Option<u32>| {
                let (mut value, attribute) = (0, attribute.filter(has)?);
                ((otf2.get_number)(list, attribute, &mut value) == 0).then_some(value)
            };
            let line = self.attributes.line.filter(has).and_then(|attribute| {
                let mut value = 0;
                ((otf2.get_source)(list, attribute, &mut value) == 0).then_some(value)
            });
            let function = self.attributes.function.filter(has).and_then(|attribute| {
                let mut value = 0;
                ((otf2.get_string)(list, attribute, &mut value) == 0).then_some(value)
            });
            let polls = number(self.attributes.polls).zip(number(self.attributes.polling));
            (EnteredAt { function, line }, polls.map(|(calls, within)| Polls { calls, within }))
        }
    }
}

/// Whom the callbacks of events tell.
///
/// # Safety
/// The pointer is the one that [`Archive::events`] registers.
unsafe fn listener<'a>(data: *mut c_void) -> &'a mut Listener<'a, 'a> {
    // SAFETY: it lives while events are read, and only one callback runs at a time.
    unsafe { &mut *data.cast() }
}

unsafe extern "C" fn on_program_begin(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    name: u32,
    _: u32,
    _: *const u32,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::ProgramBegin(name))
}

unsafe extern "C" fn on_enter(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    list: Handle,
    region: u32,
) -> GoOn {
    // SAFETY: as registered.
    let listener = unsafe { listener(data) };
    let (at, polls) = listener.entered(list);
    listener.take(time, What::Enter { region, at, polls })
}

unsafe extern "C" fn on_leave(_: u64, time: u64, _: u64, data: *mut c_void, _: Handle, region: u32) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::Leave(region))
}

unsafe extern "C" fn on_fork(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    _: u8,
    threads: u32,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::ThreadFork(threads))
}

unsafe extern "C" fn on_join(_: u64, time: u64, _: u64, data: *mut c_void, _: Handle, _: u8) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::ThreadJoin)
}

unsafe extern "C" fn on_send(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    peer: u32,
    communicator: u32,
    tag: u32,
    bytes: u64,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::Send(Message { peer, communicator, tag, bytes }))
}

unsafe extern "C" fn on_isend(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    peer: u32,
    communicator: u32,
    tag: u32,
    bytes: u64,
    request: u64,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::Isend(Message { peer, communicator, tag, bytes }, request))
}

unsafe extern "C" fn on_isend_complete(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    request: u64,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::IsendComplete(request))
}

unsafe extern "C" fn on_irecv_request(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    request: u64,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::IrecvRequest(request))
}

unsafe extern "C" fn on_recv(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    peer: u32,
    communicator: u32,
    tag: u32,
    bytes: u64,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::Recv(Message { peer, communicator, tag, bytes }))
}

unsafe extern "C" fn on_irecv(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    peer: u32,
    communicator: u32,
    tag: u32,
    bytes: u64,
    request: u64,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::Irecv(Message { peer, communicator, tag, bytes }, request))
}

unsafe extern "C" fn on_collective_begin(_: u64, time: u64, _: u64, data: *mut c_void, _: Handle) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::CollectiveBegin)
}

unsafe extern "C" fn on_collective_end(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    operation: u8,
    communicator: u32,
    root: u32,
    sent: u64,
    received: u64,
) -> GoOn {
    let end = Collective { operation, communicator, root, sent, received };
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::CollectiveEnd(end))
}

unsafe extern "C" fn on_collective_request(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    request: u64,
) -> GoOn {
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::CollectiveRequest(request))
}

unsafe extern "C" fn on_collective_complete(
    _: u64,
    time: u64,
    _: u64,
    data: *mut c_void,
    _: Handle,
    operation: u8,
    communicator: u32,
    root: u32,
    sent: u64,
    received: u64,
    request: u64,
) -> GoOn {
    let end = Collective { operation, communicator, root, sent, received };
    // SAFETY: as registered.
    unsafe { listener(data) }.take(time, What::CollectiveComplete(end, request))
}
