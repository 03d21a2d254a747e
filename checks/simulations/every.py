"""All simulations, by what they are about: the sections of the page."""

from simulations import (
    agreement,
    biases,
    contrasts,
    correcting,
    decisions,
    hard,
    items,
    levels,
    one_judge,
    phases,
    planning,
    preferences,
    rankings,
    recommending,
    revisions,
    runs,
    scenarios,
    scores,
    submissions,
    verdicts,
    winners,
)
from simulations.scenarios import Bound, Scenario

_EVERY = {
    "Differences of systems": (
        "`compare`: a false difference, joint intervals and rank sets.",
        scenarios.PAIRS,
    ),
    "Two crossed groupings": (
        "False differences of equal systems where items have rows and columns, such as documents and annotators.",
        scenarios.CROSSED,
    ),
    "Measures that are no means": (
        "False differences of systems that are equally good, with labels of rare classes and clusters.",
        [*scenarios.LABELLED, *hard.RARE],
    ),
    "Skewed scores, and sizes of clusters that matter": (
        "Systems of the same mean. Below 30 effective clusters a finding carries a warning, and does not count.",
        hard.SCORES,
    ),
    "Intervals of single scores": (
        "95 % intervals of the score of one system, by the parts of the tests.",
        scores.SCENARIOS,
    ),
    "Runs as random": (
        "False differences of equal systems of which several runs are given: for other items and other runs.",
        runs.SCENARIOS,
    ),
    "The best of several systems": (
        "The corrected score of the winner; its probability to be the best, less the share of sets in which it is.",
        winners.SCENARIOS,
    ),
    "Submissions of a shared task": (
        "`audit`: false alarms of similar and shifted submissions that share difficult items, errors and families.",
        submissions.SCENARIOS,
    ),
    "Phases and subtasks": (
        "`leaderboard` of two samples of items: changes of differences that are false, and their joint intervals.",
        phases.SCENARIOS,
    ),
    "Drops below a baseline, and trivial systems": (
        "False alarms of comparisons with a baseline, and of `robustness`.",
        [*scenarios.DROPS, *scenarios.TRIVIAL],
    ),
    "Differences of measures": (
        "Letters of `power`, `stability` and `summary` for measures that are alike, and for some that are not.",
        scenarios.MEASURES_ALIKE,
    ),
    "Tau between halves": (
        "The mean tau of halves, and the expected tau, less the tau of new samples of half the size.",
        scenarios.HALVES,
    ),
    "Similarity of rankings, merges of classes, class shares": (
        "Joint intervals of corrected tau, tests of margins, of the sensitivity to merges, and of shares of classes.",
        rankings.SCENARIOS,
    ),
    "Plans": (
        "Predicted tau of larger test sets, the power of planned numbers, and intervals of the items that are needed.",
        [*scenarios.PLANS, *planning.SCENARIOS],
    ),
    "Recommendations": (
        "Measures that are wrongly named or left out; of noisy ones, how often they stay, and what they lose.",
        recommending.SCENARIOS,
    ),
    "Contested pairs of systems": (
        "Pairs that two measures order significantly in opposite ways: false ones, planted ones, and sets without any.",
        verdicts.SCENARIOS,
    ),
    "Correlations with human scores": (
        "`correlate`: false differences of metrics that are equally good, and intervals.",
        [*scenarios.CORRELATIONS, *decisions.SCENARIOS],
    ),
    "Revised gold": (
        "`compare --revised`: false changes of scores and of differences, where two golds differ by chance.",
        revisions.SCENARIOS,
    ),
    "Items": (
        "`items`: right gold labels among those to check, and items that have nothing to do with quality among others.",
        items.SCENARIOS,
    ),
    "Agreement and reliability": (
        "Intervals of alpha and of the generalisability coefficient, and judges that are worse than an annotator.",
        agreement.SCENARIOS,
    ),
    "One judge and one human": (
        "Intervals of agreement, recall and coefficients; judges are right on 50, 90 and 98 %. No interval covers.",
        one_judge.SCENARIOS,
    ),
    "Preferences": (
        "Tau of metrics, shares of judges and strengths of systems: intervals and false differences.",
        preferences.SCENARIOS,
    ),
    "Biases of judges": (
        "`preferences`: planted biases and none, where strong systems write more or come first.",
        biases.SCENARIOS,
    ),
    "Corrected scores of judges": (
        "`correct`: intervals of corrected and of human means, false differences, and false alarms on the sample.",
        correcting.SCENARIOS,
    ),
    "Contrast sets": (
        "Shares of pairs in which a measure prefers the good output, and losses by severity.",
        contrasts.SCENARIOS,
    ),
    "Levels of groups": (
        "`--group` of `preferences`, `correct` and `contrast`: false differences of a level from all others.",
        levels.SCENARIOS,
    ),
    "Whole commands on files": ("False differences of `compare` on files that are written and read.", scenarios.FILES),
}

SCENARIOS = [scenario for _, scenarios_of_section in _EVERY.values() for scenario in scenarios_of_section]


def covered(scenario: Scenario) -> bool:
    """Whether something is claimed of a test that knows the clusters of the data."""
    return "withheld" not in scenario.name and any(bound != Bound() for bound in scenario.claims.values())


NOT_COVERED = """What no test can see: a failure on an item of fifty, where the items show none or one of them; and
clusters of which the command is not told (withheld). Shares without a bound are measured, not claimed."""

SECTIONS = {
    **{
        title: (explanation, [scenario for scenario in scenarios_of_section if covered(scenario)])
        for title, (explanation, scenarios_of_section) in _EVERY.items()
    },
    "Not covered": (
        NOT_COVERED,
        [scenario for scenario in SCENARIOS if not covered(scenario)],
    ),
}
"""Titles, explanations and scenarios of the sections of the page."""
