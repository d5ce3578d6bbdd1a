//! Random hyperplane hashes: locality-sensitive hashing in the feature space of a kernel.
//!
//! Notation: m landmarks; ψ(x) = L⁻¹k_x their Nyström features, k_x the kernel values of x with
//! them, LLᵀ their Gram matrix; w standard normal.
//!
//! **Definition.** A bit of x is the sign of ⟨w, ψ(x)⟩ = ⟨L⁻ᵀw, k_x⟩, a combination of kernel
//! values. The bits of two points whose features are at an angle θ are equal with probability 1 −
//! θ/π (Goemans & Williamson 1995; Charikar 2002). A table stores all points by a code of several
//! bits. A query is compared with the points that share its code in any of the tables.
//!
//! The hashes of Kulis & Grauman, with weights K^{−1/2}e_S, differ in w only: theirs is a sum over
//! a subset S of landmarks, which is normal in the limit only.

use super::ranking_keys::not_finite;
use super::rkhs_distance::AnyKernel;
use crate::Error;
use faer::{Accum, Mat};
use kern_approx::{Nystrom, NystromMap, Selection};
use kern_core::closure::AssumeMercer;
use kern_core::parameters::Domain;
use kern_core::products::{matmul, solve_upper};
use kern_core::{Binding, Kernel, Points, Scalar, Scratch, part};
use kern_gram::{MemoryBudget, matrix_bytes, parallel, tile_ranges, zeros};
use rand::seq::index;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;
use std::ops::Range;

/// The largest number of bits of a code.
const MOST_BITS: usize = 64;

/// The largest number of tables: each takes memory for all points, and a file must not request
/// arbitrarily many.
const MOST_TABLES: usize = 256;

/// Points hashed at a time.
const BLOCK: usize = 128;

/// The number of points per landmark among which pivots are drawn.
const POINTS_PER_LANDMARK: usize = 16;

part! {
    /// An approximate search by locality-sensitive hashing in the feature space of a Mercer kernel.
    ///
    /// # Definition
    /// A bit of a point is the side of a random hyperplane on which its Nyström features lie; a
    /// table stores the points by codes of several bits. A query is compared, by the kernel, with
    /// all points that share its code in at least one table. Two points at an angle θ in feature
    /// space share a code of b bits in at least one of t tables with probability 1 − (1 − (1 −
    /// θ/π)ᵇ)ᵗ, if the map is exact. With p probes, p more codes are looked up in each table. Each
    /// differs from the code of the query in one bit, that of one of the p hyperplanes nearest to
    /// the query.
    ///
    /// A query that shares codes with fewer than k points is compared with all; a radius search
    /// misses neighbours that share no code.
    ///
    /// Defaults: 32 tables of 16 bits, 8 probes, 256 landmarks (or n), seed 0.
    ///
    /// # Complexity
    /// The fit selects m random pivots among at most 16m points, and takes n·m kernel evaluations;
    /// besides the points and the landmarks it stores 16 bytes per point and table. A query takes m
    /// evaluations and one per candidate, which [`Search::evaluations`](super::Search::evaluations)
    /// counts; [`Search::recall`](super::Search::recall) measures the recall. More bits give fewer
    /// candidates, more tables and probes give more. The table shows recall of 10 neighbours and
    /// comparisons per query, for normalised kernels; the example `neighbors` measures the defaults
    /// on such data (`cargo run --release -p kern-gallery --bin neighbors -- --data DIR`):
    ///
    /// | tables, bits, probes | 1497 digits, RBF | 10 000 of MNIST, RBF | 2986 strings of DNA, spectrum |
    /// |---|---|---|---|
    /// | 4, 14, 2 | 0.65, 367 | | |
    /// | 8, 12, 2 | 0.93, 516 | 0.95, 3258 | 0.70, 590 |
    /// | 16, 12, 4 | 1.00, 774 | 1.00, 5520 | 0.95, 1250 |
    /// | 32, 16, 8 (default) | 1.00, 661 | 1.00, 4049 | 0.96, 918 |
    ///
    /// The defaults take the fewest comparisons of these settings with a recall above 0.9 on all
    /// three data sets. On none of them are hashes faster than brute force: a candidate takes about
    /// 6 times as long as a point in a brute-force search, since the candidates of a query do not
    /// form a tile with many queries. Hashes pay where neighbours are much nearer than most points,
    /// for expensive kernels, and for very many points: on 6000 points of a sheet in R²⁰, 128
    /// landmarks and 2 tables of 14 bits without probes have a recall of 0.92 with 266 comparisons.
    /// They require kernels for which near points have a small angle, those of constant K(x, x);
    /// otherwise points in one direction share codes at any distance.
    ///
    /// # References
    /// Kulis & Grauman (2009), *Kernelized Locality-Sensitive Hashing for Scalable Image Search*;
    /// Lv, Josephson, Wang, Charikar & Li (2007), *Multi-Probe LSH*.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::knn::{KNearest, KernelHashes};
    /// let rows: Vec<[f64; 2]> = (0..900).map(|i| [f64::from(i % 30), f64::from(i / 30)]).collect();
    /// let x = Samples::from_rows(&rows)?;
    /// let hashes = KernelHashes::new().tables(16).bits(8).landmarks(100);
    /// let params = KNearest::by_distance(Rbf::new(0.02)?).search(hashes);
    /// let model = params.fit(&x, &vec![0.0; 900])?;
    /// assert!(model.search().recall(&x)? > 0.9);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    #[doc(alias = "LSH")]
    #[doc(alias = "KLSH")]
    #[doc(alias = "locality-sensitive hashing")]
    #[derive(Copy, Eq)]
    pub struct KernelHashes {
        /// The number of tables, 1 to 256.
        tables: usize = 32, Domain::count_to(1, 256);
        /// The bits of a code, 1 to 64.
        bits: usize = 16, Domain::count_to(1, 64);
        /// The number of additional codes looked up in each table, at most one per bit.
        probes: usize = 8, Domain::count_to(0, 64);
        /// The number of landmarks, at least 1; at most n are used.
        landmarks: usize = 256, Domain::count(1);
        /// The seed of landmarks and hyperplanes.
        seed: u64 = 0;
    }
}

