use iced_x86::code_asm::*;

use super::*;
use crate::code::{RAX, RBX, RCX, RDI, RSI, RSP, function, registers_at};
use crate::{Direction, StackCopy};

/// The addresses that are blamed at an instruction.
fn blamed(listing: &Listing, step: usize) -> Vec<u64> {
    match blame(listing, &registers_at(listing, step), &StackCopy::default()) {
        Blame::Accesses(accesses) => accesses.iter().map(|access| access.address).collect(),
        Blame::Unknown { .. } | Blame::Nothing => Vec::new(),
    }
}

#[test]
fn the_access_before_is_blamed_at_the_address_that_it_had() {
    let listing = function(|a| {
        a.mov(rax, ptr(rbx)).unwrap();
        a.add(rbx, 8).unwrap();
        a.mov(ptr(rsi), rax).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&listing, 1), [RBX]);
    assert_eq!(blamed(&listing, 3), [RSI]);
    assert_eq!(
        blame(&listing, &registers_at(&listing, 0), &StackCopy::default()),
        Blame::Nothing,
        "the function was entered"
    );
    let mut inside = registers_at(&listing, 1);
    inside.ip += 1;
    assert_eq!(
        blame(&listing, &inside, &StackCopy::default()),
        Blame::Nothing,
        "no instruction begins there"
    );
}

#[test]
fn the_load_whose_result_was_needed_is_blamed() {
    // The addition waits for the load, and rbx has moved on since.
    let listing = function(|a| {
        a.vmovsd(xmm0, ptr(rbx)).unwrap();
        a.add(rbx, 8).unwrap();
        a.vmulsd(xmm2, xmm0, xmm3).unwrap();
        a.vaddsd(xmm1, xmm1, xmm2).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&listing, 4), [RBX - 8]);
    assert_eq!(blamed(&listing, 3), [RBX - 8]);
}

#[test]
fn a_pointer_that_its_own_load_has_overwritten_follows_from_what_was_made_of_it() {
    // As compilers call a virtual function of an element: rdi is the object.
    let element = |after: fn(&mut CodeAssembler)| {
        function(|a| {
            a.lea(rdi, ptr(rbx + rax)).unwrap();
            after(a);
            a.mov(rax, ptr(rbx + rax)).unwrap();
            a.call(qword_ptr(rax + 16)).unwrap();
            a.ret().unwrap();
        })
    };
    assert_eq!(blamed(&element(|_| {}), 2), [RDI]);
    assert_eq!(blamed(&element(|a| a.mov(rdi, rsi).unwrap()), 3), [], "rdi is another");
    assert_eq!(blamed(&element(|a| a.add(rdi, 8).unwrap()), 3), [RDI - 8]);
    assert_eq!(blamed(&element(|a| a.mov(rax, rcx).unwrap()), 3), [RBX + RCX], "rax was another then");
    let scaled = function(|a| {
        a.lea(rdi, ptr(rbx + rax * 8 + 4)).unwrap();
        a.mov(rax, ptr(rsi + rax * 8)).unwrap();
        a.test(rax, rax).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&scaled, 2), [], "not a multiple of 8");
    let copied = function(|a| {
        a.mov(rdi, rax).unwrap();
        a.mov(rax, ptr(rax)).unwrap();
        a.test(rax, rax).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&copied, 2), [RDI]);
}

#[test]
fn at_the_head_of_a_loop_its_end_is_blamed() {
    let listing = function(|a| {
        let mut again = a.create_label();
        a.mov(rcx, ptr(rdi)).unwrap();
        a.set_label(&mut again).unwrap();
        a.add(rbx, 8).unwrap();
        a.cmp(ptr(rbx), rax).unwrap();
        a.jne(again).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&listing, 3), [RBX]);
    assert_eq!(blamed(&listing, 4), [RBX], "the branch waits for the comparison");
    assert_eq!(blamed(&listing, 1), [RBX], "and the head for the branch");
}

