"""The Kubernetes example: its fields, what its objects refer to, and the commands that its containers run.

Fields and types are checked against docs/examples/kubernetes/fields.yaml, a reduced description of the fields
that are used; `check.py --crd FILE` checks them against the operator's own description, which is not in here.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
import yaml

from asof.cli.main import cli
from asof.serve import endpoints

FOLDER = Path(__file__).parents[1] / "docs" / "examples" / "kubernetes"


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("kubernetes_check", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


CHECK = _module(FOLDER / "check.py")
OBJECTS: list[tuple[str, dict[str, Any]]] = list(CHECK.objects())
KINDS = CHECK.own_kinds()


def pods() -> Iterator[dict[str, Any]]:
    """The specifications of all pods."""
    for _, each in OBJECTS:
        spec = each.get("spec", {})
        if each["kind"] == "CronJob":
            yield spec["jobTemplate"]["spec"]["template"]["spec"]
        elif each["kind"] == "RayCluster":
            for group in [spec["headGroupSpec"], *spec["workerGroupSpecs"]]:
                yield group["template"]["spec"]
        elif "template" in spec:
            yield spec["template"]["spec"]


def containers() -> list[dict[str, Any]]:
    return [container for pod in pods() for container in pod["containers"]]


def one(kind: str) -> dict[str, Any]:
    [found] = [each for _, each in OBJECTS if each["kind"] == kind]
    return deepcopy(found)


def test_every_field_is_known_and_of_its_type() -> None:
    assert {each["kind"] for _, each in OBJECTS} == {kind.rpartition("/")[2] for kind in KINDS}
    for file, each in OBJECTS:
        assert CHECK.check(each, KINDS, file) == []


@pytest.mark.parametrize(
    ("kind", "path", "value", "said"),
    [
        ("RayCluster", "spec.workerGroupSpecs.0.maxReplica", 3, "there is no field maxReplica"),
        ("RayCluster", "spec.workerGroupSpecs.0.maxReplicas", None, "maxReplicas is missing"),
        ("RayCluster", "spec.workerGroupSpecs.0.minReplicas", "2", "'2' is no integer"),
        ("RayCluster", "spec.headGroupSpec.rayStartParams.num-cpus", 0, "0 is no string"),
        ("RayCluster", "spec.autoscalerOptions.upscalingMode", "Fast", "none of Default, Aggressive"),
        ("RayCluster", "spec.enableInTreeAutoscaling", 1, "1 is no boolean"),
        ("CronJob", "spec.schedule", "hourly", "does not have the form"),
        ("CronJob", "spec.concurrencyPolicy", "Never", "none of Allow, Forbid"),
        ("Service", "spec.ports.0.port", 70_000, "out of bounds"),
        ("Deployment", "spec.template.spec.containers.0.image", "asof", "does not have the form"),
        ("ConfigMap", "data.ASOF_URL", 3, "3 is no string"),
        ("Service", "apiVersion", "v2", "there is no kind v2/Service"),
    ],
)
def test_mistakes_are_found(kind: str, path: str, value: object, said: str) -> None:
    wrong = one(kind)
    *above, last = path.split(".")
    at: Any = wrong
    for key in above:
        at = at[int(key) if isinstance(at, list) else key]
    if value is None:
        del at[last]
    else:
        at[last] = value
    [fault] = CHECK.check(wrong, KINDS, "x.yaml")
    assert said in fault


def test_a_definition_given_is_checked_against(tmp_path: Path) -> None:
    """A made-up operator that knows no worker groups; the file has the form of a CustomResourceDefinition."""
    spec = {
        "type": "object",
        "properties": {"rayVersion": {"type": "string"}, "headGroupSpec": {"type": "object"}},
    }
    schema = {"type": "object", "properties": {**CHECK.ANY_OBJECT, "metadata": {}, "spec": spec}}
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    crd = {"spec": {"group": "ray.io", "names": {"kind": "RayCluster"}, "versions": [version]}}
    (tmp_path / "crd.yaml").write_text(yaml.safe_dump(crd))
    command = [sys.executable, str(FOLDER / "check.py")]
    ran = subprocess.run([*command, "--crd", str(tmp_path / "crd.yaml")], capture_output=True, text=True)
    assert ran.returncode == 1
    assert "RayCluster.spec: there is no field workerGroupSpecs" in ran.stdout
    ran = subprocess.run(command, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "7 objects, 0 by a definition given: 0 faults\n")


def test_what_is_referred_to_is_there_or_optional() -> None:
    """Secrets are named and never in the files: who deploys makes them, or needs none."""
    defined = {(each["kind"], each["metadata"]["name"]) for _, each in OBJECTS}
    assert "Secret" not in {kind for kind, _ in defined}
    for pod in pods():
        assert ("ServiceAccount", pod["serviceAccountName"]) in defined
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        for volume in pod.get("volumes", []):
            if claim := volume.get("persistentVolumeClaim"):
                assert ("PersistentVolumeClaim", claim["claimName"]) in defined
            assert volume.get("secret", {"optional": True})["optional"] is True
        for container in pod["containers"]:
            assert {mount["name"] for mount in container.get("volumeMounts", [])} <= volumes
            for source in container.get("envFrom", []):
                if reference := source.get("configMapRef"):
                    assert ("ConfigMap", reference["name"]) in defined
                assert source.get("secretRef", {"optional": True})["optional"] is True
            for variable in container.get("env", []):
                assert not re.search("KEY|SECRET|TOKEN|PASSWORD", variable["name"])


def test_the_commands_are_those_of_asof() -> None:
    """Each is parsed by the command itself, with the variables of the ConfigMap."""
    data = one("ConfigMap")["data"]
    commands = [container["command"] for container in containers() if "command" in container]
    assert len(commands) == 2
    for program, name, *arguments in commands:
        assert program == "asof"
        context = click.Context(cli)
        command = cli.get_command(context, name)
        assert command is not None
        filled = [re.sub(r"\$\((\w+)\)", lambda found: data[found[1]], each) for each in arguments]
        assert not any("$(" in each for each in filled)
        there = [str(FOLDER) if each == "/documents" else each for each in filled]
        made = command.make_context(name, there, parent=context)
        [place] = [each.name for each in command.params if "--index" in each.opts]
        assert str(made.params[place]) == data["ASOF_URL"]


def test_probes_and_ports_are_those_of_the_server() -> None:
    deployment = one("Deployment")
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    at = container["command"].index("--port")
    assert ports["http"] == int(container["command"][at + 1])
    served = Path(endpoints.__file__).read_text() + Path(endpoints.__file__).with_name("app.py").read_text()
    for probe in ("readinessProbe", "livenessProbe"):
        got = container[probe]["httpGet"]
        assert got["port"] in ports
        assert f'"{got["path"]}"' in served
    [port] = one("Service")["spec"]["ports"]
    assert port["targetPort"] in ports
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert one("Service")["spec"]["selector"] == labels == deployment["spec"]["selector"]["matchLabels"]
