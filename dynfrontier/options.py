"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, get_args, get_type_hints

import typer

from .console import fail, notes, user_errors

if TYPE_CHECKING:
    import frontier as fr

StructureName = Annotated[
    str | None, typer.Option("--structure", "-s", help="Graph structure (see `dynfrontier structures`).")
]
DeviceName = Annotated[str, typer.Option("--device", "-d", help="auto, cpu or gpu.")]
Source = Annotated[
    str | None,
    typer.Option(help="Where to start: an id of the file, or a name.", show_default="the vertex with most neighbors"),
]
Directed = Annotated[
    bool | None,
    typer.Option("--directed/--undirected", help="Keep the direction of edges, or use both.",
                 show_default="as the file specifies, else both ways"),
]  # fmt: skip
_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "blank": " ", "pipe": "|"}
STANDARD_INPUT = "standard input"
DEFAULT_STRUCTURE = "slab"


def pick_structure(name: str | None) -> type[fr.DynamicGraph]:
    """The structure of this name, by default the fastest on most streams."""
    import frontier as fr

    dynamic = {key: kind for key, kind in fr.structures().items() if issubclass(kind, fr.DynamicGraph)}
    name = DEFAULT_STRUCTURE if name is None else name
    if name not in dynamic:
        fail(f"there is no structure {name!r}; choose one of {', '.join(dynamic)}")
    return dynamic[name]


def pick_device(name: str) -> fr.advanced.Device:
    import frontier as fr

    with user_errors(RuntimeError, ValueError):
        return fr.advanced.resolve_device(name)


@dataclass(frozen=True)
class Input:
    """A file to read. All other attributes are options of commands that read a file.

    Raises `typer.Exit`, with an error, if the options contradict each other.
    """

    file: Path
    member: Annotated[str | None, typer.Option(help="Which graph of an archive to read.")] = None
    columns: Annotated[
        str | None,
        typer.Option(help="Roles of the columns by position, such as 'src,dst,weight,time' ('-' skips one), or by "
                          "name, such as 'weight=amount,time=day'."),
    ] = None  # fmt: skip
    delimiter: Annotated[
        str | None,
        typer.Option(help="What separates columns of text: a character, or tab, comma, semicolon or space.",
                     show_default="comma, tab or blanks, as the first line has it"),
    ] = None  # fmt: skip
    header: Annotated[
        bool | None,
        typer.Option(help="Whether the first line of a text contains the names of columns.",
                     show_default="what it looks like"),
    ] = None  # fmt: skip
    names: Annotated[
        bool | None,
        typer.Option(help="Whether ids are names, of any kind, instead of integers from 0 on.",
                     show_default="what the first record of a CSV file has"),
    ] = None  # fmt: skip
    comments: Annotated[str, typer.Option(help="Characters that start a comment line in text.")] = "#%"

    @property
    def name(self) -> str:
        return STANDARD_INPUT if str(self.file) == "-" else str(self.file)

    @property
    def path(self) -> Path | None:
        """The path of the file, None for standard input."""
        return None if str(self.file) == "-" else self.file

    def edges(self) -> fr.io.EdgeList:
        """The edges, with vertices numbered without gaps."""
        import frontier as fr

        return self._read(fr.io.read_edges, compact=True)

    def stream(self, *args: Any) -> fr.io.EdgeStream:
        import frontier as fr

        return self._read(fr.io.read_stream, *args)

    def _read(self, reader: Any, *args: Any, **options: Any) -> Any:
        import frontier as fr

        source = self.path or _StandardInput(sys.stdin.buffer)
        delimiter = None if self.delimiter is None else _DELIMITERS.get(self.delimiter.lower(), self.delimiter)
        with user_errors(fr.io.ParseError, OSError, ValueError, ImportError), notes():
            return reader(
                source, *args, columns=column_roles(self.columns), member=self.member, delimiter=delimiter,
                header=self.header, named=self.names, comments=self.comments, **options,
            )  # fmt: skip


class _StandardInput:
    """Standard input under its name, as a file that is read once."""

    name = STANDARD_INPUT

    def __init__(self, stream: BinaryIO):
        self.read, self.seekable = stream.read, stream.seekable


File = Annotated[
    Input,
    typer.Argument(help="A graph file, compressed or not: SNAP text, Matrix Market, CSV, LDBC, Parquet. - for "
                        "standard input."),
]  # fmt: skip
"""The parameter ``given`` of most commands. See `reads_a_file`."""
OptionalFile = Annotated[Input | None, *get_args(File)[1:]]
Files = Annotated[list[Input], *get_args(File)[1:]]  # the same for commands with several files


def column_roles(text: str | None) -> tuple[str | None, ...] | dict[str, str] | None:
    """Parse the roles of ``--columns``, by position or by name."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if not any("=" in word for word in words):
        return tuple(None if word in ("-", "") else word for word in words)
    pairs = [word.split("=", 1) for word in words]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"--columns must be roles by position or pairs such as weight=amount, not both: {text!r}")
    if len(dict(pairs)) != len(pairs):
        raise ValueError(f"--columns names a role twice: {text!r}")
    return dict(pairs)


def vertex_of(edges: fr.io.EdgeList, text: str, name: str, option: str = "--source") -> int:
    """The number of the vertex that the file of this name calls `text`. Fails if it does not exist."""
    ids = edges.original_ids
    named = ids.dtype.kind == "O"
    wanted: Any = text
    if not named:
        try:
            wanted = int(text)
        except ValueError:
            fail(f"{option} {text}: the ids of {name} are integers")
    try:
        return edges.vertex_of(wanted)
    except KeyError:
        there = f"names are such as {ids[0]!r}" if named else f"ids go from {ids.min()} to {ids.max()}"
        fail(f"vertex {text} is not in {name}; {there}")


def reads_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: the command line has the attributes of `Input` instead of the parameter ``given``.

    That is an `Input`, None if it has a default and no file is named, or a list for several files. Its annotation
    describes the argument FILE.
    """
    types = get_type_hints(command, include_extras=True)
    known = inspect.signature(command).parameters.values()
    parameters = [parameter.replace(annotation=types[parameter.name]) for parameter in known]
    (place,) = (index for index, parameter in enumerate(parameters) if parameter.name == "given")
    given = parameters[place]
    several = get_args(given.annotation)[0] == list[Input]
    file: Any = list[Path] if several else Path if given.default is inspect.Parameter.empty else Path | None
    parameters[place] = given.replace(name="file", annotation=Annotated[(file, *get_args(given.annotation)[1:])])
    kinds, (_, *options) = get_type_hints(Input, include_extras=True), fields(Input)
    parameters += [
        inspect.Parameter(
            option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=kinds[option.name]
        )
        for option in options
    ]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        chosen, said = values.pop("file"), {option.name: values.pop(option.name) for option in options}
        files = [Input(path, **said) for path in (chosen if several else [chosen]) if path is not None]
        command(given=files if several else files[0] if files else None, **values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
