"""scikit-learn's own checks over every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import gcg

ESTIMATORS = [
    gcg.SparseRegressor(),
    gcg.SparseRegressor(lam=0.1),
    gcg.MultiTaskRegressor(),
    gcg.MultiTaskRegressor(lam=0.1, penalty="group"),
    gcg.LowRankImputer(),
    gcg.LowRankImputer(lam=1.0, scale=False, keep_empty_features=True),
    gcg.LowRankClassifier(),
    gcg.SparseClassifier(),
    gcg.SparseClassifier(C=10.0),
    gcg.SparsePCA(),
    gcg.RobustPCA(),
    gcg.RobustPCA(lam=0.5, equal=False),
    gcg.SparseLowRank(),
    gcg.SparseLowRank(lam=0.01, l1=0.001),
    gcg.CUR(),
    gcg.MultiViewDictionary(),
]


RECOMMENDERS = [gcg.Recommender(), gcg.ImplicitRecommender()]

NEEDS_RATINGS = (
    "the check fits an array; recommenders take a sparse matrix of users × items or a frame, as an array does not say which "
    "ratings are unknown, and predict for pairs of ids"
)
OF_ARRAYS = [
    "check_array_api_input",
    "check_complex_data",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_empty_data_messages",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_estimators_unfitted",
    "check_f_contiguous_array_estimator",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
]


NEEDS_EVENTS = "the check gives numbers as y, without events; test_cox.py runs it with events that were all seen"
OF_NUMBERS = [
    "check_array_api_input",
    "check_all_zero_sample_weights_error",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
]


def expected(estimator):
    """The checks that cannot hold, each with the reason."""
    if isinstance(estimator, gcg.CoxRegressor):
        return dict.fromkeys(OF_NUMBERS, NEEDS_EVENTS)
    return dict.fromkeys(OF_ARRAYS, NEEDS_RATINGS) if type(estimator) in map(type, RECOMMENDERS) else {}


@parametrize_with_checks([*ESTIMATORS, *RECOMMENDERS, gcg.CoxRegressor()], expected_failed_checks=expected)
def test_estimators(estimator, check):
    check(estimator)
