"""Do annotators agree, and could a judge replace one of them?"""

from metaeval.analyses.agreement.settings import AgreementSettings
from metaeval.analyses.declaration import AnalysisOfFiles

agreement = AnalysisOfFiles(
    AgreementSettings,
    argument="ratings",
    question="Do annotators agree with each other?",
    tables=(
        *("agreement", "agreement_pearson", "agreement_spearman", "agreement_kendall", "agreement_pairs"),
        *("leave_one_out", "agreement_confusions", "judges", "judge_agreement", "judge_statistics", "judge_classes"),
        *("judge_runs", "judge_groups", "judge_disagreements"),
    ),
)
