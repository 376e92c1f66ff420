# SPDX-License-Identifier: Apache-2.0
"""The reference of runtimes24, what it refuses, and whether ONNX Runtime and OpenVINO agree on files of every source.

    PYTHONPATH=.:python PYTHON_OF_AN_ENVIRONMENT -m unittest tests/workloads/test_runtimes24.py

What needs a package that this environment lacks is skipped. The frameworks' own agreement is checked by run.py, as each
run compares its output with the reference. For files from a framework its Python is wanted: PRENGDL_PYTHON_PYTORCH and
so on, else the environment beside this one.
"""

import contextlib
import dataclasses
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

from workloads.__main__ import arguments, job_of, main
from workloads.shared import runtimes24
from workloads.shared.job import Refused
from workloads.shared.reference_networks import NETWORKS

SOURCE = Path(__file__).resolve().parents[2]
SMALL = {"warmup": 1, "inferences": 2, "inferences_of_batches": 2, "image": 32, "classes": 10, "blocks": "1,2,1,1",
         "repeats": "1,2,1,1,1,1,1", "sequence": 8, "layers": 1, "hidden": 32, "heads": 2, "intermediate": 64}
SETTINGS = [part for name, value in SMALL.items() for part in ("--set", f"{name}={value}")]


def has(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def quiet(call, *values):
    """The result of a call, and what it said on standard error."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        return call(*values), said.getvalue()


class WithData(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.data = scratch.name
        self.enterContext(mock.patch.dict(os.environ))  # a run sets threads, HOME and the like

    def command(self, framework: str, *words: str) -> list[str]:
        return [framework, "runtimes24", "--phase", "infer", "--data", self.data, *SETTINGS, *words]

    def job(self, framework: str, *words: str):
        return job_of(arguments(self.command(framework, *words)))[0]

    def run_here(self, framework: str, *words: str) -> tuple[int, str]:
        return quiet(main, self.command(framework, *words))


class Reference(WithData):
    def test_networks_have_the_published_number_of_parameters(self):
        published = {"resnet50": 25_557_032, "mobilenet_v2": 3_504_872, "bert_base": 109_482_240}
        for network, parameters in published.items():
            plan = dataclasses.replace(runtimes24.PRESETS["paper"], network=network, image=32, sequence=4)
            inputs = {name: values[:1] for name, values in runtimes24.make_inputs(plan, 1).items()}
            weights, _ = runtimes24.draw(plan, 1, inputs)
            self.assertEqual(runtimes24.trained_parameters(weights), parameters, network)

    def test_it_is_repeatable_and_depends_on_seed_and_input(self):
        for network in NETWORKS:
            plan = self.job("any", "--set", f"network={network}").plan
            inputs = runtimes24.make_inputs(plan, 1)
            for name, values in runtimes24.draw(plan, 1, inputs)[1].items():
                np.testing.assert_allclose(values, runtimes24.draw(plan, 1, inputs)[1][name], rtol=1e-9, atol=1e-9)
                self.assertGreater(np.abs(values - runtimes24.draw(plan, 2, inputs)[1][name]).max(), 0.1)
                self.assertGreater(values.std(0).mean(), 0.1 * values.std())

    def test_it_is_made_once_and_leaves_nothing_else(self):
        job = self.job("any")
        runtimes24.prepare(job)
        made = runtimes24.directory(job) / "weights.npz"
        time = made.stat().st_mtime_ns
        runtimes24.prepare(job)
        self.assertEqual(made.stat().st_mtime_ns, time)
        self.assertEqual(sorted(path.name for path in made.parent.iterdir()),
                         ["inputs.npz", "parameters", "reference.npz", "weights.npz"])
        self.assertEqual([path.name for path in made.parent.parent.iterdir()], [made.parent.name])

    def test_another_network_size_or_seed_is_another_directory(self):
        places = {runtimes24.directory(self.job("any", *words)) for words in (
            (), ("--seed", "2"), ("--set", "image=40"), ("--set", "network=bert_base"))}
        self.assertEqual(len(places), 4)
        self.assertEqual(runtimes24.directory(self.job("any", "--batch", "64")), runtimes24.directory(self.job("any")))

    def test_a_batch_repeats_the_samples(self):
        job = self.job("any", "--batch", "40")
        runtimes24.prepare(job)
        images = runtimes24.inputs_of(job, "pytorch")["images"]
        np.testing.assert_array_equal(images[1], images[17])
        channels_last = runtimes24.inputs_of(job, "tensorflow")["images"]
        np.testing.assert_array_equal(images[1].transpose(1, 2, 0), channels_last[33])


class Comparison(WithData):
    def compare(self, change, *words: str):
        job = self.job("any", *words)
        reference = {"logits": np.linspace(-1, 1, 160).reshape(16, 10)}
        outputs = {"logits": change(reference["logits"][:1])}
        with mock.patch("prengdl.metric") as told:
            quiet(runtimes24.compare, job, outputs, reference)
        return {call.args[0]: call.args[1] for call in told.call_args_list}

    def test_rounding_is_told_and_allowed(self):
        told = self.compare(lambda output: (output + 1e-6).astype(np.float32))
        self.assertAlmostEqual(told["max_difference"], 1e-6, delta=2e-7)
        self.assertAlmostEqual(told["relative_difference"], 1e-6, delta=2e-7)

    def test_wrong_outputs_end_the_run(self):
        for change in (lambda output: output + 1e-3, lambda output: output * np.nan, lambda output: output[:, :5]):
            with self.assertRaises(SystemExit) as ended:
                self.compare(change)
            self.assertIsInstance(ended.exception.code, str)  # a message: exit code 1

    def test_bf16_may_be_off_by_more_but_must_be_off(self):
        self.compare(lambda output: output + 1e-2, "--precision", "bf16")
        with self.assertRaises(SystemExit):
            self.compare(lambda output: output, "--precision", "bf16")


class Refusals(WithData):
    def refused(self, framework: str, *words: str) -> str:
        code, said = self.run_here(framework, *words)
        self.assertEqual(code, 2, said)
        return said

    def test_settings_that_contradict_each_other(self):
        for words in (("--set", "provider=Nothing"), ("--set", "provider=TensorRT"), ("--device", "cuda"),
                      ("--set", "mode=compile")):
            with self.assertRaises(Refused):
                runtimes24.device_of(self.job("mxnet", *words))
        with self.assertRaises(Refused):
            runtimes24.directory(self.job("any", "--set", "network=nothing"))

    def test_a_missing_file_is_refused_with_the_command_that_writes_it(self):
        with self.assertRaises(Refused) as refused:
            runtimes24.onnx_file(self.job("onnxruntime", "--set", "source=tensorflow", "--set", "network=bert_base"))
        self.assertIn("python -m workloads tensorflow runtimes24 --prepare", refused.exception.args[1])
        self.assertIn("network=bert_base", refused.exception.args[1])

    def test_frameworks_refuse_cuda_by_name_where_there_is_none(self):
        for package, framework, name in (("torch", "pytorch", "PyTorch"), ("tensorflow", "tensorflow", "TensorFlow"),
                                         ("mxnet", "mxnet", "MXNet"), ("jax", "jax", "JAX")):
            if has(package) and not Path("/dev/nvidiactl").exists():
                said = self.refused(framework, "--set", "provider=CUDA")
                self.assertIn(name, said)
                self.assertIn("CUDA", said)

    @unittest.skipUnless(has("onnxruntime"), "needs onnxruntime")
    def test_onnxruntime_refuses_providers_that_it_lacks_by_name(self):
        import onnxruntime

        available = onnxruntime.get_available_providers()
        for provider, full in (("CUDA", "CUDAExecutionProvider"), ("TensorRT", "TensorrtExecutionProvider")):
            if full not in available:
                for step in ((), ("--prepare",)):
                    said = self.refused("onnxruntime", "--set", f"provider={provider}", *step)
                    self.assertIn(f"no provider {provider}", said)
        self.assertIn("bf16", self.refused("onnxruntime", "--precision", "bf16"))

    @unittest.skipUnless(has("openvino"), "needs openvino")
    def test_openvino_refuses_what_is_not_for_the_cpu(self):
        self.assertIn("no provider CUDA", self.refused("openvino", "--set", "provider=CUDA"))


class Files(WithData):
    """Each framework writes its ONNX files in its own environment; they are read in this one."""

    def written_by(self, source: str):
        python = os.environ.get(f"PRENGDL_PYTHON_{source.upper()}")
        beside = sorted(Path(sys.prefix).resolve().parent.glob(f"{source}-*/bin/python"))
        if not python and not beside:
            self.skipTest(f"there is no environment of {source}")
        script = "import sys; from workloads.__main__ import main\nfor network in sys.argv[1].split(','):\n" \
                 "    assert main([*sys.argv[2:], '--set', 'network=' + network]) == 0"
        command = [python or str(beside[-1]), "-c", script, ",".join(NETWORKS), *self.command(source, "--prepare")]
        ran = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, timeout=600,
                             env={**os.environ, "PYTHONPATH": f"{SOURCE}:{SOURCE / 'python'}"})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        if source == "jax" and "jax2onnx" in ran.stderr:
            self.skipTest("jax2onnx is not installed in the environment of jax")

    def agree(self, reader: str, source: str, providers: list[str]):
        for network in NETWORKS:
            for provider in providers:
                for batch in ("1", "3"):
                    with self.subTest(network=network, provider=provider, batch=batch):
                        with mock.patch("prengdl.metric") as metric:
                            code, said = self.run_here(
                                reader, "--set", f"network={network}", "--set", f"source={source}",
                                "--set", f"provider={provider}", "--batch", batch)
                        self.assertEqual(code, 0, said)
                        told = {call.args[0]: call.args[1] for call in metric.call_args_list}
                        self.assertLess(told["relative_difference"], runtimes24.TOLERANCE["fp32"])

    def check(self, source: str):
        if not has("onnxruntime") and not has("openvino"):
            self.skipTest("needs onnxruntime or openvino")
        self.written_by(source)
        if has("openvino"):
            self.agree("openvino", source, ["CPU"])
        if has("onnxruntime"):
            import onnxruntime

            openvino = "OpenVINOExecutionProvider" in onnxruntime.get_available_providers()
            self.agree("onnxruntime", source, ["CPU", "OpenVINO"] if openvino else ["CPU"])

    def test_of_pytorch(self):
        self.check("pytorch")

    def test_of_tensorflow(self):
        self.check("tensorflow")

    def test_of_mxnet(self):
        self.check("mxnet")

    def test_of_jax(self):
        self.check("jax")


if __name__ == "__main__":
    unittest.main()
