use super::*;

fn source(text: &str) -> SourceText {
    SourceText::new(text.to_owned(), None)
}

fn check(text: &str, line: u32, expected: &str) {
    assert_eq!(on_line(&source(text), line).join(", "), expected, "line {line} of\n{text}");
}

/// A statement within a function.
fn within(statement: &str, expected: &str) {
    check(&format!("void f(int n)\n{{\n    g(n);\n    {statement}\n    h(n);\n}}\n"), 4, expected);
}

/// Where `^` stands a compiler says that a call is.
fn called(statement: &str, expected: Option<&str>) {
    let column = statement.find('^').unwrap();
    let text = format!("int g;\nvoid f(int n) {{\n{}\n}}\n", statement.replace('^', ""));
    assert_eq!(of_call(&source(&text), 3, column as u32 + 1).as_deref(), expected, "{statement}");
}

#[test]
fn a_call_is_known_by_its_column() {
    for (statement, expected) in [
        ("Field u(n^), v(n);", Some("u")),
        ("Field u(n), v(n^);", Some("v")),
        ("Field ^u(n), v(n);", Some("u")),
        ("    double *x = make^(n), *y = make(n);", Some("x")),
        ("    double *x = make(n), *y = ^make(n);", Some("y")),
        ("x = make(n); p->y = make^(n + 1);", Some("p->y")),
        ("Field *q = new Field(n^), *r = new Field(n);", Some("q")),
        ("Field *q = new Field(n), *r = new ^Field(n);", Some("r")),
        ("auto grid = ns::Grid<double>::make^(n);", Some("grid")),
        ("auto grid = ^ns::Grid<double>::make(n);", Some("grid")),
        // Arguments of another call may go anywhere.
        ("x = both(make^(n), make(n));", None),
        ("Field u(make^(n), make(n));", None),
        ("f(make^(n));", None),
        ("return make^(n);", None),
        ("make^(n);", None),
        ("x = make(n^);", None),
    ] {
        called(statement, expected);
    }
    let wave = "struct W { Field a, b; double *p; W(int n) : ^a(n.m(), g), b(n.m(), g), p(make(n)) {} };";
    for (marked, expected) in [
        (wave.to_owned(), Some("a")),
        (wave.replace("^a(", "a(").replace(" b(n", " ^b(n"), Some("b")),
        (wave.replace("^a(", "a(").replace("make(", "make^("), Some("p")),
        (wave.replace("^a(", "a(").replace("make(", "^make("), Some("p")),
        (wave.replace("^a(", "a(").replace("b(n.m(", "b(n.m^("), None),
    ] {
        called(&marked, expected);
    }
    for (line, column) in [(0, 1), (1, 0), (1, 2), (9, 9), (u32::MAX, u32::MAX)] {
        assert_eq!(of_call(&source("x = make(n);"), line, column), None);
    }
    assert_eq!(of_call(&source(""), 1, 1), None);
}

#[test]
fn what_an_allocation_is_assigned_to() {
    for (statement, expected) in [
        ("double *u = malloc(n * sizeof(double));", "u"),
        ("double *u = (double *)malloc(n), *v = (double*)calloc(n, 8);", "u, v"),
        ("u = (T*)malloc(n);", "u"),
        ("u = (struct cell *) malloc(n * sizeof *u);", "u"),
        ("p->grid[i] = new double[n];", "p->grid[i]"),
        ("p->a[i].b[j + 1] = new double[n];", "p->a[i].b[j+1]"),
        ("this->data_ = static_cast<double*>(std::malloc(n));", "data_"),
        ("*out = malloc(n);", "*out"),
        ("double *out = new (std::nothrow) double[n]();", "out"),
        ("auto x = std::make_unique<double[]>(n);", "x"),
        ("std::shared_ptr<T> p = std::make_shared<T>(n);", "p"),
        ("if ((buf = malloc(n)) == NULL) return;", "buf"),
        ("if (!(buf = xmalloc(n))) { abort(); }", "buf"),
        ("while (!(s->next = (node *)calloc(1, n))) wait();", "s->next"),
        ("a = malloc(n); b = realloc(b, n);", "a, b"),
        ("void *m = mmap(NULL, n, PROT_READ, MAP_PRIVATE, -1, 0);", "m"),
        ("u = (double *)((char *)_mm_malloc(n + 64, 64) + 64);", "u"),
        ("u = fftw_alloc_complex(n);", "u"),
        ("double (*a)[8] = malloc(n * sizeof *a);", ""),
        ("for (i = 0; i < n; i++) row[i] = malloc(n);", "row[i]"),
        ("case 3: u = malloc(n);", "u"),
        ("u = v;", "u"),
        ("std::vector<double> u = v;", "u"),
        ("u = std::vector<double>(n, 1.0);", "u"),
        ("const auto u = new Grid{n, 2};", "u"),
        ("ns::buffer = ::malloc(n);", "ns::buffer"),
    ] {
        within(statement, expected);
    }
}