#[test]
fn what_stands_before_a_loop_is_not_blamed_in_it() {
    let listing = function(|a| {
        let mut again = a.create_label();
        a.mov(rcx, ptr(rdi)).unwrap();
        a.set_label(&mut again).unwrap();
        a.add(rbx, 8).unwrap();
        a.dec(rcx).unwrap();
        a.jne(again).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blame(&listing, &registers_at(&listing, 1), &StackCopy::default()), Blame::Nothing);
    assert_eq!(blamed(&listing, 4), [RDI], "behind it the count is what was needed");
}

#[test]
fn the_next_node_of_a_chain_stands_for_the_one_that_was_loaded() {
    let chase = function(|a| {
        let mut again = a.create_label();
        a.set_label(&mut again).unwrap();
        a.mov(rax, ptr(rax)).unwrap();
        a.dec(rcx).unwrap();
        a.jne(again).unwrap();
    });
    let Blame::Accesses(found) = blame(&chase, &registers_at(&chase, 1), &StackCopy::default()) else {
        panic!("nothing is blamed")
    };
    assert_eq!(
        (found[0].address, found[0].ip, found[0].direction),
        (RAX, chase.steps()[0].ip(), Direction::Read)
    );
}

#[test]
fn an_address_that_is_lost_is_not_guessed() {
    let listing = function(|a| {
        a.mov(rbx, ptr(rbx)).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(
        blame(&listing, &registers_at(&listing, 1), &StackCopy::default()),
        Blame::Unknown { ip: listing.steps()[0].ip() }
    );
    let counted = function(|a| {
        a.mov(rax, ptr(rbx + rcx * 8)).unwrap();
        a.inc(rcx).unwrap();
        a.add(rdx, rax).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&counted, 3), [RBX + 8 * (RCX - 1)]);
}

#[test]
fn behind_a_call_nothing_is_blamed() {
    let listing = function(|a| {
        a.mov(rax, ptr(rbx)).unwrap();
        a.call(rsi).unwrap();
        a.mov(rdx, rax).unwrap();
    });
    assert_eq!(blame(&listing, &registers_at(&listing, 2), &StackCopy::default()), Blame::Nothing);
}

#[test]
fn a_copy_is_blamed_while_it_goes_on_and_at_its_end_when_it_is_over() {
    let listing = function(|a| {
        a.mov(rax, ptr(rbx)).unwrap();
        a.rep().movsb().unwrap();
        a.ret().unwrap();
    });
    let sorted = |step| {
        let mut addresses = blamed(&listing, step);
        addresses.sort_unstable();
        addresses
    };
    assert_eq!(sorted(1), [RSI, RDI], "of the next element, and not the load before");
    assert_eq!(sorted(2), [RSI - 1, RDI - 1], "of the last");
}

#[test]
fn a_number_that_was_loaded_is_no_next_node() {
    let by_number = function(|a| {
        let mut again = a.create_label();
        a.set_label(&mut again).unwrap();
        for _ in 0..2 {
            a.lea(rax, ptr(rbx + rax * 8)).unwrap();
            a.mov(rax, ptr(rax)).unwrap();
        }
        a.dec(rcx).unwrap();
        a.jne(again).unwrap();
    });
    // Behind each of the loads rax is the number of an element, of which the next load says where it lies.
    for step in [2, 4] {
        let expected: &[u64] = &[RBX + 8 * RAX];
        let found = blamed(&by_number, step);
        assert!(found.is_empty() || found == expected, "{found:x?} at {step}");
    }
}

#[test]
fn in_a_chain_that_was_unrolled_the_next_node_stands_for_the_one_before() {
    let chase = function(|a| {
        let mut again = a.create_label();
        a.set_label(&mut again).unwrap();
        for _ in 0..4 {
            a.mov(rax, ptr(rax + 8)).unwrap();
        }
        a.dec(rcx).unwrap();
        a.jne(again).unwrap();
    });
    for step in 1..=4 {
        assert_eq!(blamed(&chase, step), [RAX + 8], "at {step}");
    }
}

#[test]
fn behind_a_branch_what_the_branch_went_by_is_blamed() {
    let listing = function(|a| {
        let (mut again, mut over) = (a.create_label(), a.create_label());
        a.set_label(&mut again).unwrap();
        a.cmp(ptr(rbx + rcx * 8), rdx).unwrap();
        a.jg(over).unwrap();
        a.add(rax, 1).unwrap();
        a.jmp(again).unwrap();
        a.set_label(&mut over).unwrap();
        a.pxor(xmm0, xmm0).unwrap();
        a.ret().unwrap();
    });
    let place = RBX + 8 * RCX;
    assert_eq!(blamed(&listing, 3), [place], "it was not taken");
    assert_eq!(blamed(&listing, 4), [place], "it was taken to here");
    assert_eq!(blamed(&listing, 5), [place], "one instruction further on");
}

#[test]
fn stores_that_wait_stop_what_comes_behind_them() {
    let listing = function(|a| {
        let mut again = a.create_label();
        a.set_label(&mut again).unwrap();
        a.movups(ptr(rax), xmm0).unwrap();
        a.add(rax, 16).unwrap();
        a.cmp(rax, rdx).unwrap();
        a.jne(again).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&listing, 3), [RAX - 16]);
    assert_eq!(blamed(&listing, 0), [RAX - 16]);
}

#[test]
fn a_variable_on_the_stack_or_a_constant_is_blamed_only_if_nothing_else_can_be() {
    let listing = function(|a| {
        let mut again = a.create_label();
        a.set_label(&mut again).unwrap();
        a.vmovsd(xmm0, ptr(rbx)).unwrap();
        a.vmulsd(xmm0, xmm0, ptr(rsp + 8)).unwrap();
        a.vaddsd(xmm1, xmm1, xmm0).unwrap();
        a.add(rbx, 8).unwrap();
        a.cmp(rbx, rdx).unwrap();
        a.jne(again).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&listing, 2), [RBX], "and not the stack");
    let alone = function(|a| {
        a.vmovsd(xmm0, ptr(rsp + 8)).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&alone, 1), [RSP + 8]);
    let array = function(|a| {
        a.vmovsd(xmm0, ptr(rbx)).unwrap();
        a.vmulsd(xmm0, xmm0, ptr(rsp + rcx * 8)).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(blamed(&array, 2), [RSP + 8 * RCX], "an array on the stack may be large");
}
