"""Ctrl-C that comes out as another error."""

import pytest

from metaeval.cli import main


@pytest.mark.parametrize("explicit", [True, False])
@pytest.mark.parametrize("kind", [SystemError, ImportError, OSError, KeyError])
def test_an_interrupt_behind_another_error_ends_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: type[Exception], explicit: bool
) -> None:
    # What an extension module raises that was interrupted while it was imported.
    def interrupted(*_arguments: object, **_more: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            if explicit:
                raise kind("initialization raised unreported exception") from interrupt
            raise kind("initialization raised unreported exception")  # noqa: B904 (the cause is left to the context)

    monkeypatch.setattr("metaeval.info.measures_report", interrupted)
    with pytest.raises(SystemExit) as exit_of:
        main(["measures"])
    assert exit_of.value.code == 130
    assert capsys.readouterr().err == "Interrupted.\n"