#[test]
fn what_is_declared_or_grows() {
    for (statement, expected) in [
        ("std::vector<double> u(n, 0.0), v(n);", "u, v"),
        ("std::vector<double> u(n), w;", "u"),
        ("std::vector<std::vector<double>> u(n, std::vector<double>(n));", ""),
        ("static std::vector<double> table{n};", "table"),
        ("const std::valarray<float> w(1.0f, n * n);", "w"),
        ("Matrix<double> m(v.size(), (size_t)n);", "m"),
        ("Grid grid(n, n);", "grid"),
        ("std::unique_ptr<double[]> p(new double[n]);", "p"),
        ("u.resize(n);", "u"),
        ("fields[i].resize(n * (m + 1));", "fields[i]"),
        ("this->u.reserve(v.size());", "u"),
        ("p->rows.push_back(row);", "p->rows"),
        ("p.reset(new double[n]);", "p"),
        ("std::size_t m = n, k(n);", ""),
    ] {
        within(statement, expected);
    }
}

#[test]
fn what_is_given_through_a_parameter() {
    for (statement, expected) in [
        ("posix_memalign((void**)&buf, 64, n);", "buf"),
        ("int e = posix_memalign((void **)&s->buf[i], 64, n);", "s->buf[i]"),
        ("if (posix_memalign(reinterpret_cast<void**>(&buf), 64, n)) abort();", "buf"),
        ("if (posix_memalign(out, 64, n)) abort();", "*out"),
        ("MPI_Alloc_mem(n * sizeof(double), MPI_INFO_NULL, &p);", "p"),
        ("MPI_Win_allocate(n, 8, MPI_INFO_NULL, comm, &base, &win);", "base"),
        ("CHECK(cudaMallocManaged(&d_u, n));", "d_u"),
    ] {
        within(statement, expected);
    }
}

#[test]
fn nothing_is_guessed() {
    for statement in [
        "return malloc(n);",
        "u = malloc(n); use(malloc(n));",
        "u = (T *)malloc(strlen(strdup(s)));",
        "auto u = std::make_unique<T>(std::vector<double>(n));",
        "use(malloc(n));",
        "u = wrap(malloc(n));",
        "u = ok ? malloc(n) : NULL;",
        "bool bad = malloc(n) == NULL;",
        "int first = vector<int>(n)[0];",
        "list.push_back(make_row(n));",
        "Matrix c(transform(a), n);",
        "double norm(length_of(copy));",
        "new double[n];",
        "ALLOCATE(u, n);",
        "f(x)->u = malloc(n);",
        "std::cout << make(n);",
        "n = buffer.alloc_count(n);",
        "u = table.size();",
        "u = v + w;",
        "delete[] u;",
        "// u = malloc(n);",
        "/* u = malloc(n); */ g(\"u = malloc(n);\");",
        "#define X u = malloc(n)",
        "lock_guard<mutex> *guard(n);",
        "",
    ] {
        within(statement, "");
    }
}

#[test]
fn a_statement_may_have_several_lines() {
    let text = "void f()\n{\n  double *u =\n    (double *)\n    malloc(n *\n      8);\n  std::vector<double> a(n),\n    b(n),\n    c(n);\n}\n";
    for (line, expected) in
        [(2, ""), (3, "u"), (4, "u"), (5, "u"), (6, "u"), (7, "a"), (8, "b"), (9, "c"), (10, "")]
    {
        check(text, line, expected);
    }
    check("u = malloc(n)", 1, "u");
    check("u = malloc(n)", 0, "");
    check("u = malloc(n)", 7, "");
}

#[test]
fn members_that_a_constructor_makes() {
    let text = "Grid::Grid(int n)\n  : n_(n), u_(n),\n    v_(n),\n    w_(new double[n]), k_(n)\n{\n  x_.resize(n);\n}\nG::G(int n) : u_{n} {}\n";
    for (line, expected) in [(1, ""), (2, ""), (3, "v_"), (4, ""), (6, "x_"), (8, "u_")] {
        check(text, line, expected);
    }
}

#[test]
fn broken_text_names_nothing_and_ends() {
    for text in [
        "",
        ")",
        "}}}}",
        "((((",
        "= malloc(",
        "u = malloc(n",
        "u = (",
        "\"",
        "'",
        "R\"x(",
        "/*",
        "a<b<c<",
        "\\",
        "u = new",
        "x(",
        ": a(",
        "f() : ",
        "f() : a",
        "posix_memalign(",
        "posix_memalign(&",
        "[]]",
        "->",
        "u = (double",
        "é = ü(\u{1F600})",
        "\"\\",
        "\"\\é",
        "#",
        "#\\",
        "#\\\n",
        "a.b.",
        "[1] = malloc(n);",
        "] = malloc(n);",
    ] {
        for line in 0..3 {
            on_line(&source(text), line);
        }
    }
    for deep in ["(", "{", "a=", "a<", "):", "a[", "u={", "x,", "\"", "if("] {
        on_line(&source(&(deep.repeat(200_000) + "u = malloc(n);")), 1);
        on_line(&source(&(deep.repeat(1_000) + "u = malloc(n);")), 1);
    }
}
