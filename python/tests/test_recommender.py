"""Recommendations, from matrices and frames."""

import subprocess

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import gcg
from gcg._bridge import binary

RNG = np.random.default_rng(0)
FULL = 3 + RNG.normal(size=(60, 2)) @ RNG.normal(size=(2, 40))
RATINGS = sparse.csr_array(np.where(RNG.random(FULL.shape) < 0.5, FULL, 0))
CLICKS = sparse.csr_array(((FULL > 3) & (RNG.random(FULL.shape) < 0.5)).astype(float))


@pytest.mark.parametrize("center", ["none", "global", "both", "shrunk"])
@pytest.mark.parametrize("weights", ["none", "power:0.8", "smoothed:0.5"])
def test_folding_in_a_known_user_gives_its_factor(center, weights):
    model = gcg.Recommender(lam=1.0, center=center, weights=weights, tol=1e-7).fit(RATINGS)
    again = model.recalculate_user(np.arange(60), RATINGS)
    if center == "none":  # a new user is drawn towards the mean of the others
        return
    np.testing.assert_allclose(again, model.user_factors, atol=2e-2 * np.abs(model.user_factors).max())


@pytest.mark.parametrize("rated", ["users", "items", "both"])
def test_lists_of_what_was_rated_fold_in(rated):
    model = gcg.Recommender(lam=1.0, center="global", weights="none", rated=rated, tol=1e-7).fit(RATINGS)
    assert model.rated_ == rated
    again = model.recalculate_user(np.arange(60), RATINGS)
    np.testing.assert_allclose(again, model.user_factors, atol=2e-2 * np.abs(model.user_factors).max())


def test_pairs_without_ratings_join_the_lists():
    shown = RATINGS.toarray() * (np.random.default_rng(4).random(FULL.shape) < 0.5)
    shown[7] = 0
    shown, clicks = sparse.csr_array(shown), sparse.csr_array((RATINGS.toarray() != 0).astype(float))
    model = gcg.Recommender(lam=1.0, center="global", weights="none", tol=1e-7).fit(shown, also_seen=clicks)
    assert model.rated_ == "both" and model._model.info["also_seen"] == RATINGS.nnz - shown.nnz
    again = model.recalculate_user(np.arange(60), shown, clicks)
    np.testing.assert_allclose(again, model.user_factors, atol=2e-2 * np.abs(model.user_factors).max())
    assert np.abs(model.user_factors[7]).max() > 0
    rows, cols = shown.nonzero()
    ratings = pd.DataFrame({"user": [f"u{i}" for i in rows], "item": [f"i{j}" for j in cols], "rating": shown.data})
    rows, cols = clicks.nonzero()
    pairs = pd.DataFrame({"user": [f"u{i}" for i in rows], "item": [f"i{j}" for j in cols]})
    framed = gcg.Recommender(lam=1.0, center="global", weights="none", tol=1e-7).fit(ratings, also_seen=pairs)
    np.testing.assert_allclose(framed.predict(["u7", "u3"], ["i0", "i5"]), model.predict([7, 3], [0, 5]), atol=1e-3)
    assert framed.users_[-1] == "u7"
    ids, _ = framed.recommend("u7", N=3)
    assert len(ids) == 3
    with pytest.raises(ValueError, match="also_seen"):
        gcg.Recommender(lam=1.0, rated="none").fit(shown, also_seen=clicks)
    with pytest.raises(ValueError, match="lists"):
        gcg.Recommender(lam=1.0).fit(shown).recalculate_user(0, shown[[0]], clicks[[0]])


def test_features_of_a_new_user_begin_at_their_constant():
    ages = pd.DataFrame({"age": RNG.random(60)}, index=pd.Index(np.arange(60), name="user"))
    model = gcg.Recommender(lam=1.0, center="global", weights="none", tol=1e-7).fit(RATINGS, user_features=ages)
    nobody = model.recalculate_user("new", sparse.csr_array((1, 40)))
    assert nobody.shape == (model.rank_,) and np.isfinite(nobody).all() and np.abs(nobody).max() > 0


def test_a_model_for_ranking_folds_in():
    ratings = sparse.csr_array(np.where(np.quantile(FULL, 0.3) < FULL, np.round(FULL), 0) * (RNG.random(FULL.shape) < 0.6))
    model = gcg.Recommender(purpose="ranking", tol=1e-6).fit(ratings)
    again = model.recalculate_user(np.arange(60), ratings)
    assert again.shape == model.user_factors.shape
    if "background" in model._model.info:
        np.testing.assert_allclose(again, model.user_factors, atol=2e-2 * np.abs(model.user_factors).max())
    with pytest.raises(ValueError, match="center"):
        gcg.Recommender(purpose="ranking", center="global").fit(ratings)


def test_predictions_are_those_of_the_matrix():
    model = gcg.Recommender(clip="none").fit(RATINGS)
    hidden = RATINGS.toarray() == 0
    users, items = np.nonzero(hidden)
    error = model.predict(users, items) - FULL[users, items]
    assert np.sqrt((error**2).mean()) < 0.3


