//! Nearest neighbours by linfa-nn; queries are shared among threads, since a caller can do that.

use crate::array;
use anyhow::Result;
use kern_rust_peers::case::{Case, Judged};
use kern_rust_peers::knn::judge;
use linfa_nn::distance::L2Dist;
use linfa_nn::{CommonNearestNeighbour, NearestNeighbour};
use ndarray_016::Array2;
use rayon::prelude::*;

pub fn linear_search(case: &mut Case<'_>) -> Result<Judged> {
    find(case, &CommonNearestNeighbour::LinearSearch)
}

pub fn kd_tree(case: &mut Case<'_>) -> Result<Judged> {
    find(case, &CommonNearestNeighbour::KdTree)
}

pub fn ball_tree(case: &mut Case<'_>) -> Result<Judged> {
    find(case, &CommonNearestNeighbour::BallTree)
}

fn find(case: &mut Case<'_>, algorithm: &CommonNearestNeighbour) -> Result<Judged> {
    if case.is_single() {
        let (x, queries) = (case.samples::<f32>("x")?, case.samples("queries")?);
        let (judged, found) = search(case, (&array(&x)?, &array(&queries)?), algorithm)?;
        judge(case, judged, (&x, &queries), &found)
    } else {
        let (x, queries) = (case.samples::<f64>("x")?, case.samples("queries")?);
        let (judged, found) = search(case, (&array(&x)?, &array(&queries)?), algorithm)?;
        judge(case, judged, (&x, &queries), &found)
    }
}

fn search<T: linfa::Float>(
    case: &mut Case<'_>,
    (x, queries): (&Array2<T>, &Array2<T>),
    algorithm: &CommonNearestNeighbour,
) -> Result<(Judged, Vec<Vec<usize>>)> {
    let (index, k) = (algorithm.from_batch(x, L2Dist)?, case.count("k")?);
    case.measure(|| {
        let neighbors = |query: usize| -> Result<Vec<usize>> {
            let found = index.k_nearest(queries.row(query), k)?;
            Ok(found.into_iter().map(|(_, place)| place).collect())
        };
        (0..queries.nrows()).into_par_iter().map(neighbors).collect::<Result<Vec<_>>>()
    })
}
