//! The names of feature maps in files.

use crate::{
    AdditiveMap, CentredMap, FourierMap, MaclaurinMap, NystromMap, SketchMap, SketchedTensorMap,
    StructuredMap,
};
use kern_core::{Named, Points};

kern_core::named! {
    [] AdditiveMap = "additive";
    [M: Named, T] CentredMap<M, T> = "centred", of M;
    [] FourierMap = "fourier";
    [] MaclaurinMap = "maclaurin";
    [P: Points, K] NystromMap<P, K> = "nystrom";
    [] SketchMap = "sketch";
    [A: Named, B: Named] SketchedTensorMap<A, B> = "sketched_tensor", of A, B;
    [] StructuredMap = "structured_fourier";
}
