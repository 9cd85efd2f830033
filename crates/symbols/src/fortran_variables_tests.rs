use super::*;

fn free(text: &str, line: u32, expected: &str) {
    assert_eq!(on_line(text, line, false).join(", "), expected, "line {line} of\n{text}");
}

#[test]
fn the_objects_of_an_allocate() {
    for (text, expected) in [
        ("allocate(u(n), v(n))", "u, v"),
        ("  ALLOCATE ( Grid%U(n, 2*m), stat = ierr )", "Grid%U"),
        ("allocate(real(8) :: a(n,m))", "a"),
        ("allocate(character(len=n) :: text)", "text"),
        ("allocate(a(i)%b(0:n, size(c, 1)), source=d)", "a(i)%b"),
        ("if (.not. allocated(u)) allocate(u(n))", "u"),
        ("10 allocate(u(n)); allocate(w(n)) ! and allocate(x(n))", "u, w"),
        ("deallocate(u)", ""),
        ("call allocate(u)", "u"),
        ("print *, 'allocate(u(n))'", ""),
        ("x = u + v", ""),
        ("allocate", ""),
        ("allocate(", ""),
        ("allocate()", ""),
        ("allocate(u(n)", ""),
        ("allocate(é(n))", "é"),
    ] {
        free(text, 1, if text.starts_with("call") { "u" } else { expected });
    }
}

#[test]
fn a_statement_goes_on_over_lines() {
    let text = "x = 1\nallocate(u(n), & ! the first\n  ! a remark\n  & v(n), &\n  w(n))\ny = 2\n";
    for (line, expected) in
        [(1, ""), (2, "u, v, w"), (4, "u, v, w"), (5, "u, v, w"), (6, ""), (7, ""), (0, "")]
    {
        free(text, line, expected);
    }
    let fixed = "      X = 1\n      ALLOCATE(U(N),\nC     A REMARK\n     &  V(N))\n      Y = 2\n";
    for (line, expected) in [(1, ""), (2, "U, V"), (4, "U, V"), (5, "")] {
        assert_eq!(on_line(fixed, line, true).join(", "), expected, "{line}");
    }
}
