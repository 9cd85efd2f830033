//! libotf2: its functions as they are, and what it says when one of them fails.
//!
//! Types are those of OTF2 3.0's headers, whose binary interface the number 10 in the library's name stands for.

use std::cell::RefCell;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::Otf2Error;

/// A handle of the library; what it points to is not known.
pub type Handle = *mut c_void;
/// `OTF2_ErrorCode`; 0 is success.
pub type Code = c_int;
/// `OTF2_CallbackCode`; 0: go on.
pub type GoOn = c_int;

pub const FILEMODE_WRITE: u8 = 0;
pub const SUBSTRATE_POSIX: u8 = 1;
pub const COMPRESSION_NONE: u8 = 1;
/// `OTF2_CHUNK_SIZE_EVENTS_DEFAULT` and the same of definitions.
pub const CHUNK_EVENTS: u64 = 1 << 20;
pub const CHUNK_DEFINITIONS: u64 = 4 << 20;
pub const FLUSH: u8 = 1;
pub const UNDEFINED: u32 = u32::MAX;

/// Who made an archive of ours.
pub const CREATOR: &std::ffi::CStr = c"numawise";

pub const PARADIGM_USER: u8 = 1;
pub const PARADIGM_OPENMP: u8 = 3;
pub const PARADIGM_MPI: u8 = 4;
pub const PARADIGM_CLASS_PROCESS: u8 = 0;
pub const PARADIGM_CLASS_FORK_JOIN: u8 = 1;
pub const LOCATION_GROUP_PROCESS: u8 = 1;
pub const LOCATION_CPU_THREAD: u8 = 1;
pub const GROUP_COMM_LOCATIONS: u8 = 4;
pub const GROUP_COMM: u8 = 5;
pub const GROUP_COMM_SELF: u8 = 6;
/// Events have ranks of the group of all locations.
pub const GROUP_FLAG_GLOBAL_MEMBERS: u32 = 1;
pub const DOMAIN_MACHINE: u8 = 0;
pub const DOMAIN_SHARED_MEMORY: u8 = 1;
pub const TYPE_UINT64: u8 = 4;
pub const TYPE_STRING: u8 = 11;
pub const TYPE_SOURCE_CODE_LOCATION: u8 = 20;

/// `OTF2_FlushCallbacks`.
#[repr(C)]
pub struct FlushCallbacks {
    pub before: Option<unsafe extern "C" fn(*mut c_void, u8, u64, *mut c_void, bool) -> u8>,
    /// None: no event says when something was written.
    pub after: Option<unsafe extern "C" fn(*mut c_void, u8, u64) -> u64>,
}

pub type OnClock = unsafe extern "C" fn(*mut c_void, u64, u64, u64, u64) -> GoOn;
pub type OnString = unsafe extern "C" fn(*mut c_void, u32, *const c_char) -> GoOn;
pub type OnSystemNode = unsafe extern "C" fn(*mut c_void, u32, u32, u32, u32) -> GoOn;
pub type OnLocationGroup = unsafe extern "C" fn(*mut c_void, u32, u32, u8, u32, u32) -> GoOn;
pub type OnLocation = unsafe extern "C" fn(*mut c_void, u64, u32, u8, u64, u32) -> GoOn;
pub type OnRegion = unsafe extern "C" fn(*mut c_void, u32, u32, u32, u32, u8, u8, u32, u32, u32, u32) -> GoOn;
pub type OnGroup = unsafe extern "C" fn(*mut c_void, u32, u32, u8, u8, u32, u32, *const u64) -> GoOn;
pub type OnComm = unsafe extern "C" fn(*mut c_void, u32, u32, u32, u32, u32) -> GoOn;
pub type OnInterComm = unsafe extern "C" fn(*mut c_void, u32, u32, u32, u32, u32, u32) -> GoOn;
pub type OnAttribute = unsafe extern "C" fn(*mut c_void, u32, u32, u32, u8) -> GoOn;
pub type OnSourceLocation = unsafe extern "C" fn(*mut c_void, u32, u32, u32) -> GoOn;

pub type OnProgramBegin =
    unsafe extern "C" fn(u64, u64, u64, *mut c_void, Handle, u32, u32, *const u32) -> GoOn;
