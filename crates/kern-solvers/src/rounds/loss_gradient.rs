//! Loss of functions at given weights and its gradient, as sums over samples.

use super::query::{Block, class_of};
use crate::Error;
use crate::model::panel_values;
use crate::sgd::Loss;
use faer::{Mat, MatRef};
use kern_approx::statistics::add_products;
use kern_core::memory::matrix_bytes;
use kern_core::serde_mat;
use kern_gram::numerics::sigmoid::log_sum;
use kern_gram::{MemoryBudget, zeros};
use serde::{Deserialize, Serialize};

/// Query for the losses of functions f_c(x) = w_cᵀψ(x) + b_c at given weights, and their gradients.
///
/// # Definition
/// With a loss of margins or of residuals, each output is a separate problem with its own targets.
/// Without one, the loss is the softmax loss ln Σ_c exp f_c(x) − f_y(x) of all functions together,
/// where y is the index of a class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Objective {
    /// None for softmax.
    pub(super) loss: Option<Loss>,
    /// The weights, and in the last row the intercepts: (D + 1) × functions.
    #[serde(with = "serde_mat")]
    pub(super) at: Mat<f64>,
    /// Factors of the derivatives of each part of the samples, parts × groups, if a certificate is
    /// computed; otherwise empty.
    #[serde(with = "serde_mat")]
    pub(super) scales: Mat<f64>,
}

/// Sums of losses and of their derivatives g = ℓ'(f).
///
/// Samples are divided into parts, by the sign of g or for softmax by class. Functions are divided
/// into groups, each of which is one problem: each function by itself, or for softmax all
/// functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlopeSums {
    pub(super) count: u64,
    /// Σβℓ for each group.
    pub(super) losses: Vec<f64>,
    /// Σβgz, and in the last row Σβg: (D + 1) × functions. Where there are scales, g is multiplied
    /// by that of its part.
    #[serde(with = "serde_mat")]
    pub(super) slopes: Mat<f64>,
    /// Σβg of each part: parts × functions.
    #[serde(with = "serde_mat")]
    pub(super) balance: Mat<f64>,
    /// Σβℓ*(g) = Σβ(gᵀf − ℓ) of each part: parts × groups.
    #[serde(with = "serde_mat")]
    pub(super) conjugates: Mat<f64>,
}

impl Objective {
    /// Fails if the matrices are inconsistent: a serialised query may come from anywhere.
    fn check(&self) -> Result<(), Error> {
        let (scales, wanted) = (self.scales.shape(), (self.parts(), self.groups()));
        match self.at.nrows() > 1 && self.at.ncols() > 0 && (scales.0 == 0 || scales == wanted) {
            true => Ok(()),
            false => Err(Error::OtherParts { what: "weights and factors" }),
        }
    }

    /// The number D of features.
    fn dim(&self) -> usize {
        self.at.nrows() - 1
    }

    fn functions(&self) -> usize {
        self.at.ncols()
    }

    fn groups(&self) -> usize {
        if self.loss.is_some() { self.functions() } else { 1 }
    }

    fn parts(&self) -> usize {
        if self.loss.is_some() { 2 } else { self.functions() }
    }

    pub(super) fn gather(
        &self,
        sums: &mut SlopeSums,
        block: &Block<'_>,
        memory: &MemoryBudget,
    ) -> Result<(), Error> {
        self.check()?;
        let (dim, functions, len) = (self.dim(), self.functions(), block.len());
        block.check(dim, if self.loss.is_some() { functions } else { 1 })?;
        if !sums.has_shape(self.at.shape(), (self.parts(), self.groups())) {
            return Err(Error::OtherQuery);
        }
        let bytes = matrix_bytes::<f64>(len, 2 * functions);
        memory.require("the values of a block", bytes, "take smaller blocks")?;
        let values = self.values(block.features)?;
        if self.loss.is_none() {
            (0..len).try_for_each(|i| class_of(block.targets, i, functions).map(drop))?;
        }
        let mut slopes: Mat<f64> = zeros(len, functions)?;
        match self.loss {
            Some(loss) => self.each(loss, sums, block, values.as_ref(), &mut slopes),
            None => self.softmax(sums, block, values.as_ref(), &mut slopes)?,
        }
        let products = sums.slopes.as_mut().subrows_mut(0, dim);
        add_products(products, block.features, slopes.as_ref());
        for k in 0..functions {
            slopes.col_as_slice(k).iter().for_each(|g| sums.slopes[(dim, k)] += g);
        }
        sums.count = sums.count.saturating_add(len as u64);
        Ok(())
    }