@pytest.mark.parametrize("options", [{"center": "none"}, {"center": "both"}, {"center": "global", "features": True}])
def test_unknown_pairs_are_predicted_as_by_the_command(tmp_path, options):
    ages = pd.DataFrame({"user": np.arange(60), "age": RNG.random(60)}) if options.pop("features", 0) else None
    user, item = RATINGS.nonzero()
    frame = pd.DataFrame({"user": user, "item": item, "rating": RATINGS.data})
    model = gcg.Recommender(lam=1.0, weights="none", **options).fit(frame, user_features=ages)
    (tmp_path / "m.gcg").write_bytes(model._model.data)
    pairs = [(1, 2), (1, 999), (999, 2), (999, 999)]
    (tmp_path / "pairs.csv").write_text("user,item\n" + "".join(f"{a},{b}\n" for a, b in pairs))
    command = [binary(), "predict", "--model", "m.gcg", "--data", "pairs.csv", "--unknown", "mean"]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    said = [float(line.split(",")[-1]) for line in out.strip().splitlines()[1:]]
    np.testing.assert_allclose(model.predict(*zip(*pairs, strict=True)), said, rtol=1e-6)


def test_recommend_filters_and_orders():
    model = gcg.Recommender(lam=1.0, center="global", weights="none").fit(RATINGS)
    ids, scores = model.recommend(3, N=5)
    assert not set(ids) & set(RATINGS[[3]].indices) and (np.diff(scores) <= 0).all()
    many, _ = model.recommend([3, 4], N=5)
    np.testing.assert_array_equal(many[0], ids)
    only, _ = model.recommend(3, N=2, items=[0, 1, 2], filter_already_liked_items=False)
    assert set(only) <= {0, 1, 2}
    without, _ = model.recommend(3, N=5, filter_items=ids[:1])
    assert ids[0] not in without
    again, _ = model.recommend(3, RATINGS[[3]], N=5, recalculate_user=True)
    assert set(again) == set(ids)
    same, cosines = model.similar_items(7, N=3)
    assert same[0] == 7 and cosines[0] == pytest.approx(1)


def test_a_frame_has_ids_of_any_type():
    pandas = pytest.importorskip("pandas")
    coo = RATINGS.tocoo()
    frame = pandas.DataFrame({"item": coo.col + 100, "user": [f"u{i}" for i in coo.row], "rating": coo.data})
    model = gcg.Recommender(lam=1.0, center="global", weights="none").fit(frame)
    assert model.users_.dtype.kind in "OUT" and 100 in model.items_
    ids, _ = model.recommend("u3", N=4)
    plain, _ = gcg.Recommender(lam=1.0, center="global", weights="none").fit(RATINGS).recommend(3, N=4)
    np.testing.assert_array_equal(np.sort(ids), np.sort(plain + 100))
    with pytest.raises(ValueError, match="not in the model"):
        model.recommend("nobody")
    with pytest.raises(ValueError, match="twice"):
        model.fit(pandas.concat([frame, frame.head(1)]))


def test_features_of_users_are_taken():
    pandas = pytest.importorskip("pandas")
    ages = pandas.DataFrame({"user": np.arange(60), "age": RNG.integers(20, 60, 60), "city": RNG.choice(["a", "b"], 60)})
    model = gcg.Recommender(lam=1.0).fit(RATINGS, user_features=ages)
    assert model.user_factors.shape == (60, model.rank_)


def test_clicks():
    model = gcg.ImplicitRecommender(lam=2.0).fit(CLICKS)
    again = model.recalculate_user(np.arange(60), CLICKS)
    np.testing.assert_allclose(again, model.user_factors, atol=0.05)
    assert model.certificate_.relative_gap < 1e-3


def test_partial_fit_is_a_warm_refit():
    model = gcg.Recommender(random_state=3).fit(RATINGS)
    more = RATINGS.copy()
    more.data = more.data + 0.01
    lam = model.lam_
    model.partial_fit(more)
    assert model.lam_ == lam and model.lam == "auto" and model.certificate_.relative_gap < 1e-2


def test_partial_fit_takes_new_users_and_items():
    rng = np.random.default_rng(0)
    taste = 3 + rng.normal(size=(40, 2)) @ rng.normal(size=(2, 30))
    user, item = np.nonzero(rng.random(taste.shape) < 0.5)
    names = np.array([f"u{i:02}" for i in user])
    frame = pd.DataFrame({"user": names, "item": item, "rating": taste[user, item]})
    old = frame[(user >= 5) & (item >= 5)]  # the new ids come first in their order
    model = gcg.Recommender(lam=3.0, center="none", weights="none", tol=1e-6).fit(old)
    model.partial_fit(frame)
    assert model.users_.tolist()[:2] == ["u05", "u06"] and sorted(model.users_) == sorted(set(names))
    fresh = gcg.Recommender(lam=3.0, center="none", weights="none", tol=1e-6).fit(frame)
    assert np.isclose(model.certificate_.objective, fresh.certificate_.objective, rtol=2e-6)
    np.testing.assert_allclose(model.predict(names[:50], item[:50]), fresh.predict(names[:50], item[:50]), atol=0.02)
    assert not set(model.recommend("u00", N=5)[0]) & set(item[user == 0])


def test_what_is_no_rating_is_refused():
    with pytest.raises(ValueError, match="no rating"):
        gcg.Recommender().fit(sparse.csr_array((3, 3)))
    with pytest.raises(ValueError, match="sparse matrix"):
        gcg.Recommender().fit([1, 2, 3])
