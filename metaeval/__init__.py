"""metaeval: which evaluation measure should you trust for your task?"""

__version__ = "0.1.0"