impl KernelHashes {
    /// Memory in bytes: the codes of all points, and the tables, of which one is sorted at a time.
    pub(super) fn bytes(self, n: usize) -> u64 {
        let codes = matrix_bytes::<u64>(n, self.tables.saturating_mul(3).saturating_add(5));
        let numbers = self.tables.saturating_mul(self.bits);
        codes.saturating_add(matrix_bytes::<f64>(numbers, self.landmarks.min(n).saturating_mul(2)))
    }

    pub(super) fn check(self) -> Result<(), Error> {
        let positive = "at least 1";
        let refused = |name, given, allowed| Err(Error::Count { name, given, allowed });
        match self {
            Self { tables, .. } if tables == 0 || tables > MOST_TABLES => {
                refused("tables", tables, "at least 1 and at most 256")
            }
            Self { landmarks: 0, .. } => refused("landmarks", 0, positive),
            Self { bits, .. } if bits == 0 || bits > MOST_BITS => {
                refused("bits", bits, "at least 1 and at most 64")
            }
            Self { probes, bits, .. } if probes > bits => {
                refused("probes", probes, "at most the number of bits")
            }
            _ => Ok(()),
        }
    }
}

/// The hash tables of the points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hashes<P: Points> {
    landmarks: P,
    /// L⁻ᵀw of all bits of all tables: landmarks × bits.
    weights: Mat<P::Scalar>,
    tables: Vec<Table>,
    params: KernelHashes,
}

impl<P: Points> Hashes<P> {
    /// Builds the tables for a Mercer kernel, as the ranking by distance requires.
    pub(super) fn new(
        kernel: &AnyKernel<'_, P>,
        points: &P,
        params: KernelHashes,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let n = points.len();
        let mut rng = ChaCha8Rng::seed_from_u64(params.seed);
        let m = params.landmarks.min(n);
        let sample = index::sample(&mut rng, n, n.min(POINTS_PER_LANDMARK.saturating_mul(m)));
        let sample = points.select(&sample.into_vec())?;
        let map = Nystrom::new(AssumeMercer(kernel))
            .landmarks(m)
            .selection(Selection::RandomPivots)
            .seed(params.seed)
            .fit(&sample, budget)?;
        let weights = hyperplanes(&map, params.tables.saturating_mul(params.bits), &mut rng)?;
        let all: Vec<usize> = (0..map.landmarks().len()).collect();
        let landmarks = map.landmarks().select(&all)?;
        let mut hashes = Self { landmarks, weights, tables: Vec::new(), params };
        let codes = hashes.codes(kernel, points)?;
        let table = |table| Table::new(codes.iter().map(|codes| codes[table]));
        hashes.tables = (0..params.tables).map(table).collect();
        Ok(hashes)
    }

