//! Projections onto the span of support vectors.

/// The Cholesky factor L of K_SS, which grows by a row with each support vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Projection {
    /// The rows of L, one after the other.
    lower: Vec<f64>,
    size: usize,
    /// L⁻¹k of the last point.
    z: Vec<f64>,
    /// The coefficients of its projection.
    d: Vec<f64>,
}

impl Projection {
    /// The number of support vectors that span the space.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Forgets all but the first ones.
    pub(super) fn truncate(&mut self, size: usize) {
        self.size = size;
        self.lower.truncate(start(size));
    }

    /// The point with kernel values `k` with the support vectors: ‖p‖² of its projection p onto their span.
    pub(super) fn project(&mut self, k: &[f64]) -> f64 {
        self.z.clear();
        for (s, &k) in k.iter().enumerate() {
            let row = &self.lower[start(s)..=start(s) + s];
            let known: f64 = row.iter().zip(&self.z).map(|(l, z)| l * z).sum();
            self.z.push((k - known) / row[s]);
        }
        self.z.iter().map(|z| z * z).sum()
    }

    /// The coefficients d = K_SS⁻¹k of that projection.
    pub(super) fn coefficients(&mut self) -> &[f64] {
        self.d.clear();
        self.d.extend_from_slice(&self.z);
        for s in (0..self.size).rev() {
            let row = &self.lower[start(s)..=start(s) + s];
            let d = self.d[s] / row[s];
            self.d[s] = d;
            self.d[..s].iter_mut().zip(row).for_each(|(sum, l)| *sum -= l * d);
        }
        &self.d
    }

    /// Makes that point a support vector; its squared distance from the span of the others is given.
    pub(super) fn grow(&mut self, squared_distance: f64) {
        self.lower.extend_from_slice(&self.z);
        self.lower.push(squared_distance.sqrt());
        self.size += 1;
    }
}

/// The beginning of row `s`.
fn start(s: usize) -> usize {
    s * (s + 1) / 2
}
