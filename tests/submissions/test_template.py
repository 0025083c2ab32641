"""``leaderboard new``: a file to start from."""

from pathlib import Path

import pytest

from leaderboard.catalog.optimizers import OPTIMIZERS, BootstrapFewShot
from leaderboard.submissions.errors import SubmissionErrors
from leaderboard.submissions.schema import LanguageModel, Limits, System
from leaderboard.submissions.template import new_submission, template


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_new_submission_is_valid_as_it_is():
    made = new_submission("my-system", Path(), model="openai/gpt-4o-mini-2024-07-18")
    assert made.text == Path("my-system.toml").read_text()
    assert made.text.startswith("#:schema ./submission.schema.json\n")
    assert made.document.system.name == "My system"
    assert made.document.lm.model == "openai/gpt-4o-mini-2024-07-18"


def test_it_shows_every_field_with_its_description():
    text = template("my-system")
    for table in (System, LanguageModel, Limits):
        for name, field in table.model_fields.items():
            assert (
                f"# {field.description}\n{name} = " in text or f"# {field.description}\n# {name} = " in text
            )


def test_it_names_every_optimizer_and_compiles_nothing_by_itself():
    assert f"# The optimizer's name in the catalog. One of {', '.join(OPTIMIZERS)}." in template("my-system")
    assert new_submission("my-system", Path()).document.compile is None


def test_the_optional_fields_are_valid_when_their_mark_is_removed():
    Path("bm25-2-articles.toml").write_text(template("bm25-2-articles"))
    lines = template("my-system").split("\n")
    used = [line.removeprefix("# ") if " = " in line or line == "# [compile]" else line for line in lines]
    Path("my-system.toml").write_text("\n".join(used))
    from leaderboard.submissions.load import load_submission

    document = load_submission(Path("my-system.toml")).document
    assert document.lm.top_p == 0.95
    assert document.compile == BootstrapFewShot(optimizer="bootstrap_few_shot")


def test_nothing_is_overwritten():
    Path("my-system.toml").write_text("mine")
    with pytest.raises(SubmissionErrors) as caught:
        new_submission("my-system", Path())
    assert str(caught.value) == "my-system.toml:1:1: expected a name that is still free, found a file"
    assert Path("my-system.toml").read_text() == "mine"


@pytest.mark.parametrize("name", ["../x", "/etc/x", "X", "", "a/b", "a\n"])
def test_a_name_is_no_path(name):
    with pytest.raises(SubmissionErrors) as caught:
        new_submission(name, Path())
    shown = name.replace("\n", "\\n")
    assert str(caught.value) == f'.:1:1: expected a name of 2 to 63 of a-z, 0-9 and -, found "{shown}"'
    assert list(Path().iterdir()) == []


def test_a_link_in_the_place_is_not_followed(tmp_path):
    Path("my-system.toml").symlink_to("elsewhere.toml")
    with pytest.raises(SubmissionErrors):
        new_submission("my-system", Path())
    assert not Path("elsewhere.toml").exists()


def test_a_folder_that_is_not_there_is_said():
    with pytest.raises(SubmissionErrors) as caught:
        new_submission("my-system", Path("nowhere"))
    assert (
        str(caught.value)
        == "nowhere/my-system.toml:1:1: expected a folder to write in, found none at nowhere"
    )
