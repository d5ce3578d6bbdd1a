"""Every public class, function and method says what it takes and gives, in numpydoc's form, and its examples run."""

import doctest
import importlib
import inspect
import re

import pytest

import kernrs
import kernrs.distributed

SECTIONS = ["Parameters", "Attributes", "Returns", "Yields", "Raises", "See Also", "Notes", "References", "Examples"]


def public():
    """The public classes and functions, with their names."""
    for name in kernrs.__all__:
        yield name, getattr(kernrs, name)
    for name in kernrs.distributed.__all__:
        yield f"distributed.{name}", getattr(kernrs.distributed, name)


def sections(doc):
    """The sections of a docstring, by their titles; the summary has none."""
    found, title, lines = {}, "", inspect.cleandoc(doc or "").split("\n")
    for line, below in zip(lines, [*lines[1:], ""]):
        if line and set(below) == {"-"} and len(below) == len(line):
            title = line
        elif set(line) != {"-"}:
            found.setdefault(title, []).append(line)
    return found


def documented(lines):
    """The names of a section's entries: ``a, b : type``."""
    heads = [line.split(" : ")[0] for line in lines if re.match(r"[\w*]+(, [\w*]+)*( : .+)?$", line)]
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


def parameters(function):
    """The parameters of a signature, without ``self``."""
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def methods(kind):
    """The public methods of a class that kernrs defines; scikit-learn documents its own."""
    for name, value in inspect.getmembers(kind, inspect.isroutine):
        if not name.startswith("_") and (getattr(value, "__module__", None) or "").startswith("kernrs"):
            yield name, value


def faults_of(name, thing, takes):
    """The faults of one docstring."""
    parts = sections(thing.__doc__)
    summary = parts.get("", [""])
    if not summary[0].rstrip().endswith("."):
        yield f"{name}: the summary is one sentence in one line, with a full stop: {summary[0]!r}"
    names = documented(parts.get("Parameters", []))
    if names != takes:
        yield f"{name}: takes {takes}, documents {names}"
    order = [title for title in parts if title in SECTIONS]
    if order != sorted(order, key=SECTIONS.index):
        yield f"{name}: sections in the order {order}"
    for title in parts:
        if title and title not in SECTIONS:
            yield f"{name}: numpydoc knows no section {title!r}"
    if takes and not all(re.search(r" : .", line) for line in parts.get("Parameters", []) if re.match(r"[\w*]", line)):
        yield f"{name}: every parameter has a type: `name : type, default=value`"


def faults(name, thing):
    """The faults of a class or function, and of the methods of a class."""
    if not inspect.isclass(thing):
        yield from faults_of(name, thing, parameters(thing))
        if "Returns" not in sections(thing.__doc__) and "Yields" not in sections(thing.__doc__):
            yield f"{name}: no section Returns"
    else:
        try:
            takes = parameters(thing)
        except ValueError:
            takes = []
        yield from faults_of(name, thing, takes)
        for method, value in methods(thing):
            yield from faults_of(f"{name}.{method}", value, parameters(value))
    if "Examples" not in sections(thing.__doc__):
        yield f"{name}: no section Examples"


@pytest.mark.parametrize(("name", "thing"), [pytest.param(name, thing, id=name) for name, thing in public()])
def test_docstring_says_what_is_taken_and_given(name, thing):
    assert not list(faults(name, thing))


MODULES = sorted({thing.__module__ for _, thing in public() if thing.__module__.startswith("kernrs")})


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, _ = doctest.testmod(importlib.import_module(module), optionflags=flags)
    assert failed == 0