pub type OnRegionEvent = unsafe extern "C" fn(u64, u64, u64, *mut c_void, Handle, u32) -> GoOn;
pub type OnMessage = unsafe extern "C" fn(u64, u64, u64, *mut c_void, Handle, u32, u32, u32, u64) -> GoOn;
pub type OnRequestMessage =
    unsafe extern "C" fn(u64, u64, u64, *mut c_void, Handle, u32, u32, u32, u64, u64) -> GoOn;
pub type OnRequest = unsafe extern "C" fn(u64, u64, u64, *mut c_void, Handle, u64) -> GoOn;
pub type OnFork = unsafe extern "C" fn(u64, u64, u64, *mut c_void, Handle, u8, u32) -> GoOn;
pub type OnJoin = unsafe extern "C" fn(u64, u64, u64, *mut c_void, Handle, u8) -> GoOn;
pub type OnMoment = unsafe extern "C" fn(u64, u64, u64, *mut c_void, Handle) -> GoOn;
pub type OnCollectiveEnd =
    unsafe extern "C" fn(u64, u64, u64, *mut c_void, Handle, u8, u32, u32, u64, u64) -> GoOn;
pub type OnCollectiveComplete =
    unsafe extern "C" fn(u64, u64, u64, *mut c_void, Handle, u8, u32, u32, u64, u64, u64) -> GoOn;

