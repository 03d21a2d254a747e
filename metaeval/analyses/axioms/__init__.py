"""Which formal properties does a measure have?"""

from metaeval.analyses.axioms.settings import AxiomsSettings
from metaeval.analyses.declaration import AnalysisOfMeasures

axioms = AnalysisOfMeasures(
    AxiomsSettings,
    tables=("axioms", "counter_examples", "claims", "axiom_cases", "properties"),
)
