//! The names of feature maps in files.

use crate::{AdditiveMap, CentredMap, FourierMap, MaclaurinMap, NystromMap, StructuredMap};
#[cfg(feature = "sketch")]
use crate::{SketchMap, SketchedTensorMap};
use kern_core::{Named, Points};

kern_core::named! {
    [] AdditiveMap = "additive";
    [M: Named, T] CentredMap<M, T> = "centred", of M;
    [] FourierMap = "fourier";
    [] MaclaurinMap = "maclaurin";
    [P: Points, K] NystromMap<P, K> = "nystrom";
    [] StructuredMap = "structured_fourier";
}

#[cfg(feature = "sketch")]
kern_core::named! {
    [] SketchMap = "sketch";
    [A: Named, B: Named] SketchedTensorMap<A, B> = "sketched_tensor", of A, B;
}
