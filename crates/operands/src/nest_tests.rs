use iced_x86::code_asm::*;
use proptest::prelude::*;

use super::*;
use crate::code::function;

fn nest(write: impl FnOnce(&mut CodeAssembler)) -> (Listing, Nest) {
    let listing = function(write);
    let nest = Nest::of(&listing);
    (listing, nest)
}

#[test]
fn a_loop_in_a_loop_has_its_own_instructions() {
    let (_, nest) = nest(|a| {
        let (mut outer, mut inner) = (a.create_label(), a.create_label());
        a.xor(eax, eax).unwrap();
        a.set_label(&mut outer).unwrap();
        a.xor(ecx, ecx).unwrap();
        a.set_label(&mut inner).unwrap();
        a.add(rcx, 1).unwrap();
        a.cmp(rcx, rdx).unwrap();
        a.jne(inner).unwrap();
        a.add(rax, 1).unwrap();
        a.cmp(rax, rdx).unwrap();
        a.jne(outer).unwrap();
        a.ret().unwrap();
    });
    let [outer, inner] = nest.loops.as_slice() else { panic!("{nest:?}") };
    assert_eq!((outer.head, outer.depth, outer.is_innermost, outer.parent), (1, 1, false, None));
    assert_eq!((inner.head, inner.depth, inner.is_innermost, inner.parent), (2, 2, true, Some(0)));
    assert_eq!(outer.steps, vec![Range { start: 1, end: 8 }]);
    assert_eq!(outer.own_steps().collect::<Vec<_>>(), [1, 5, 6, 7]);
    assert_eq!(inner.own_steps().collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!([0, 1, 3, 6, 8].map(|step| nest.around(step)), [None, Some(0), Some(1), Some(0), None]);
}

#[test]
fn a_jump_on_to_the_next_pass_makes_no_second_loop() {
    let (_, nest) = nest(|a| {
        let (mut head, mut end) = (a.create_label(), a.create_label());
        a.set_label(&mut head).unwrap();
        a.add(rcx, 1).unwrap();
        a.test(rcx, rdx).unwrap();
        a.jne(head).unwrap();
        a.add(rax, rcx).unwrap();
        a.cmp(rcx, rsi).unwrap();
        a.jg(end).unwrap();
        a.jmp(head).unwrap();
        a.set_label(&mut end).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(nest.loops.len(), 1, "{nest:?}");
    assert_eq!(nest.loops[0].own_steps().count(), 7);
}

#[test]
fn what_two_ways_lead_into_is_counted_apart() {
    let (_, nest) = nest(|a| {
        let (mut first, mut second) = (a.create_label(), a.create_label());
        a.test(rax, rax).unwrap();
        a.je(second).unwrap();
        a.set_label(&mut first).unwrap();
        a.add(rcx, 1).unwrap();
        a.set_label(&mut second).unwrap();
        a.add(rdx, 1).unwrap();
        a.cmp(rcx, rdx).unwrap();
        a.jne(first).unwrap();
        a.ret().unwrap();
    });
    assert_eq!((nest.loops.len(), nest.irreducible), (0, 1));
}

#[test]
fn the_cases_of_a_switch_belong_to_the_loop_around_it() {
    let (_, nest) = nest(|a| {
        let (mut head, mut end) = (a.create_label(), a.create_label());
        a.set_label(&mut head).unwrap();
        a.add(rcx, 1).unwrap();
        a.jmp(qword_ptr(rdi + rcx * 8)).unwrap();
        a.add(rax, 1).unwrap();
        a.jmp(head).unwrap();
        a.add(rdx, 1).unwrap();
        a.cmp(rcx, rsi).unwrap();
        a.jne(head).unwrap();
        a.jmp(end).unwrap();
        a.set_label(&mut end).unwrap();
        a.ret().unwrap();
    });
    assert_eq!(nest.loops.len(), 1, "{nest:?}");
    assert_eq!(nest.loops[0].own_steps().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_return_leads_nowhere() {
    let (_, nest) = nest(|a| {
        let mut head = a.create_label();
        a.set_label(&mut head).unwrap();
        a.add(rcx, 1).unwrap();
        a.ret().unwrap();
        // Nothing leads here.
        a.jmp(head).unwrap();
    });
    assert_eq!(nest, Nest { loops: vec![], irreducible: 0, ..nest.clone() });
}

/// Blocks of one instruction and a conditional jump each.
fn blocks(targets: &[usize]) -> Listing {
    function(|a| {
        let mut labels: Vec<_> = targets.iter().map(|_| a.create_label()).collect();
        for (block, target) in targets.iter().enumerate() {
            a.set_label(&mut labels[block]).unwrap();
            a.add(rcx, 1).unwrap();
            a.jne(labels[*target % targets.len()]).unwrap();
        }
        a.ret().unwrap();
    })
}

/// The blocks that the first one leads to when one is taken away.
fn reached(targets: &[usize], without: Option<usize>) -> Vec<bool> {
    let mut is_reached = vec![false; targets.len()];
    let mut open = vec![0];
    while let Some(block) = open.pop() {
        if Some(block) == without || block >= targets.len() || is_reached[block] {
            continue;
        }
        is_reached[block] = true;
        open.extend([targets[block] % targets.len(), block + 1]);
    }
    is_reached
}

proptest! {
    /// Against the meaning of the words: each way into a loop goes over its head, each block of it comes back to the head inside of it, and each jump
    /// back to a block that all ways to it go through is in a loop of that head.
    #[test]
    fn loops_are_what_they_are_called(targets in prop::collection::vec(0..12usize, 1..12)) {
        let listing = blocks(&targets);
        let nest = Nest::of(&listing);
        let all = reached(&targets, None);
        let mut irreducible = 0;
        for of in &nest.loops {
            let head = of.head / 2;
            let is_in = |block: usize| of.steps.iter().any(|range| range.contains(&(2 * block)));
            let around = reached(&targets, Some(head));
            for block in (0..targets.len()).filter(|block| is_in(*block)) {
                prop_assert!(all[block] && !around[block], "only over the head");
                let ways = [targets[block] % targets.len(), block + 1];
                prop_assert!(ways.iter().any(|to| is_in(*to)), "goes on inside");
            }
        }
        for from in (0..targets.len()).filter(|from| all[*from]) {
            for to in [targets[from] % targets.len(), from + 1].into_iter().filter(|to| *to < targets.len()) {
                let goes_back = !reached(&targets, Some(to))[from];
                let is_loop = nest.loops.iter().any(|of| {
                    of.head == 2 * to && of.steps.iter().any(|range| range.contains(&(2 * from)))
                });
                prop_assert_eq!(goes_back, is_loop, "{} to {}", from, to);
                irreducible += usize::from(!goes_back && to <= from);
            }
        }
        // The order of a walk decides which jump of a circle with several ways in goes back.
        prop_assert!(irreducible > 0 || nest.irreducible == 0);
    }
}
