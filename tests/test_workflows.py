"""The workflows: each step is a command one can type here, every action is pinned, and a pull request gets no power."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = ROOT / ".github" / "workflows"
NAMES = ("check", "publish", "tests")
BIN = Path(sys.executable).parent

Workflow = dict[Any, Any]
Faults = list[str]


def text_of(name: str) -> str:
    return (WORKFLOWS / f"{name}.yml").read_text(encoding="utf-8")


def read(text: str) -> Workflow:
    return yaml.safe_load(text)


def triggers(workflow: Workflow) -> set[str]:
    return set(workflow[True])  # YAML 1.1 reads the key `on` as true


def jobs(workflow: Workflow) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from workflow["jobs"].items()


def steps(workflow: Workflow) -> Iterator[dict[str, Any]]:
    for _, job in jobs(workflow):
        yield from job["steps"]


@cache
def targets() -> frozenset[str]:
    """The Makefile's targets that are commands: with a rule, and phony, so that no file of that name hides them."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony
    return frozenset(re.findall(r"^([a-z]+):(?!=)", makefile, re.MULTILINE)) & set(phony[1].split())


@cache
def is_command(name: str) -> bool:
    command = [sys.executable, "-m", "leaderboard", name, "--help"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, timeout=60).returncode == 0


def is_one_known_command(run: str) -> bool:
    """Whether ``run`` is `make TARGET` or `leaderboard COMMAND …`, of this repository, and no shell beside it."""
    if re.search(r"[^\w\s./=-]", run) or len(run.splitlines()) != 1:
        return False
    match shlex.split(run):
        case ["make", target]:
            return target in targets()
        case ["leaderboard", command, *_]:
            return is_command(command)
    return False


def strange_steps(text: str) -> Faults:
    return [
        step["run"] for step in steps(read(text)) if "run" in step and not is_one_known_command(step["run"])
    ]


