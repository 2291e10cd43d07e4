"""Reads OpenMetrics text with Prometheus's own parser and prints the name of each sample, a line each.

    Scripts/python Scripts/parse_metrics.py FILE

Ends with a reason where the text is not what the standard says, or a family of this program has no help.
"""
import sys
from prometheus_client.openmetrics import parser

with open(sys.argv[1], encoding="utf-8") as file:
    families = list(parser.text_fd_to_metric_families(file))
for family in families:
    if not family.documentation or not family.name.startswith("tideline_"):
        sys.exit(f"{family.name} has no help, or another name than this program's metrics")
print("\n".join(sorted({sample.name for family in families for sample in family.samples})))