    /// The codes of all points, one per table.
    fn codes(&self, kernel: &AnyKernel<'_, P>, points: &P) -> Result<Vec<Vec<u64>>, Error> {
        let pairs = Binding::new(kernel, points, &self.landmarks);
        let bits = self.params.bits;
        let hash = |scratch: &mut Scratch<_>, rows: Range<usize>| -> Result<Vec<_>, Error> {
            let margins = self.margins(&pairs, rows, scratch)?;
            let codes = |row: &[P::Scalar]| {
                row.chunks_exact(bits).map(|table| code(table.iter().copied())).collect()
            };
            Ok(margins.col_iter().map(|row| codes(column(row))).collect())
        };
        let blocks = parallel::map_init(tile_ranges(points.len(), BLOCK), Scratch::new, hash);
        Ok(blocks.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// ⟨w, ψ(x)⟩ of some points, a column each.
    fn margins(
        &self,
        pairs: &Binding<'_, AnyKernel<'_, P>, P>,
        rows: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Mat<P::Scalar>, Error> {
        let (m, count) = self.weights.shape();
        let mut margins = zeros(count, rows.len())?;
        let mut error = None;
        pairs.with_block(rows.clone(), 0..m, scratch, |values| {
            let is_bad = |&(i, j): &(usize, usize)| !values[(i, j)].is_finite_number();
            let mut all = (0..rows.len()).flat_map(|i| (0..m).map(move |j| (i, j)));
            error = all
                .find(is_bad)
                .map(|(i, j)| not_finite(rows.start + i, j, values[(i, j)].to_f64()));
            let (weights, one) = (self.weights.transpose(), P::Scalar::ONE);
            matmul(margins.as_mut(), Accum::Replace, weights, values.transpose(), one);
        });
        error.map_or(Ok(margins), Err)
    }

    /// The landmarks, which points are compared with to compute their codes.
    pub(super) fn landmarks(&self) -> &P {
        &self.landmarks
    }

    /// The points that share a code with each of the queries `rows`, in order. `pairs` binds the
    /// queries and the landmarks.
    pub(super) fn candidates(
        &self,
        pairs: &Binding<'_, AnyKernel<'_, P>, P>,
        rows: Range<usize>,
        scratch: &mut Scratch<P::Scalar>,
    ) -> Result<Vec<Vec<usize>>, Error> {
        let margins = self.margins(pairs, rows, scratch)?;
        Ok(margins.col_iter().map(|query| self.sharing(column(query))).collect())
    }

    fn sharing(&self, margins: &[P::Scalar]) -> Vec<usize> {
        let mut found = Vec::new();
        for (table, margins) in self.tables.iter().zip(margins.chunks_exact(self.params.bits)) {
            let own = code(margins.iter().copied());
            found.extend(table.get(own));
            // By the distance from the hyperplane; ties in the order of the bits.
            let mut bits: Vec<usize> = (0..margins.len()).collect();
            let distance = |bit: usize| margins[bit].magnitude().to_f64();
            bits.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            let probes = bits.iter().take(self.params.probes);
            probes.for_each(|&bit| found.extend(table.get(own ^ (1 << bit))));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// All points in the order of their codes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Table {
    /// Sorted, in a tie by the order of the points.
    codes: Vec<u64>,
    /// The point of each.
    points: Vec<usize>,
}

impl Table {
    fn new(codes: impl Iterator<Item = u64>) -> Self {
        let mut entries: Vec<(u64, usize)> = codes.zip(0..).collect();
        entries.sort_unstable();
        let (codes, points) = entries.into_iter().unzip();
        Self { codes, points }
    }

    /// The points with this code.
    fn get(&self, code: u64) -> &[usize] {
        let start = self.codes.partition_point(|&other| other < code);
        let len = self.codes[start..].partition_point(|&other| other == code);
        &self.points[start..start + len]
    }
}

/// L⁻ᵀw for `count` normal vectors w.
fn hyperplanes<P: Points, K: Kernel<P>>(
    map: &NystromMap<P, K>,
    count: usize,
    rng: &mut impl Rng,
) -> Result<Mat<P::Scalar>, Error> {
    let mut normals = zeros::<f64>(map.rank(), count)?;
    normals
        .as_mut()
        .col_iter_mut()
        .for_each(|column| column.iter_mut().for_each(|w| *w = normal(rng)));
    let mut weights = zeros(map.landmarks().len(), count)?;
    if let Some(lower) = map.lower() {
        let wide: Mat<f64> = kern_core::memory::converted(lower)?;
        solve_upper(wide.as_ref(), normals.as_mut());
        kern_core::memory::convert_into(normals.as_ref(), weights.as_mut());
    } else if let Some(projection) = map.projection() {
        let normals: Mat<P::Scalar> = kern_core::memory::converted(normals.as_ref())?;
        let one = P::Scalar::ONE;
        matmul(weights.as_mut(), Accum::Replace, projection, normals.as_ref(), one);
    }
    Ok(weights)
}

/// A standard normal number (Box & Muller 1958).
fn normal(rng: &mut impl Rng) -> f64 {
    let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
}

/// A column as a slice; a matrix that owns its values has contiguous columns.
fn column<T: Scalar>(column: faer::ColRef<'_, T>) -> &[T] {
    column.try_as_col_major().map_or(&[], |column| column.as_slice())
}

/// The code of these margins.
fn code<T: Scalar>(margins: impl Iterator<Item = T>) -> u64 {
    margins.enumerate().fold(0, |code, (bit, margin)| code | u64::from(margin > T::ZERO) << bit)
}