macro_rules! functions {
    ($($field:ident: $symbol:literal ($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of libotf2 that are called.
        pub struct Otf2 {
            $(pub $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            _library: Library,
        }

        impl Otf2 {
            fn with(library: Library) -> Result<Otf2, Otf2Error> {
                Ok(Otf2 {
                    $($field: {
                        // SAFETY: the type of the field is the prototype in the headers of OTF2 3.0.
                        *unsafe { library.get(concat!("OTF2_", $symbol, "\0").as_bytes()) }
                            .map_err(|_| Otf2Error::LibraryTooOld { function: concat!("OTF2_", $symbol) })?
                    },)*
                    _library: library,
                })
            }
        }
    };
}

functions! {
    register_error: "Error_RegisterCallback"(OnError, *mut c_void) -> Option<OnError>;
    describe_error: "Error_GetDescription"(Code) -> *const c_char;

    archive_open: "Archive_Open"(*const c_char, *const c_char, u8, u64, u64, u8, u8) -> Handle;
    archive_close: "Archive_Close"(Handle) -> Code;
    archive_serial: "Archive_SetSerialCollectiveCallbacks"(Handle) -> Code;
    archive_flush: "Archive_SetFlushCallbacks"(Handle, *const FlushCallbacks, *mut c_void) -> Code;
    archive_creator: "Archive_SetCreator"(Handle, *const c_char) -> Code;
    archive_open_events: "Archive_OpenEvtFiles"(Handle) -> Code;
    archive_close_events: "Archive_CloseEvtFiles"(Handle) -> Code;
    archive_open_definitions: "Archive_OpenDefFiles"(Handle) -> Code;
    archive_close_definitions: "Archive_CloseDefFiles"(Handle) -> Code;
    event_writer: "Archive_GetEvtWriter"(Handle, u64) -> Handle;
    close_event_writer: "Archive_CloseEvtWriter"(Handle, Handle) -> Code;
    definition_writer: "Archive_GetDefWriter"(Handle, u64) -> Handle;
    close_definition_writer: "Archive_CloseDefWriter"(Handle, Handle) -> Code;
    global_writer: "Archive_GetGlobalDefWriter"(Handle) -> Handle;
    close_global_writer: "Archive_CloseGlobalDefWriter"(Handle, Handle) -> Code;

    attributes_new: "AttributeList_New"() -> Handle;
    attributes_delete: "AttributeList_Delete"(Handle) -> Code;
    add_number: "AttributeList_AddUint64"(Handle, u32, u64) -> Code;
    add_string: "AttributeList_AddStringRef"(Handle, u32, u32) -> Code;
    add_source: "AttributeList_AddSourceCodeLocationRef"(Handle, u32, u32) -> Code;
    has_attribute: "AttributeList_TestAttributeByID"(Handle, u32) -> bool;
    get_number: "AttributeList_GetUint64"(Handle, u32, *mut u64) -> Code;
    get_string: "AttributeList_GetStringRef"(Handle, u32, *mut u32) -> Code;
    get_source: "AttributeList_GetSourceCodeLocationRef"(Handle, u32, *mut u32) -> Code;

    write_program_begin: "EvtWriter_ProgramBegin"(Handle, Handle, u64, u32, u32, *const u32) -> Code;
    write_program_end: "EvtWriter_ProgramEnd"(Handle, Handle, u64, i64) -> Code;
    write_enter: "EvtWriter_Enter"(Handle, Handle, u64, u32) -> Code;
    write_leave: "EvtWriter_Leave"(Handle, Handle, u64, u32) -> Code;
    write_fork: "EvtWriter_ThreadFork"(Handle, Handle, u64, u8, u32) -> Code;
    write_join: "EvtWriter_ThreadJoin"(Handle, Handle, u64, u8) -> Code;
    write_send: "EvtWriter_MpiSend"(Handle, Handle, u64, u32, u32, u32, u64) -> Code;
    write_isend: "EvtWriter_MpiIsend"(Handle, Handle, u64, u32, u32, u32, u64, u64) -> Code;
    write_isend_complete: "EvtWriter_MpiIsendComplete"(Handle, Handle, u64, u64) -> Code;
    write_irecv_request: "EvtWriter_MpiIrecvRequest"(Handle, Handle, u64, u64) -> Code;
    write_recv: "EvtWriter_MpiRecv"(Handle, Handle, u64, u32, u32, u32, u64) -> Code;
    write_irecv: "EvtWriter_MpiIrecv"(Handle, Handle, u64, u32, u32, u32, u64, u64) -> Code;
    write_collective_begin: "EvtWriter_MpiCollectiveBegin"(Handle, Handle, u64) -> Code;
    write_collective_end: "EvtWriter_MpiCollectiveEnd"(Handle, Handle, u64, u8, u32, u32, u64, u64) -> Code;
    write_collective_request: "EvtWriter_NonBlockingCollectiveRequest"(Handle, Handle, u64, u64) -> Code;
    write_collective_complete: "EvtWriter_NonBlockingCollectiveComplete"(Handle, Handle, u64, u8, u32, u32, u64, u64, u64) -> Code;
    events_written: "EvtWriter_GetNumberOfEvents"(Handle, *mut u64) -> Code;

    define_clock: "GlobalDefWriter_WriteClockProperties"(Handle, u64, u64, u64, u64) -> Code;
    define_string: "GlobalDefWriter_WriteString"(Handle, u32, *const c_char) -> Code;
    define_paradigm: "GlobalDefWriter_WriteParadigm"(Handle, u8, u32, u8) -> Code;
    define_attribute: "GlobalDefWriter_WriteAttribute"(Handle, u32, u32, u32, u8) -> Code;
    define_system_node: "GlobalDefWriter_WriteSystemTreeNode"(Handle, u32, u32, u32, u32) -> Code;
    define_domain: "GlobalDefWriter_WriteSystemTreeNodeDomain"(Handle, u32, u8) -> Code;
    define_location_group: "GlobalDefWriter_WriteLocationGroup"(Handle, u32, u32, u8, u32, u32) -> Code;
    define_location: "GlobalDefWriter_WriteLocation"(Handle, u64, u32, u8, u64, u32) -> Code;
    define_region: "GlobalDefWriter_WriteRegion"(Handle, u32, u32, u32, u32, u8, u8, u32, u32, u32, u32) -> Code;
    define_group: "GlobalDefWriter_WriteGroup"(Handle, u32, u32, u8, u8, u32, u32, *const u64) -> Code;
    define_comm: "GlobalDefWriter_WriteComm"(Handle, u32, u32, u32, u32, u32) -> Code;
    define_source: "GlobalDefWriter_WriteSourceCodeLocation"(Handle, u32, u32, u32) -> Code;

    reader_open: "Reader_Open"(*const c_char) -> Handle;
    reader_close: "Reader_Close"(Handle) -> Code;
    reader_serial: "Reader_SetSerialCollectiveCallbacks"(Handle) -> Code;
    reader_creator: "Reader_GetCreator"(Handle, *mut *mut c_char) -> Code;
    global_reader: "Reader_GetGlobalDefReader"(Handle) -> Handle;
    close_global_reader: "Reader_CloseGlobalDefReader"(Handle, Handle) -> Code;
    register_definitions: "Reader_RegisterGlobalDefCallbacks"(Handle, Handle, Handle, *mut c_void) -> Code;
    read_definitions: "Reader_ReadAllGlobalDefinitions"(Handle, Handle, *mut u64) -> Code;
    select_location: "Reader_SelectLocation"(Handle, u64) -> Code;
    open_local_definitions: "Reader_OpenDefFiles"(Handle) -> Code;
    close_local_definitions: "Reader_CloseDefFiles"(Handle) -> Code;
    local_reader: "Reader_GetDefReader"(Handle, u64) -> Handle;
    read_local_definitions: "Reader_ReadAllLocalDefinitions"(Handle, Handle, *mut u64) -> Code;
    close_local_reader: "Reader_CloseDefReader"(Handle, Handle) -> Code;
    open_events: "Reader_OpenEvtFiles"(Handle) -> Code;
    event_reader: "Reader_GetEvtReader"(Handle, u64) -> Handle;
    register_events: "Reader_RegisterEvtCallbacks"(Handle, Handle, Handle, *mut c_void) -> Code;
    read_events: "Reader_ReadAllLocalEvents"(Handle, Handle, *mut u64) -> Code;
    close_event_reader: "Reader_CloseEvtReader"(Handle, Handle) -> Code;

    definition_callbacks: "GlobalDefReaderCallbacks_New"() -> Handle;
    delete_definition_callbacks: "GlobalDefReaderCallbacks_Delete"(Handle);
    on_clock: "GlobalDefReaderCallbacks_SetClockPropertiesCallback"(Handle, OnClock) -> Code;
    on_string: "GlobalDefReaderCallbacks_SetStringCallback"(Handle, OnString) -> Code;
    on_system_node: "GlobalDefReaderCallbacks_SetSystemTreeNodeCallback"(Handle, OnSystemNode) -> Code;
    on_location_group: "GlobalDefReaderCallbacks_SetLocationGroupCallback"(Handle, OnLocationGroup) -> Code;
    on_location: "GlobalDefReaderCallbacks_SetLocationCallback"(Handle, OnLocation) -> Code;
    on_region: "GlobalDefReaderCallbacks_SetRegionCallback"(Handle, OnRegion) -> Code;
    on_group: "GlobalDefReaderCallbacks_SetGroupCallback"(Handle, OnGroup) -> Code;
    on_comm: "GlobalDefReaderCallbacks_SetCommCallback"(Handle, OnComm) -> Code;
    on_inter_comm: "GlobalDefReaderCallbacks_SetInterCommCallback"(Handle, OnInterComm) -> Code;
    on_attribute: "GlobalDefReaderCallbacks_SetAttributeCallback"(Handle, OnAttribute) -> Code;
    on_source: "GlobalDefReaderCallbacks_SetSourceCodeLocationCallback"(Handle, OnSourceLocation) -> Code;

    event_callbacks: "EvtReaderCallbacks_New"() -> Handle;
    delete_event_callbacks: "EvtReaderCallbacks_Delete"(Handle);
    on_program_begin: "EvtReaderCallbacks_SetProgramBeginCallback"(Handle, OnProgramBegin) -> Code;
    on_enter: "EvtReaderCallbacks_SetEnterCallback"(Handle, OnRegionEvent) -> Code;
    on_leave: "EvtReaderCallbacks_SetLeaveCallback"(Handle, OnRegionEvent) -> Code;
    on_fork: "EvtReaderCallbacks_SetThreadForkCallback"(Handle, OnFork) -> Code;
    on_join: "EvtReaderCallbacks_SetThreadJoinCallback"(Handle, OnJoin) -> Code;
    on_send: "EvtReaderCallbacks_SetMpiSendCallback"(Handle, OnMessage) -> Code;
    on_isend: "EvtReaderCallbacks_SetMpiIsendCallback"(Handle, OnRequestMessage) -> Code;
    on_isend_complete: "EvtReaderCallbacks_SetMpiIsendCompleteCallback"(Handle, OnRequest) -> Code;
    on_irecv_request: "EvtReaderCallbacks_SetMpiIrecvRequestCallback"(Handle, OnRequest) -> Code;
    on_recv: "EvtReaderCallbacks_SetMpiRecvCallback"(Handle, OnMessage) -> Code;
    on_irecv: "EvtReaderCallbacks_SetMpiIrecvCallback"(Handle, OnRequestMessage) -> Code;
    on_collective_begin: "EvtReaderCallbacks_SetMpiCollectiveBeginCallback"(Handle, OnMoment) -> Code;
    on_collective_end: "EvtReaderCallbacks_SetMpiCollectiveEndCallback"(Handle, OnCollectiveEnd) -> Code;
    on_collective_request: "EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback"(Handle, OnRequest) -> Code;
    on_collective_complete: "EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback"(Handle, OnCollectiveComplete) -> Code;
}

/// Debian's name is another one, so that it goes with the package's.
const NAMES: [&str; 2] = ["libotf2.so.10", "libopen-trace-format2.so.10"];

impl Otf2 {
    /// Opens the library, and has it say to us what it would say on stderr.
    pub fn open() -> Result<Otf2, Otf2Error> {
        let mut problem = String::new();
        for name in NAMES {
            // SAFETY: the library's initialisers only fill tables of its own.
            match unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) } {
                Ok(library) => {
                    let otf2 = Otf2::with(library)?;
                    // SAFETY: the function below stays, and uses no data of the caller.
                    unsafe { (otf2.register_error)(on_error, std::ptr::null_mut()) };
                    forget();
                    return Ok(otf2);
                }
                Err(error) => problem = innermost(&error),
            }
        }
        Err(Otf2Error::LibraryMissing { problem })
    }

    /// What the library said last of a failure, or what its code means.
    pub fn problem(&self, code: Code) -> String {
        if let Some(said) = SAID.with_borrow_mut(Option::take) {
            return said;
        }
        // SAFETY: the library gives a text of its own for any number.
        text(unsafe { (self.describe_error)(code) })
    }
}

/// What was said before is of no failure that follows.
pub fn forget() {
    SAID.with_borrow_mut(|said| *said = None);
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(cause) = error.source() {
        error = cause;
    }
    error.to_string()
}

pub type OnError = unsafe extern "C" fn(
    *mut c_void,
    *const c_char,
    u64,
    *const c_char,
    Code,
    *const c_char,
    *mut c_void,
) -> Code;

thread_local! {
    /// The first of what is said of a failure: what follows repeats it in the words of the callers.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

unsafe extern "C" {
    // Both of the C library. A `va_list` that is handed to a function is a pointer, on x86-64 as an array and on aarch64 as a large structure.
    fn free(text: *mut c_void);
    fn vsnprintf(text: *mut c_char, size: usize, format: *const c_char, arguments: *mut c_void) -> c_int;
}

/// Warnings have negative codes, and are not kept.
unsafe extern "C" fn on_error(
    _: *mut c_void,
    _: *const c_char,
    _: u64,
    _: *const c_char,
    code: Code,
    format: *const c_char,
    arguments: *mut c_void,
) -> Code {
    let is_known = SAID.with_borrow(Option::is_some);
    if code > 0 && !is_known && !format.is_null() {
        let mut said = [0u8; 512];
        // SAFETY: the library hands over a format and its arguments; the buffer has place for as many bytes, and ends with a 0.
        unsafe { vsnprintf(said.as_mut_ptr().cast(), said.len(), format, arguments) };
        let said = CStr::from_bytes_until_nul(&said).map(CStr::to_string_lossy).unwrap_or_default();
        let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
        SAID.with_borrow_mut(|said| *said = Some(line).filter(|line| !line.is_empty()));
    }
    code
}

/// A text of the library; empty where there is none.
pub fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the library's texts end with a 0.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The same of a text that is ours to free.
pub fn own_text(of: *mut c_char) -> String {
    let copy = text(of);
    // SAFETY: the library allocated it with `malloc` for us, and nobody has it behind here; of none nothing is freed.
    unsafe { free(of.cast()) };
    copy
}

/// A text for the library, which takes none with a 0 in it.
pub fn c_text(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().take_while(|byte| *byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// The name of a file for the library.
pub fn c_path(path: &Path) -> Result<CString, Otf2Error> {
    let name: &OsStr = path.as_os_str();
    CString::new(name.as_bytes()).map_err(|_| Otf2Error::Name { path: path.to_owned() })
}
