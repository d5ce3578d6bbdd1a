//! Parameters of a vantage-point tree.

use crate::Error;
use kern_core::parameters::Domain;
use kern_core::part;

part! {
    /// A search by a vantage-point tree, exact for any Mercer kernel on any points.
    ///
    /// # Definition
    /// Half of the points of a node lie within a ball about one of them, the vantage point, the others outside; a
    /// query leaves out what the triangle inequality proves to be too far. The metric is the distance that the
    /// kernel decreases with, where it has one ([`Neighbor`](super::super::Neighbor) lists them), and the RKHS distance else.
    ///
    /// Defaults: leaves of at most 64 points, seed 0.
    ///
    /// # Complexity
    /// The fit takes n·log₂(n/leaf) kernel evaluations, in parallel, and a further copy of the
    /// points. A query takes few more than log₂(n/leaf) + leaf evaluations where the data has a low intrinsic dimension, and
    /// more than n where it has a high one: the number grows exponentially with the dimension. It pays if it is less than some
    /// thirtieth of n. Seen with 20 000 points of a sheet in R²⁰, an RBF and 2000 queries for 10 neighbours, on two threads, seconds:
    /// 0.22 without a tree, 0.080, 0.064, 0.049 and 0.061 with leaves of 16, 32, 64 and 128 points, of which a query met 83, 101, 134 and
    /// 195. A query is compared with a leaf as one column of a tile, so leaves of fewer points than registers hold save nothing.
    /// [`Search::evaluations`](super::super::Search::evaluations) counts. It never pays where nearly all distances are equal, which in the
    /// RKHS they are if the median of d²/K(x, x) exceeds 1.9: sums of narrow kernels, spectrum kernels of long words.
    ///
    /// # Numerics
    /// The neighbours and their scores are those of the search without a tree, to the last bit, if entries of blocks
    /// are local ([`Points::entries_are_local`](kern_core::Points::entries_are_local)); on sparse samples, distances that are
    /// equal but for rounding may change places. In the RKHS, K(x, y) is taken to err by at most 256 round-offs of
    /// the greatest K(x, x), as the kernels of this library do; for a kernel that is not positive semi-definite neighbours may be
    /// missed. A kernel value that is not finite is found if it is met.
    ///
    /// # References
    /// Yianilos (1993), *Data Structures and Algorithms for Nearest Neighbor Search in General Metric Spaces*; Uhlmann (1991),
    /// *Satisfying General Proximity/Similarity Queries with Metric Trees*.
    ///
    /// # Examples
    /// ```
    /// use kern_core::{Samples, kernels::Rbf};
    /// use kern_solvers::knn::{KNearest, VantageTree};
    /// // A curve in the plane.
    /// let rows: Vec<[f64; 2]> = (0..4000).map(|i| f64::from(i) / 600.0).map(|t| [t.cos(), t.sin() * t]).collect();
    /// let x = Samples::from_rows(&rows)?;
    /// let params = KNearest::by_distance(Rbf::new(1e3)?).search(VantageTree::new().leaf(16));
    /// let model = params.fit(&x, &vec![0.0; 4000])?;
    /// let evaluations = model.search().evaluations(&x)?;
    /// assert!(evaluations.iter().sum::<usize>() / 4000 < 150);
    /// # Ok::<(), kern_solvers::Error>(())
    /// ```
    #[doc(alias = "vp-tree")]
    #[doc(alias = "vantage-point tree")]
    #[derive(Copy, Eq)]
    pub struct VantageTree {
        /// The number of points of a leaf, at most; at least 2.
        leaf: usize = 64, Domain::count(2);
        /// The seed of the choice of vantage points. It has no influence on what is found.
        seed: u64 = 0;
    }
}

impl VantageTree {
    pub(in super::super) fn check(self) -> Result<(), Error> {
        match self.leaf {
            given @ (0 | 1) => Err(Error::Count { name: "leaf", given, allowed: "at least 2" }),
            _ => Ok(()),
        }
    }
}
