"""The constitutive laws of soft solids, one each: its kernels and the `SolidLaw` made of them."""
