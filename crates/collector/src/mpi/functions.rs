//! Functions of MPI that we call ourselves: such as only look at what the process already has, by their PMPI_ names, and only
//! for handles that a call has just accepted.

use core::ffi::{CStr, c_int};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::library;

/// A function, looked up when it is first needed.
pub struct Function {
    name: &'static CStr,
    /// 0: not looked up. 1: there is none.
    found: AtomicUsize,
}

impl Function {
    const fn new(name: &'static CStr) -> Function {
        Function { name, found: AtomicUsize::new(0) }
    }

    #[inline]
    fn get(&self) -> Option<usize> {
        match self.found.load(Relaxed) {
            0 => self.look_up(),
            1 => None,
            found => Some(found),
        }
    }

    #[cold]
    fn look_up(&self) -> Option<usize> {
        let found = library::symbol(self.name, 0).expose_provenance().max(1);
        self.found.store(found, Relaxed);
        (found != 1).then_some(found)
    }

    /// Calls `int f(handle, int *)`.
    ///
    /// # Safety
    /// The function must be of that type, and the handle valid for it.
    pub unsafe fn number(&self, handle: u64) -> Option<c_int> {
        let mut number: c_int = 0;
        // SAFETY: the caller's promise.
        unsafe {
            let function: unsafe extern "C" fn(u64, *mut c_int) -> c_int = core::mem::transmute(self.get()?);
            (function(handle, &raw mut number) == 0).then_some(number)
        }
    }

    /// Calls `int f(handle, handle *)`.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn handle(&self, handle: u64) -> Option<u64> {
        let mut found: u64 = 0;
        // SAFETY: the caller's promise; the longest handle has eight bytes.
        unsafe {
            let function: unsafe extern "C" fn(u64, *mut u64) -> c_int = core::mem::transmute(self.get()?);
            (function(handle, &raw mut found) == 0).then_some(found)
        }
    }

    /// Calls `int f(handle *)`.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn release(&self, mut handle: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(found) = self.get() {
                let function: unsafe extern "C" fn(*mut u64) -> c_int = core::mem::transmute(found);
                function(&raw mut handle);
            }
        }
    }

    /// The address of the function, for other types.
    pub fn address(&self) -> Option<usize> {
        self.get()
    }
}

pub static TYPE_SIZE: Function = Function::new(c"PMPI_Type_size");
pub static TEST_CANCELLED: Function = Function::new(c"PMPI_Test_cancelled");
pub static GET_COUNT_C: Function = Function::new(c"PMPI_Get_count_c");
pub static COMM_SIZE: Function = Function::new(c"PMPI_Comm_size");
pub static COMM_RANK: Function = Function::new(c"PMPI_Comm_rank");
pub static COMM_TEST_INTER: Function = Function::new(c"PMPI_Comm_test_inter");
pub static COMM_REMOTE_SIZE: Function = Function::new(c"PMPI_Comm_remote_size");
pub static COMM_GROUP: Function = Function::new(c"PMPI_Comm_group");
pub static COMM_REMOTE_GROUP: Function = Function::new(c"PMPI_Comm_remote_group");
pub static COMM_GET_NAME: Function = Function::new(c"PMPI_Comm_get_name");
pub static GROUP_SIZE: Function = Function::new(c"PMPI_Group_size");
pub static GROUP_FREE: Function = Function::new(c"PMPI_Group_free");
pub static GROUP_TRANSLATE_RANKS: Function = Function::new(c"PMPI_Group_translate_ranks");
pub static TOPO_TEST: Function = Function::new(c"PMPI_Topo_test");
pub static CARTDIM_GET: Function = Function::new(c"PMPI_Cartdim_get");
pub static GRAPH_NEIGHBORS_COUNT: Function = Function::new(c"PMPI_Graph_neighbors_count");
pub static DIST_GRAPH_NEIGHBORS_COUNT: Function = Function::new(c"PMPI_Dist_graph_neighbors_count");
pub static CART_SHIFT: Function = Function::new(c"PMPI_Cart_shift");
pub static GRAPH_NEIGHBORS: Function = Function::new(c"PMPI_Graph_neighbors");
pub static DIST_GRAPH_NEIGHBORS: Function = Function::new(c"PMPI_Dist_graph_neighbors");
