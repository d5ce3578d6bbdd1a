//! Candidates of a query: the points that share a code with it.

use super::super::pairs::AnyKernel;
use super::build::column;
use super::{Hashes, code};
use crate::Error;
use kern_core::{Binding, Points, Scalar, Scratch};
use std::ops::Range;

impl<P: Points> Hashes<P> {
    /// The points with which codes compare.
    pub(in super::super) fn landmarks(&self) -> &P {
        &self.landmarks
    }

    /// The points that share a code with each of the queries `rows`, in order. `pairs` are those of the queries and the
    /// landmarks.
    pub(in super::super) fn candidates(
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
            // By the distance from the hyperplane; equal ones in the order of the bits.
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
