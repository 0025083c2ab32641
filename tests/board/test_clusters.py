"""Questions that a paired test flips together."""

from dataclasses import replace

from leaderboard.board.clusters import clusters
from tests import tiny


def musique(*ids):
    questions = [replace(tiny.QUESTIONS[0], id=id, text=f"Who is {id}?") for id in ids]
    return tiny.benchmark("musique", questions=tuple(questions))


def test_questions_of_musique_that_share_a_single_hop_are_one_cluster_directly_or_through_others():
    on = musique("2hop__1_2", "2hop__3_4", "3hop1__5_6_7", "2hop__4_1", "2hop__8_9")
    assert clusters([on]) == (0, 0, 2, 0, 4)


def test_only_musiques_ids_name_single_hops():
    on = musique("2hop__1_2", "2hop__2_3")
    assert clusters([replace(on, name="frames")]) == (0, 1)


def test_one_wording_is_one_cluster_also_across_benchmarks():
    assert clusters([tiny.benchmark("frames"), tiny.benchmark("musique")]) == (0, 1, 2, 3, 0, 1, 2, 3)
