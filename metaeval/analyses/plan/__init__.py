"""How many items, systems or annotators are enough?"""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.plan.settings import PlanSettings

plan = Analysis(
    PlanSettings,
    tables=("plan", "plan_curve", "plan_designs"),
)
