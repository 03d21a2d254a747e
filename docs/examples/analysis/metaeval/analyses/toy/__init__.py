"""How far apart are the systems?"""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.toy.settings import ToySettings

toy = Analysis(ToySettings, tables=("toy",))
