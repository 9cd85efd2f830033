use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, SourcePlace};

use super::*;

#[test]
fn long_names_of_functions_lose_their_arguments() {
    for (name, short) in [
        ("iso3dfd::Field::Field(unsigned long, iso3dfd::Pages)", None),
        (
            "void c10::function_ref<void (char**, long const*)>::callback_fn<at::native::VectorizedLoop2d<float> >(long, char*…",
            Some("void c10::function_ref<…>::callback_fn<…>(…)"),
        ),
        (
            "at::native::(anonymous namespace)::normal_kernel(at::TensorBase const&, double, double)",
            Some("at::native::(anonymous namespace)::normal_kernel(…)"),
        ),
        (
            "std::function<void (int)>::operator()(int, std::vector<double, std::allocator<double> >) const",
            Some("std::function<…>::operator()(…) const"),
        ),
        (
            "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
            Some("std::ostream& std::operator<< <…>(…)"),
        ),
    ] {
        assert_eq!(function_in_short(name), short.unwrap_or(name));
    }
}

fn place(function: &str, source: &str, line: u32) -> CodePlace {
    let source = SourcePlace {
        function: Reading::Measured(function.to_owned()),
        file: Reading::Measured(source.to_owned()),
        line: Reading::Measured(line),
    };
    CodePlace { file: "/opt/bin/app".to_owned(), address: 0x10, source }
}

#[test]
fn a_column_keeps_the_name_of_the_function_and_its_line() {
    for (function, width, shown) in [
        ("solve", 40, "solve (lulesh.cc:2024)"),
        ("CommSend(Domain&, int, int, double**, int)", 40, "CommSend(…) (lulesh.cc:2024)"),
        ("double norm<3, std::array<double, 3> >(double*, int)", 40, "double norm<…>(…) (lulesh.cc:2024)"),
        (
            "ns::solver::Multigrid<double>::smooth(double*, int, int*, int)",
            40,
            "..::smooth(…) (lulesh.cc:2024)",
        ),
        ("ns::Grid<double>::ns2::smooth(double*, int, int*, int)", 40, "..::ns2::smooth(…) (lulesh.cc:2024)"),
        (
            "void CalcHourglassControlForElements(double*, int)",
            40,
            "CalcHourglassControlF.. (lulesh.cc:2024)",
        ),
        ("main::{lambda(int)#1}::operator()(int) const", 36, "operator() (lulesh.c:24)"),
    ] {
        let (file, line) =
            if shown.ends_with("c:24)") { ("/src/lulesh.c", 24) } else { ("/src/lulesh.cc", 2024) };
        let found = place_within(&place(function, file, line), width);
        assert_eq!(found, shown, "{function}");
    }
}

#[test]
fn a_long_name_of_a_file_leaves_room_for_the_function() {
    let mut of = place("PyArray_NewFromDescr(int, long)", "", 1);
    of.file = "/usr/lib/_multiarray_umath.cpython-311-x86_64-linux-gnu.so".to_owned();
    (of.source.file, of.source.line) = (Reading::unavailable("none"), Reading::unavailable("none"));
    let found = place_within(&of, 40);
    assert_eq!(found, "PyArray_NewFrom.. (_multiarray_umath.so)");
    of.file = "/usr/lib/libmultiarray_umath-x86_64-linux-gnu.so".to_owned();
    let found = place_within(&of, 40);
    assert_eq!(found.chars().count(), 40, "{found}");
    assert!(found.starts_with("PyArray_NewFro.. (..") && found.ends_with("86_64-linux-gnu.so)"), "{found}");
    of.file = "/usr/lib/_multiarray_umath.cpython-311-x86_64-linux-gnu.so".to_owned();
    of.source.function = Reading::Measured("sklearn.cluster._k_means_lloyd.lloyd_iter".to_owned());
    assert_eq!(place_within(&of, 60), "..cluster._k_means_lloyd.lloyd_iter (_multiarray_umath.so)");
    of.source.function = Reading::unavailable("none");
    assert!(place_within(&of, 40).ends_with("linux-gnu.so+0x10"));
}
