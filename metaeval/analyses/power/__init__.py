"""How well does a measure tell systems apart?"""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.power.settings import PowerSettings

power = Analysis(
    PowerSettings, question="How well does a measure tell systems apart?", tables=("power", "power_differences")
)
