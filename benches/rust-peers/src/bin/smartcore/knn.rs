//! Nearest neighbours by smartcore; queries are shared among threads, since a caller can do that.

use crate::failed;
use anyhow::Result;
use kern_bench_kit::npy::Number;
use kern_core::{Points, Samples};
use kern_rust_peers::case::{Case, Judged};
use kern_rust_peers::knn::judge;
use rayon::prelude::*;
use smartcore::algorithm::neighbour::cover_tree::CoverTree;
use smartcore::algorithm::neighbour::linear_search::LinearKNNSearch;
use smartcore::error::Failed;
use smartcore::metrics::distance::euclidian::Euclidian;
use smartcore::numbers::basenum;

pub fn linear_search(case: &mut Case<'_>) -> Result<Judged> {
    if case.is_single() { linear::<f32>(case) } else { linear::<f64>(case) }
}

pub fn cover_tree(case: &mut Case<'_>) -> Result<Judged> {
    if case.is_single() { tree::<f32>(case) } else { tree::<f64>(case) }
}

type Found<'a, T> = std::result::Result<Vec<(usize, f64, &'a Vec<T>)>, Failed>;

fn linear<T: Number + basenum::Number>(case: &mut Case<'_>) -> Result<Judged> {
    let x = case.samples::<T>("x")?;
    let index = LinearKNNSearch::new(rows(&x), Euclidian::new()).map_err(failed)?;
    search(case, &x, |query, k| index.find(query, k))
}

fn tree<T: Number + basenum::Number>(case: &mut Case<'_>) -> Result<Judged> {
    let x = case.samples::<T>("x")?;
    let index = CoverTree::new(rows(&x), Euclidian::new()).map_err(failed)?;
    search(case, &x, |query, k| index.find(query, k))
}

fn search<'a, T: Number>(
    case: &mut Case<'_>,
    x: &Samples<T>,
    find: impl Fn(&Vec<T>, usize) -> Found<'a, T> + Sync,
) -> Result<Judged> {
    let (queries, k) = (case.samples::<T>("queries")?, case.count("k")?);
    let wanted = rows(&queries);
    let (judged, found) = case.measure(|| {
        let neighbors = |query: &Vec<T>| -> Result<Vec<usize>> {
            let found = find(query, k).map_err(failed)?;
            Ok(found.into_iter().map(|(place, ..)| place).collect())
        };
        wanted.par_iter().map(neighbors).collect::<Result<Vec<_>>>()
    })?;
    judge(case, judged, (x, &queries), &found)
}

fn rows<T: Number>(x: &Samples<T>) -> Vec<Vec<T>> {
    (0..x.len()).map(|i| x.item(i).to_vec()).collect()
}