def unpinned_actions(text: str) -> Faults:
    uses = [line.strip().removeprefix("- ") for line in text.splitlines() if re.match(r"\s*(- )?uses:", line)]
    assert len(uses) == sum("uses" in step for step in steps(read(text)))  # none is written in another way
    pinned = re.compile(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    return [use for use in uses if not pinned.fullmatch(use)]


def checkouts_that_keep_the_token(text: str) -> Faults:
    return [
        step["uses"]
        for step in steps(read(text))
        if step.get("uses", "").startswith("actions/checkout@")
        and step.get("with", {}).get("persist-credentials") is not False
    ]


def unbounded_jobs(text: str) -> Faults:
    workflow = read(text)
    faults = [name for name, job in jobs(workflow) if not 0 < job.get("timeout-minutes", 0) <= 120]
    return faults if "group" in workflow.get("concurrency", {}) else ["concurrency", *faults]


def drifting_machines(text: str) -> Faults:
    return [name for name, job in jobs(read(text)) if not re.fullmatch(r"ubuntu-\d\d\.04", job["runs-on"])]


def powers_of_a_pull_request(text: str) -> Faults:
    """What in a workflow that a pull request starts would let its author write, read a secret, or leave a cache."""
    workflow = read(text)
    if "pull_request" not in triggers(workflow):
        return []
    granted = [
        workflow.get("permissions", "default"),
        *(job.get("permissions", {}) for _, job in jobs(workflow)),
    ]
    faults = [str(permissions) for permissions in granted if permissions not in ({}, {"contents": "read"})]
    faults += re.findall(r"secrets\b|github\.token|GITHUB_TOKEN|id-token", text)
    faults += [f"environment of {name}" for name, job in jobs(workflow) if "environment" in job]
    return faults


def dangers(text: str) -> Faults:
    """What no workflow here may have: a trigger with the base's rights on a stranger's code, a cache they share."""
    workflow = read(text)
    faults = sorted(triggers(workflow) & {"pull_request_target", "workflow_run", "issue_comment"})
    faults += [step["uses"] for step in steps(workflow) if "cache" in step.get("uses", "")]
    faults += [
        key
        for step in steps(workflow)
        for key in step.get("with", {})
        if re.fullmatch(r"(.+-)?cache(-.+)?", key)
    ]
    return faults


RULES = [
    strange_steps,
    unpinned_actions,
    checkouts_that_keep_the_token,
    unbounded_jobs,
    drifting_machines,
    powers_of_a_pull_request,
    dangers,
]


def test_these_are_all_the_workflows():
    assert {path.name for path in WORKFLOWS.iterdir()} == {f"{name}.yml" for name in NAMES}
    assert [read(text_of(name))["name"] for name in NAMES] == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_workflow_keeps_every_rule(rule: Callable[[str], Faults], name: str):
    assert rule(text_of(name)) == []


@pytest.mark.parametrize(
    ("rule", "name", "good", "bad", "fault"),
    [
        (strange_steps, "check", "run: make site", "run: make sites", "make sites"),
        (strange_steps, "check", "run: make site", "run: make tests", "make tests"),  # a folder, no target
        (strange_steps, "check", "run: make site", "run: make site test", "make site test"),
        (strange_steps, "check", "run: make site", "run: make site; true", "make site; true"),
        (strange_steps, "check", "run: make site", "run: leaderboard chek", "leaderboard chek"),
        (strange_steps, "check", "run: make site", "run: pip install zizmor", "pip install zizmor"),
        (strange_steps, "check", "run: make site", "run: |\n          make site\n          make test", None),
        (unpinned_actions, "tests", " # v7.0.1", "", None),
        (unpinned_actions, "tests", " # v7.0.1", " # v7", None),
        (unpinned_actions, "tests", "@3d3c42e5aac5ba805825da76410c181273ba90b1", "@v7.0.1", None),
        (checkouts_that_keep_the_token, "tests", "persist-credentials: false", "persist-credentials: true", None),
        (checkouts_that_keep_the_token, "publish", "persist-credentials: false", "fetch-depth: 1", None),
        (unbounded_jobs, "publish", "    timeout-minutes: 15\n", "", "deploy"),
        (unbounded_jobs, "publish", "timeout-minutes: 60", "timeout-minutes: 600", "build"),
        (unbounded_jobs, "check", "concurrency:", "env:", "concurrency"),
        (drifting_machines, "check", "ubuntu-24.04", "ubuntu-latest", "board"),
        (powers_of_a_pull_request, "check", "permissions: {}", "permissions: write-all", "write-all"),
        (powers_of_a_pull_request, "check", "permissions: {}\n", "", "default"),
        (powers_of_a_pull_request, "check", "contents: read", "contents: write", "{'contents': 'write'}"),
        (powers_of_a_pull_request, "check", "name: site", "name: ${{ secrets.KEY }}", "secrets"),
        (powers_of_a_pull_request, "tests", "name: Test", "name: ${{ github.token }}", "github.token"),
        (dangers, "check", "pull_request:", "pull_request_target:", "pull_request_target"),
        (dangers, "tests", "python-version:", "cache: pip\n          python-version:", "cache"),
        (dangers, "check", "actions/upload-artifact", "actions/cache", None),
    ],
)  # fmt: skip
def test_a_rule_finds_what_breaks_it(rule: Callable[[str], Faults], name, good, bad, fault):
    text = text_of(name)
    assert good in text
    [found] = rule(text.replace(good, bad, 1))
    assert fault in (None, found)


@pytest.mark.parametrize("run", ["make replay", "leaderboard build --replay --strict"])
def test_a_step_may_be_a_target_or_a_command(run):
    assert is_one_known_command(run)


def test_only_the_job_that_deploys_may_write_and_it_runs_nothing_of_this_repository():
    writing = {
        (name, job_name): job
        for name in NAMES
        for job_name, job in jobs(read(text_of(name)))
        if "write" in job["permissions"].values()
    }
    assert set(writing) == {("publish", "deploy")}
    [deploy] = writing.values()
    assert deploy["permissions"] == {"pages": "write", "id-token": "write"}
    assert deploy["environment"]["name"] == "github-pages"
    assert deploy["if"] == "github.ref == 'refs/heads/main'"
    assert [step["uses"].partition("@")[0] for step in deploy["steps"]] == ["actions/deploy-pages"]


def test_the_default_branch_alone_publishes_and_a_deployment_under_way_is_finished():
    publish = read(text_of("publish"))
    assert publish[True] == {"push": {"branches": ["main"]}, "workflow_dispatch": None}
    assert publish["concurrency"] == {"group": "pages", "cancel-in-progress": False}


def test_a_pull_request_is_validated_built_shown_and_replayed():
    done = [step.get("run") or step["uses"].partition("@")[0] for step in steps(read(text_of("check")))]
    assert triggers(read(text_of("check"))) == {"pull_request"}
    assert done[2:] == ["make validate", "make site", "actions/upload-artifact", "make replay"]


def test_the_code_is_tested_on_the_oldest_python_that_is_allowed_and_on_a_newer_one():
    [(_, job)] = jobs(read(text_of("tests")))
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.13"]
    assert 'requires-python = ">=3.11"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def audit(*paths: Path) -> subprocess.CompletedProcess[str]:
    command = [BIN / "zizmor", "--offline", "--pedantic", "--strict-collection", "--no-progress", *paths]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def against(schema: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    command = [BIN / "check-jsonschema", "--builtin-schema", schema, *paths]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_zizmor_has_nothing_to_say():
    done = audit(ROOT / ".github")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_audit_and_the_schema_see_what_is_wrong(tmp_path):
    path = tmp_path / "check.yml"
    path.write_text(re.sub("@[0-9a-f]{40}", "@main", text_of("check"), count=1))
    found = audit(path)
    assert found.returncode > 0
    assert "unpinned-uses" in found.stdout
    path.write_text(text_of("check").replace("timeout-minutes: 75", "timeout-minute: 75"))
    assert against("vendor.github-workflows", path).returncode == 1


def test_the_files_have_the_form_that_github_asks_for():
    for schema, paths in (
        ("vendor.github-workflows", sorted(WORKFLOWS.iterdir())),
        ("vendor.dependabot", [ROOT / ".github" / "dependabot.yml"]),
    ):
        done = against(schema, *paths)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_release_is_taken_up_a_week_after_it_came_out():
    updates = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8"))["updates"]
    assert {update["package-ecosystem"]: update["cooldown"]["default-days"] for update in updates} == {
        "github-actions": 7,
        "pip": 7,
    }
