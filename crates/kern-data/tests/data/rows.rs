//! Rows by the schema of another table.

use kern_core::{Kernel, KernelSpec, Row};
use kern_data::{Error, Format, Kind, Source, Table};

fn read(text: &str) -> Table {
    Source::new(Format::Csv, text.as_bytes()).read().unwrap()
}

#[test]
fn other_tables_become_rows_by_the_schema_of_the_first() {
    let first = read("colour,x,id\nred,1,7\nblue,2,8\nred,,9\nblue,4,1\n");
    let mut schema = first.schema();
    schema.fields.retain(|field| field.name != "id");
    let rows = first.rows(&schema).unwrap();
    assert!(rows[2].numbers[0].is_nan());
    assert_eq!(rows[0].categories, rows[2].categories);
    // Columns in another order, a level that was not seen, and a missing one.
    let other = read("x,colour\n5,green\n6,red\n7,\n8,pink\n9,red\n");
    let others = other.rows(&schema).unwrap();
    assert_eq!(others[1], Row { numbers: vec![6.0], ..rows[0].clone() });
    let letters: Vec<&str> = others.iter().map(|row| row.categories.as_str()).collect();
    assert!(letters[0] == letters[3] && letters[0] != letters[2] && letters[0] != letters[1]);
    let lost = read("x\n1\n").rows(&schema).unwrap_err();
    assert_eq!(lost.to_string(), "missing column `colour`; the table has x");
    let words = read("x,colour\na b,red\nc d,red\ne,red\nf,red\n").rows(&schema);
    assert!(matches!(words, Err(Error::Kind { column, .. }) if column == "x"));
}

#[test]
fn a_formula_is_a_kernel_on_all_parts_of_a_row() {
    let table = Source::new(
        Format::Csv,
        "x,y,colour,dna\n1,0,red,GATTACA\n0,2,blue,TACCA\n1,1,red,GATT\n".as_bytes(),
    );
    let table = table
        .kind("colour", Kind::Category { levels: Vec::new() })
        .kind("dna", Kind::Text)
        .read()
        .unwrap();
    let rows = table.rows(&table.schema()).unwrap();
    let value = |formula: &str, i: usize, j: usize| {
        let kernel = formula.parse::<KernelSpec>().unwrap().build_mercer::<Vec<Row>>().unwrap();
        Kernel::<Vec<Row>>::eval(&kernel, &rows[i], &rows[j])
    };
    let (linear, equal, words) =
        (value("linear", 0, 2), value("delta", 0, 2), value("spectrum(k=3)", 0, 2));
    assert_eq!((linear, equal, words), (1.0, 1.0, 2.0));
    assert_eq!(value("delta", 0, 1), 0.0);
    assert_eq!(value("2*linear*delta + spectrum(k=3)", 0, 2), 2.0 * linear * equal + words);
}
