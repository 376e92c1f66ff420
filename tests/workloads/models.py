# SPDX-License-Identifier: Apache-2.0
"""What run.py runs of each model, in the smallest form that still shows something. A new model adds its lines here."""

from dataclasses import dataclass, field

BOTH = ("pytorch", "tensorflow")
NATIVE = ("jax", "mxnet", "pytorch", "tensorflow")  # what runs networks of its own, not files of others


@dataclass(frozen=True)
class Check:
    model: str
    settings: tuple[str, ...] = ()  # NAME=VALUE, on top of the preset tiny
    frameworks: tuple[str, ...] = BOTH
    phases: tuple[str, ...] = ("train", "infer")
    tolerance: float | None = None  # outputs of moved weights, relative to the largest; None: weights are not moved
    loss_falls: bool = True  # from the first epoch to the last
    near: dict[str, float] = field(default_factory=dict)  # metric -> how far apart, relatively, in the last epoch
    same_parameters: bool = True

    @property
    def name(self) -> str:
        return " ".join((self.model, *self.settings))


CHECKS = (
    Check("ncf", ("users=400", "items=200", "epochs=3", "batch=512", "infer_passes=1"), tolerance=1e-5,
          near={"loss": 0.1}),
    Check("resnet50", ("classes=8", "train_each=8", "test_each=2", "image=32", "resize=36", "infer_passes=1"),
          tolerance=1e-4, near={"loss": 0.3}),
    Check("itu23", ("dataset=cifar10", "model=resnet50", "train_images=70", "test_images=20", "batch=16"),
          phases=("train",), tolerance=1e-4, near={"loss": 0.5}),
    Check("itu23", ("dataset=cifar100", "model=resnet101", "train_images=70", "test_images=20", "batch=32", "epochs=1"),
          phases=("train",), tolerance=1e-4, loss_falls=False),
    Check("itu23", ("dataset=svhn", "model=resnet152", "train_images=70", "test_images=20", "batch=32", "epochs=1"),
          phases=("train",), tolerance=1e-4, loss_falls=False),
    Check("transformer_xl", ("articles=60", "layers=2", "width=32", "heads=2", "inner_width=64"),
          tolerance=1e-5, near={"loss": 0.1, "perplexity": 0.3}),
    Check("gnmt", ("sentences=400", "hidden=32", "evaluation_sentences=8", "evaluation_batch=4", "longest=8"),
          tolerance=1e-5, near={"loss": 0.1}),
    # No near: with so few steps the losses of detectors differ by several times from seed to seed.
    Check("ssd", ("train_images=24", "eval_images=4", "epochs=2", "steps=5", "learning_rate=0.001"), tolerance=1e-4),
    Check("mask_rcnn", ("train_images=24", "eval_images=4", "epochs=2", "steps=5"), tolerance=1e-4),
    # Each run compares its own output with the reference and fails if it is off. See also test_runtimes24.py.
    *(Check("runtimes24",
            (f"network={network}", "batch=2", "warmup=1", "inferences_of_batches=2", "image=32", "layers=1"),
            frameworks=NATIVE, phases=("infer",), loss_falls=False)
      for network in ("resnet50", "mobilenet_v2", "bert_base")),
)
