"""Messages of errors: short ones as they are, long ones with both ends."""

from __future__ import annotations

import pytest

from signorini.errors import (
    LONGEST,
    DiskFullError,
    InputError,
    MissingExtraError,
    SimulationStoppedError,
    shortened,
    suggestion,
)


@pytest.mark.parametrize("kind", [InputError, MissingExtraError, SimulationStoppedError, DiskFullError])
@pytest.mark.parametrize("value", ["x" * 100_000, ", ".join("1.5" for _ in range(30_000)), "[" * 3000])
def test_a_message_is_readable_and_keeps_what_to_do(kind, value):
    text = str(kind(f"cells of a grid = {value}: choose an integer of at least 1"))
    assert len(text) <= LONGEST
    assert text.startswith("cells of a grid = ") and text.endswith("choose an integer of at least 1")
    assert "..." in text


def test_short_messages_stay():
    text = "cells must be positive, got " + "9" * 200
    assert str(InputError(text)) == shortened(text) == text


@pytest.mark.parametrize("longest", [40, 41, 100, 700])
@pytest.mark.parametrize("length", [0, 39, 40, 41, 42, 101, 5000])
def test_any_length(longest, length):
    assert len(shortened("word " * length, longest)) <= max(longest, 40)


def test_messages_are_one_line():
    assert str(InputError("rows are [[0. 0.]\n [1. 1.]]: choose others")) == "rows are [[0. 0.] [1. 1.]]: choose others"


@pytest.mark.parametrize(
    ("given", "expected"), [("coton", "did you mean 'cotton'? "), ("nosuch", ""), (3, ""), ("", "")]
)
def test_a_name_is_suggested_only_if_it_resembles_the_given_one(given, expected):
    assert suggestion(given, ["cotton", "silk", "arch"]) == expected
