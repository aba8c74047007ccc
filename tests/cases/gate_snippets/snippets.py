"""Runs the snippets of docs/gate.md as their services would, as far as a shell can: a job begins in a new folder, and a
folder stands for the cache. What is installed is not installed again."""
import os
import re
import shutil
import subprocess
import sys

import yaml

blocks = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", open(sys.argv[1]).read(), re.S)]
github, gitlab = blocks
top = os.getcwd()
os.makedirs("bin")
with open("bin/sudo", "w") as sudo:
    sudo.write("#!/bin/sh\ncase $* in 'apt-get install -y '* | 'apt-get update') ;; *) exit 1 ;; esac\n")
os.chmod("bin/sudo", 0o755)
environment = {**os.environ, "PATH": f"{top}/bin:{os.environ['PATH']}"}


def begin(source):
    """A new folder with the program, as a checkout leaves it."""
    shutil.rmtree(f"{top}/job", ignore_errors=True)
    os.makedirs(f"{top}/job")
    shutil.copy(f"{top}/{source}.c", f"{top}/job/my_code.c")
    with open(f"{top}/job/Makefile", "w") as makefile:
        makefile.write("my_code: my_code.c\n\tmpicc $(CFLAGS) my_code.c -o my_code\n")


def shell(text, **more):
    """Its exit code."""
    with open(f"{top}/job.log", "a") as log:
        return subprocess.run(["bash", "-e", "-c", text], cwd=f"{top}/job", env={**environment, **more},
                              stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode


def copied(source, target):
    shutil.rmtree(target, ignore_errors=True)
    if os.path.exists(source):
        shutil.copytree(source, target)


def on_github(source, ref):
    """The job's exit code."""
    begin(source)
    code = 0
    for step in github["jobs"]["gate"]["steps"]:
        condition = str(step.get("if", "true"))
        is_always = condition.startswith("always() && ")
        condition = condition.removeprefix("always() && ")
        match = re.fullmatch(r"github\.ref (==|!=) '(.*)'", condition)
        assert match or condition == "true", condition
        if match and (ref == match[2]) != (match[1] == "=="):
            continue
        if code != 0 and not is_always:
            continue
        action, given = step.get("uses", "").split("@")[0], step.get("with", {})
        if "run" in step:
            code = shell(step["run"])
        elif action == "actions/cache/restore":
            copied(f"{top}/github.cache", f"{top}/job/{given['path']}")
        elif action == "actions/cache/save":
            copied(f"{top}/job/{given['path']}", f"{top}/github.cache")
        elif action == "actions/upload-artifact":
            assert os.path.exists(f"{top}/job/{given['path']}"), "there is no such artifact"
        else:
            assert action == "actions/checkout", step
    return code


def on_gitlab(source, branch):
    (name,) = jobs_of(branch, "push" if branch else "merge_request_event")
    job = gitlab[name]
    begin(source)
    (cache,) = job["cache"]
    for path in cache["paths"] if "pull" in cache["policy"] else []:
        copied(f"{top}/gitlab.cache/{path}", f"{top}/job/{path}")
    code = shell("\n".join(job["script"]), **({"CI_COMMIT_BRANCH": branch} if branch else {}))
    for path in cache["paths"] if code == 0 and "push" in cache["policy"] else []:
        copied(f"{top}/job/{path}", f"{top}/gitlab.cache/{path}")
    if "artifacts" in job:
        assert os.path.exists(f"{top}/job/{job['artifacts']['reports']['junit']}"), "there is no such artifact"
    return code


def jobs_of(branch, source):
    """The names of those whose one rule, a comparison of a variable, holds."""
    given = {"CI_COMMIT_BRANCH": branch, "CI_PIPELINE_SOURCE": source}
    names = []
    for name, job in gitlab.items():
        (rule,) = job["rules"]
        variable, sign, value = re.fullmatch(r'\$(\w+) (==|!=) "(.*)"', rule["if"]).groups()
        if (given[variable] == value) == (sign == "=="):
            names.append(name)
    return names


assert jobs_of("feature", "push") == [], "a merge request's pipeline has compared it, or will"
assert jobs_of("", "push") == [], "a tag has no baseline to compare with"
assert set(github[True]) == {"push", "pull_request"}, "YAML 1.1 reads the word `on` as true"
for name, run, main, branch in (("GitHub", on_github, "refs/heads/main", "refs/pull/7/merge"), ("GitLab", on_gitlab, "main", "")):
    for source, where, expected in (("before", main, 0), ("slower", branch, 1), ("equal", branch, 0), ("slower", main, 0),
                                    ("equal_to_slower", branch, 0)):
        code = run(source, where)
        if code != expected:
            sys.stderr.write(open(f"{top}/job.log").read())
            sys.exit(f"{name}: {source}.c on '{where}' ended with {code}, not {expected}")