    /// The values f, samples × functions.
    fn values(&self, z: MatRef<'_, f64>) -> Result<Mat<f64>, Error> {
        let weights = self.at.as_ref().subrows(0, self.dim());
        let mut values: Mat<f64> = zeros(z.ncols(), self.functions())?;
        panel_values(weights, z, values.as_mut());
        for (k, column) in values.col_iter_mut().enumerate() {
            column.iter_mut().for_each(|f| *f += self.at[(self.dim(), k)]);
        }
        Ok(values)
    }

    /// β·s·g for a sample of a part, given `slope` = βg.
    fn scaled(&self, part: usize, group: usize, slope: f64) -> f64 {
        if self.scales.nrows() == 0 { slope } else { self.scales[(part, group)] * slope }
    }

    fn each(
        &self,
        loss: Loss,
        sums: &mut SlopeSums,
        block: &Block<'_>,
        values: MatRef<'_, f64>,
        slopes: &mut Mat<f64>,
    ) {
        for k in 0..self.functions() {
            for i in 0..block.len() {
                let (weight, f, y) = (block.weight(i), values[(i, k)], block.targets[(i, k)]);
                let (value, slope) = (loss.value(f, y), loss.derivative(f, y));
                let part = usize::from(slope < 0.0);
                sums.losses[k] += weight * value;
                sums.balance[(part, k)] += weight * slope;
                sums.conjugates[(part, k)] += weight * (slope * f - value);
                slopes[(i, k)] = self.scaled(part, k, weight * slope);
            }
        }
    }

    fn softmax(
        &self,
        sums: &mut SlopeSums,
        block: &Block<'_>,
        values: MatRef<'_, f64>,
        slopes: &mut Mat<f64>,
    ) -> Result<(), Error> {
        for i in 0..block.len() {
            let (weight, class) = (block.weight(i), class_of(block.targets, i, self.functions())?);
            let (largest, sum) = log_sum(values, i);
            let value = largest + sum.ln() - values[(i, class)];
            let mut product = 0.0;
            for k in 0..self.functions() {
                let share = (values[(i, k)] - largest).exp() / sum;
                let slope = share - f64::from(u8::from(k == class));
                product += slope * values[(i, k)];
                sums.balance[(class, k)] += weight * slope;
                slopes[(i, k)] = self.scaled(class, 0, weight * slope);
            }
            sums.losses[0] += weight * value;
            sums.conjugates[(class, 0)] += weight * (product - value);
        }
        Ok(())
    }
}

impl SlopeSums {
    pub(super) fn new(objective: &Objective, memory: &MemoryBudget) -> Result<Self, Error> {
        let (rows, functions) = objective.at.shape();
        let bytes = matrix_bytes::<f64>(rows, 2 * functions);
        memory.require("weights and their slopes", bytes, "use fewer features")?;
        let (parts, groups) = (objective.parts(), objective.groups());
        Ok(Self {
            count: 0,
            losses: vec![0.0; groups],
            slopes: zeros(rows, functions)?,
            balance: zeros(parts, functions)?,
            conjugates: zeros(parts, groups)?,
        })
    }

    /// True if the sums have these shapes, rows × functions and parts × groups.
    pub(super) fn has_shape(&self, slopes: (usize, usize), conjugates: (usize, usize)) -> bool {
        self.slopes.shape() == slopes
            && self.conjugates.shape() == conjugates
            && self.balance.shape() == (conjugates.0, slopes.1)
            && self.losses.len() == conjugates.1
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if !other.has_shape(self.slopes.shape(), self.conjugates.shape()) {
            return Err(Error::OtherQuery);
        }
        if !self.has_shape(self.slopes.shape(), self.conjugates.shape()) {
            return Err(Error::OtherQuery);
        }
        self.count = self.count.saturating_add(other.count);
        self.losses.iter_mut().zip(&other.losses).for_each(|(sum, loss)| *sum += loss);
        self.slopes += &other.slopes;
        self.balance += &other.balance;
        self.conjugates += &other.conjugates;
        Ok(())
    }
}
