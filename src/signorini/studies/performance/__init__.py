"""Performance: what scenes, kernels, sizes and starts cost, with the accuracy beside it, here and in other simulators."""
