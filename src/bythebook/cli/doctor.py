"""`bythebook doctor`: is everything set up?"""

from __future__ import annotations

from bythebook.cli.console import data
from bythebook.cli.exits import ExitCode
from bythebook.cli.options import IndexOption, WriterOption
from bythebook.doctor import Finding, examine
from bythebook.settings import load_settings


def doctor(index: IndexOption = None, writer: WriterOption = None) -> int:
    """Check settings, keys, engines and index; keys are named and never shown."""
    findings = list(examine(load_settings(index=index, writer=writer)))
    width = max(len(finding.part) for finding in findings)
    for finding in findings:
        _show(finding, width)
    is_well = all(finding.is_well for finding in findings)
    return ExitCode.ANSWERED if is_well else ExitCode.CONFIGURATION


def _show(finding: Finding, width: int) -> None:
    mark = "ok  " if finding.is_well else "FAIL"
    data(f"{mark}  {finding.part:<{width}}  {finding.finding}")
    if finding.hint:
        data(f"      {'':<{width}}  hint: {finding.hint}")
