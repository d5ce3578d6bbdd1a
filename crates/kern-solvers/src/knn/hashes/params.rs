//! Parameters of hashing.

use crate::Error;
use kern_core::parameters::Domain;
use kern_core::part;
use kern_gram::matrix_bytes;

/// The greatest number of bits of a code.
const MOST_BITS: usize = 64;

/// The greatest number of tables: each takes memory for all points, whatever a file says that there are.
const MOST_TABLES: usize = 256;

part! {
    /// An approximate search by locality-sensitive hashing in the feature space of a Mercer kernel.
    ///
    /// # Definition
    /// A bit of a point is the side of a random hyperplane on which its features lie, those of a Nyström map; a
    /// table files the points under codes of several bits. A query is compared, by the kernel, with all points that have its code in
    /// one of the tables. Two points at an angle θ in feature space share a code of b bits in one of t tables with probability
    /// 1 − (1 − (1 − θ/π)ᵇ)ᵗ, where the map is exact. With p probes, the p codes are looked up, too, in which one of the bits is
    /// another: those of which the query is nearest to the hyperplane.
    ///
    /// A query that shares codes with fewer than k points is compared with all; within a radius, what is not found is missed.
    ///
    /// Defaults: 32 tables of 16 bits, 8 probes, 256 landmarks (or n), seed 0.
    ///
    /// # Complexity
    /// The fit takes m random pivots among at most 16m points, and n·m kernel evaluations; beyond the points and the landmarks it
    /// keeps 16 bytes per point and table. A query takes m evaluations and one per candidate, which
    /// [`Search::evaluations`](super::super::Search::evaluations) counts; [`Search::recall`](super::super::Search::recall)
    /// measures what is found. More bits make fewer candidates, more tables and probes more. Recall of 10 neighbours, and
    /// comparisons per query, of normalised kernels; the example `neighbors` measures the defaults on such data
    /// (`cargo run --release -p kern-gallery --bin neighbors -- --data DIR`):
    ///
    /// | tables, bits, probes | 1497 digits, RBF | 10 000 of MNIST, RBF | 2986 strings of DNA, spectrum |
    /// |---|---|---|---|
    /// | 4, 14, 2 | 0.65, 367 | | |
    /// | 8, 12, 2 | 0.93, 516 | 0.95, 3258 | 0.70, 590 |
    /// | 16, 12, 4 | 1.00, 774 | 1.00, 5520 | 0.95, 1250 |
    /// | 32, 16, 8 (default) | 1.00, 661 | 1.00, 4049 | 0.96, 918 |
    ///
    /// The defaults are the least of these with a recall above 0.9 on all three. On none of them they pay: a candidate takes
    /// some 6 times as long as a point in a search of all, since candidates of a query are no tile of many queries. They
    /// pay where neighbours are much nearer than most points, for dear kernels and for very many points: of 6000 points of a sheet in R²⁰,
    /// 128 landmarks and 2 tables of 14 bits without probes find 0.92 by 266 comparisons. It needs kernels of which near
    /// points have a small angle: those of constant K(x, x); else points of one direction share codes at any distance.
    ///
    /// # References
    /// Kulis & Grauman (2009), *Kernelized Locality-Sensitive Hashing for Scalable Image Search*; Lv, Josephson, Wang, Charikar & Li
    /// (2007), *Multi-Probe LSH*.
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
        /// The further codes that are looked up in each table, at most one per bit.
        probes: usize = 8, Domain::count_to(0, 64);
        /// The number of landmarks, at least 1; no more than there are points are used.
        landmarks: usize = 256, Domain::count(1);
        /// The seed of landmarks and hyperplanes.
        seed: u64 = 0;
    }
}

impl KernelHashes {
    /// The codes of all points and the tables, of which one is sorted at a time.
    pub(in super::super) fn bytes(self, n: usize) -> u64 {
        let codes = matrix_bytes::<u64>(n, self.tables.saturating_mul(3).saturating_add(5));
        let numbers = self.tables.saturating_mul(self.bits);
        codes.saturating_add(matrix_bytes::<f64>(numbers, self.landmarks.min(n).saturating_mul(2)))
    }

    pub(in super::super) fn check(self) -> Result<(), Error> {
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
