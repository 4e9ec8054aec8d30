"""How good are the answers? Questions with known answers, asked, judged and counted.

cases = read_cases([Path("questions.jsonl")])
report = await evaluate(assistant, cases)
print(report.metric("right_page").value)
"""

from bythebook.evaluation.cases import Case, Form, Gold, read_cases
from bythebook.evaluation.comparing import Comparison, compare
from bythebook.evaluation.floors import FloorResult, check_floors, parse_floors, read_floors
from bythebook.evaluation.metrics import METRIC_NAMES, Metric
from bythebook.evaluation.report import Report, make_report, read_report
from bythebook.evaluation.rows import Row, Verdict
from bythebook.evaluation.running import evaluate

__all__ = [
    "METRIC_NAMES",
    "Case",
    "Comparison",
    "FloorResult",
    "Form",
    "Gold",
    "Metric",
    "Report",
    "Row",
    "Verdict",
    "check_floors",
    "compare",
    "evaluate",
    "make_report",
    "parse_floors",
    "read_cases",
    "read_floors",
    "read_report",
]
