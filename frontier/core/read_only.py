"""`ReadOnlyGraph`: the base of graphs that show another graph and cannot be updated."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from .locking import CONTENTS


class ReadOnlyGraph:
    """Comes before a structure among the bases of a class, and replaces its updates by errors."""

    __slots__ = ()
    read_only: ClassVar[bool] = True
    structure: ClassVar[Any]
    """The class that has updates."""
    refuses: ClassVar[tuple[str, ...]] = (CONTENTS,)
    """Methods that change these are refused (`frontier.core.locking`)."""
    refusal: ClassVar[str]
    observer_refusal: ClassVar[str]

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """A new graph of the structure. Read-only views are created only by graphs."""
        return cls.structure(*args, **options)

    def _refuse(self, *args: Any, **options: Any) -> NoReturn:
        raise TypeError(self.refusal)

    def attach(self, *args: Any, **options: Any) -> NoReturn:
        """Raise TypeError: the graph that is shown notifies observers."""
        raise TypeError(self.observer_refusal)

    detach = attach


def read_only_class(base: type[ReadOnlyGraph], structure: Any, **contents: Any) -> type:
    """A class of read-only graphs of a structure, whose updates raise. `contents` are its attributes."""
    refused = [name for name in dir(structure) if getattr(getattr(structure, name), "changes", None) in base.refuses]
    contents |= {"__module__": structure.__module__, "structure": structure}
    contents |= dict.fromkeys(refused, ReadOnlyGraph._refuse)
    return type(structure)(f"{base.__name__}{structure.__name__}", (base, structure), contents)
