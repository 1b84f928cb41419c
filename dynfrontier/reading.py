"""The file that a command reads, and the options that say how."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from .options import COMMENTS, Input

Member = Annotated[str | None, typer.Option("--member", help="Which graph of an archive to read.")]
Columns = Annotated[
    str | None,
    typer.Option("--columns", help="Roles of the columns by position, such as 'src,dst,weight,time', '-' skips one; or "
                 "by name, such as 'weight=amount,time=day'."),
]  # fmt: skip
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", help="What separates columns of text: a character, or tab, comma, semicolon or space.",
                 show_default="comma, tab or blanks, as the first line has it"),
]  # fmt: skip
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line of a text holds the names of columns.",
                 show_default="what it looks like"),
]  # fmt: skip
VertexNames = Annotated[
    bool | None,
    typer.Option("--names/--no-names", help="Whether ids are names, of any kind, instead of integers from 0 on.",
                 show_default="what the first record of a CSV file has"),
]  # fmt: skip
Comments = Annotated[str, typer.Option("--comments", help="Characters that start a comment line in text.")]
OPTIONS: dict[str, tuple[Any, Any]] = {
    "member": (Member, None), "columns": (Columns, None), "delimiter": (Delimiter, None), "header": (Header, None),
    "names": (VertexNames, None), "comments": (Comments, COMMENTS),
}  # fmt: skip
"""Type and default of each option, by its name, which is that of an attribute of `Input`."""


def reads_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: the command line has a file and `OPTIONS` in place of the command's parameter ``given``.

    That parameter is an `Input`, or None if it has a default and no file is named; or a list of them, for several
    files. Its annotation describes the argument FILE.
    """
    types = get_type_hints(command, include_extras=True)
    known = inspect.signature(command).parameters.values()
    parameters = [parameter.replace(annotation=types[parameter.name]) for parameter in known]
    (place,) = (index for index, parameter in enumerate(parameters) if parameter.name == "given")
    given = parameters[place]
    several = get_args(given.annotation)[0] == list[Input]
    file: Any = list[Path] if several else Path if given.default is inspect.Parameter.empty else Path | None
    parameters[place] = given.replace(name="file", annotation=Annotated[(file, *get_args(given.annotation)[1:])])
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in OPTIONS.items()
    ]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        chosen, said = values.pop("file"), {name: values.pop(name) for name in OPTIONS}
        files = [Input(path, **said) for path in (chosen if several else [chosen]) if path is not None]
        command(given=files if several else files[0] if files else None, **values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
