"""The works that measures come from, cited by key in their declarations."""

from __future__ import annotations

SOURCES: dict[str, str] = {
    "amemiya2021": "Amemiya, Y., & Sakai, T. (2021). Selecting evaluation measures for the stance detection task "
    "(in Japanese). DEIM Forum.",
    "amigo2020": "Amigó, E., Gonzalo, J., Mizzaro, S., & Carrillo-de-Albornoz, J. (2020). An effectiveness metric for "
    "ordinal classification: Formal properties and experimental results. ACL, 3938–3949.",
    "baccianella2009": "Baccianella, S., Esuli, A., & Sebastiani, F. (2009). Evaluation measures for ordinal "
    "regression. ISDA, 283–287.",
    "cohen1968": "Cohen, J. (1968). Weighted kappa: Nominal scale agreement provision for scaled disagreement or "
    "partial credit. Psychological Bulletin, 70(4), 213–220.",
    "fnc2017": "Pomerleau, D., & Rao, D. (2017). Fake News Challenge, stage 1: Stance detection.",
    "gorodkin2004": "Gorodkin, J. (2004). Comparing two K-category assignments by a K-category correlation "
    "coefficient. Computational Biology and Chemistry, 28(5–6), 367–374.",
    "hirao2006": "Hirao, T., Okumura, M., & Isozaki, H. (2006). An automatic evaluation method for summarization "
    "systems with extended string subsequence kernel (in Japanese). IPSJ Journal, 47(6), 1753–1766.",
    "inoue2020": "Inoue, N., Stenetorp, P., & Inui, K. (2020). Building a benchmark for the reasoning of machine "
    "reading comprehension systems (in Japanese). Annual meeting of the Association for NLP, Japan.",
    "inoue2020acl": "Inoue, N., Stenetorp, P., & Inui, K. (2020). R4C: A benchmark for evaluating RC systems to get "
    "the right answer for the right reason. ACL, 6740–6750.",
    "kendall1945": "Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika, 33(3), 239–251.",
    "krippendorff2011": "Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of "
    "Pennsylvania.",
    "lin2004": "Lin, C.-Y. (2004). ROUGE: A package for automatic evaluation of summaries. Text Summarization "
    "Branches Out, 74–81.",
    "mohammad2016": "Mohammad, S., Kiritchenko, S., Sobhani, P., Zhu, X., & Cherry, C. (2016). SemEval-2016 task 6: "
    "Detecting stance in tweets. SemEval, 31–41.",
    "opitz2019": "Opitz, J., & Burst, S. (2019). Macro F1 and macro F1. arXiv:1911.03347.",
    "ordinal2022": "Evaluating models when the label set is an ordinal scale (2022, in Japanese; published online "
    "2022-12-11).",
    "pearson1895": "Pearson, K. (1895). Note on regression and inheritance in the case of two parents. Proceedings of "
    "the Royal Society of London, 58, 240–242.",
    "rijsbergen1979": "van Rijsbergen, C. J. (1979). Information retrieval (2nd ed.). Butterworths.",
    "sakai2021": "Sakai, T. (2021). Evaluating evaluation measures for ordinal classification and ordinal "
    "quantification. ACL-IJCNLP, 2759–2769.",
    "scarton2020": "Scarton, C., Silva, D. F., & Bontcheva, K. (2020). Measuring what counts: The case of rumour "
    "stance classification. AACL-IJCNLP, 925–932.",
    "spearman1904": "Spearman, C. (1904). The proof and measurement of association between two things. American "
    "Journal of Psychology, 15(1), 72–101.",
}
"""Full references by key."""
