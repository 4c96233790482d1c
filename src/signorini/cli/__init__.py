"""The commands of `signorini`: one file each, nothing but arguments, calls and printing."""
