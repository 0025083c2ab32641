"""The world that the native files are made from: what is missing is said by name."""

import pytest

from leaderboard.sample.world import Fact, Paragraph, SampleError, World

PELLOW = Fact("Pellow", "mouth", "Karrow", "Pellow", "The Pellow ends at Karrow.")
TWO = [
    Paragraph("Pellow", "The Pellow is brown. The Pellow ends at Karrow."),
    Paragraph("Karrow", "Of rivers: The Pellow ends at Karrow."),
]


def test_a_fact_is_supported_by_the_paragraph_of_its_article():
    world = World(TWO, [PELLOW])
    assert world.support(world.fact("Pellow", "mouth")) == TWO[0]
    assert world.relations == {TWO[0]: {"mouth"}, TWO[1]: set()}


def test_a_sentence_that_its_article_lacks_is_an_error_that_names_both():
    with pytest.raises(SampleError, match=r"'Pellow' holds 'The Pellow ends at Karrow\.'"):
        World(TWO[1:], [PELLOW]).support(PELLOW)


def test_a_fact_that_is_not_there_is_an_error_that_names_it():
    with pytest.raises(SampleError, match="no fact for 'Pellow', 'source'"):
        World(TWO, [PELLOW]).fact("Pellow", "source")
