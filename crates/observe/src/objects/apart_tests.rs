use super::*;

#[test]
fn the_nearest_caller_that_differs_tells_objects_apart() {
    let difference = |stacks: &[&[u32]]| {
        let together: Vec<(usize, Vec<u32>)> =
            stacks.iter().enumerate().map(|(k, own)| (k, own.to_vec())).collect();
        first_difference(&together)
    };
    assert_eq!(difference(&[&[1, 2, 3], &[1, 4, 3]]), Some(1));
    assert_eq!(difference(&[&[1, 2, 3], &[1, 2, 5], &[1, 2, 3]]), Some(2));
    assert_eq!(difference(&[&[1, 2], &[1, 2, 5]]), Some(2), "one was called by nobody that is known");
    assert_eq!(difference(&[&[1, 2, 3], &[1, 2, 3]]), None, "of two processes");
    assert_eq!(difference(&[&[1, 2, 3]]), None);
    assert_eq!(difference(&[&[1]]), None);
}
