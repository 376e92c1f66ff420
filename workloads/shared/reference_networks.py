# SPDX-License-Identifier: Apache-2.0
"""ResNet-50, MobileNetV2 and BERT in NumPy and double precision: the yardstick for every runtime.

The output of every runtime is compared with this one. Weights are drawn here. The statistics of BatchNorm are those of
real activations, because the outputs of a random network would vanish otherwise.
Weights have the names and layouts of torchvision and transformers. Images are channels-last in here.
"""

import functools
import math

import numpy as np

BATCH_NORM_EPSILON = 1e-5
LAYER_NORM_EPSILON = 1e-12
# Expansion, channels and stride of MobileNetV2's stages; how often each is repeated is in the plan.
INVERTED_RESIDUALS = ((1, 16, 1), (6, 24, 2), (6, 32, 2), (6, 64, 2), (6, 96, 1), (6, 160, 2), (6, 320, 1))


class Layers:
    """The layers. Each draws its weights when it is met, keeps them in fp32 and computes with what it has kept."""

    def __init__(self, random: np.random.Generator):
        self.weights: dict[str, np.ndarray] = {}
        self.random = random

    def kept(self, name: str, values: np.ndarray) -> np.ndarray:
        self.weights[name] = values.astype(np.float32)
        return self.weights[name].astype(np.float64)

    def normal(self, name: str, shape: tuple[int, ...], scale: float) -> np.ndarray:
        return self.kept(name, self.random.standard_normal(shape, np.float32) * np.float32(scale))

    def uniform(self, name: str, shape: tuple[int, ...], low: float, high: float) -> np.ndarray:
        return self.kept(name, self.random.uniform(low, high, shape))

    def convolution(self, x: np.ndarray, name: str, channels: int, kernel: int, stride: int = 1,
                    depthwise: bool = False) -> np.ndarray:
        """Padded by half the kernel on every side, no bias: a sum of one matrix product per tap."""
        given = 1 if depthwise else x.shape[3]
        shape = (channels, given, kernel, kernel)
        weight = self.normal(f"{name}.weight", shape, math.sqrt(2 / (given * kernel * kernel)))
        weight = np.ascontiguousarray(weight.transpose(2, 3, 1, 0))
        taps = _taps(x, kernel, stride, 0.0)
        if depthwise:
            return sum(patch * weight[row, column, 0] for row, column, patch in taps)
        return sum(_product(patch, weight[row, column]) for row, column, patch in taps)

    def batch_norm(self, x: np.ndarray, name: str) -> np.ndarray:
        scale = self.uniform(f"{name}.weight", x.shape[3:], 0.5, 2.0)
        shift = self.normal(f"{name}.bias", x.shape[3:], 0.2)
        mean = self.kept(f"{name}.running_mean", x.mean((0, 1, 2)))
        variance = self.kept(f"{name}.running_var", x.var((0, 1, 2)))
        return (x - mean) / np.sqrt(variance + BATCH_NORM_EPSILON) * scale + shift

    def layer_norm(self, x: np.ndarray, name: str) -> np.ndarray:
        scale = self.uniform(f"{name}.weight", x.shape[-1:], 0.75, 1.25)
        shift = self.normal(f"{name}.bias", x.shape[-1:], 0.1)
        variance = x.var(-1, keepdims=True)
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(variance + LAYER_NORM_EPSILON) * scale + shift

    def dense(self, x: np.ndarray, name: str, outputs: int, gain: float = 1.0) -> np.ndarray:
        weight = self.normal(f"{name}.weight", (outputs, x.shape[-1]), gain * math.sqrt(1 / x.shape[-1]))
        return _product(x, weight.T) + self.normal(f"{name}.bias", (outputs,), 0.1)

    def embedding(self, name: str, rows: int, columns: int) -> np.ndarray:
        return self.normal(f"{name}.weight", (rows, columns), 1.0)


def _taps(x: np.ndarray, kernel: int, stride: int, filling: float):
    """For each tap of a kernel: its row, its column, and the inputs under it at every position."""
    padding = kernel // 2
    height, width = ((size - 1) // stride + 1 for size in x.shape[1:3])
    padded = np.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)), constant_values=filling)
    for row in range(kernel):
        for column in range(kernel):
            yield row, column, padded[:, row:row + stride * (height - 1) + 1:stride,
                                      column:column + stride * (width - 1) + 1:stride]


def _product(x: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """One large matrix product: NumPy makes many small ones of arrays with more than two axes."""
    return (np.ascontiguousarray(x).reshape(-1, x.shape[-1]) @ matrix).reshape(*x.shape[:-1], -1)


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def relu6(x: np.ndarray) -> np.ndarray:
    return np.clip(x, 0, 6)


@functools.cache
def _error_function() -> tuple[np.ndarray, np.ndarray]:
    places = np.linspace(-6, 6, 2_000_001)
    return places, np.array([math.erf(place) for place in places])


def gelu(x: np.ndarray) -> np.ndarray:
    """With the exact error function, which NumPy lacks: interpolated between values of math.erf, within 1e-11."""
    return x * (1 + np.interp(x / math.sqrt(2), *_error_function())) / 2


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def resnet50(layers: Layers, plan, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Version 1.5: the stride is in the 3x3 convolution, as in torchvision."""
    x = inputs["images"].transpose(0, 2, 3, 1).astype(np.float64)
    x = relu(layers.batch_norm(layers.convolution(x, "conv1", 64, 7, 2), "bn1"))
    x = np.maximum.reduce([patch for _, _, patch in _taps(x, 3, 2, -np.inf)])
    for stage, blocks in enumerate(plan.blocks):
        width = 64 * 2**stage
        for block in range(blocks):
            name = f"layer{stage + 1}.{block}"
            stride = 2 if stage and not block else 1
            y = relu(layers.batch_norm(layers.convolution(x, f"{name}.conv1", width, 1), f"{name}.bn1"))
            y = relu(layers.batch_norm(layers.convolution(y, f"{name}.conv2", width, 3, stride), f"{name}.bn2"))
            y = layers.batch_norm(layers.convolution(y, f"{name}.conv3", 4 * width, 1), f"{name}.bn3")
            if not block:
                x = layers.convolution(x, f"{name}.downsample.0", 4 * width, 1, stride)
                x = layers.batch_norm(x, f"{name}.downsample.1")
            x = relu(x + y)
    return {"logits": layers.dense(x.mean((1, 2)), "fc", plan.classes)}


def mobilenet_v2(layers: Layers, plan, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    x = inputs["images"].transpose(0, 2, 3, 1).astype(np.float64)
    x = relu6(layers.batch_norm(layers.convolution(x, "features.0.0", 32, 3, 2), "features.0.1"))
    number = 1
    for (expansion, channels, first_stride), repeats in zip(INVERTED_RESIDUALS, plan.repeats):
        for repeat in range(repeats):
            stride = first_stride if not repeat else 1
            name = f"features.{number}.conv"
            y, part = x, 0
            if expansion != 1:
                y = layers.convolution(y, f"{name}.0.0", expansion * x.shape[3], 1)
                y, part = relu6(layers.batch_norm(y, f"{name}.0.1")), 1
            y = layers.convolution(y, f"{name}.{part}.0", y.shape[3], 3, stride, depthwise=True)
            y = relu6(layers.batch_norm(y, f"{name}.{part}.1"))
            y = layers.convolution(y, f"{name}.{part + 1}", channels, 1)
            y = layers.batch_norm(y, f"{name}.{part + 2}")
            x = x + y if stride == 1 and x.shape[3] == channels else y
            number += 1
    x = relu6(layers.batch_norm(layers.convolution(x, f"features.{number}.0", 1280, 1), f"features.{number}.1"))
    return {"logits": layers.dense(x.mean((1, 2)), "classifier.1", plan.classes)}


def bert_base(layers: Layers, plan, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """BertModel of transformers: encoder and pooler, no head."""
    ids, kinds = inputs["input_ids"], inputs["token_type_ids"]
    batch, sequence = ids.shape
    positions = layers.embedding("embeddings.position_embeddings", plan.positions, plan.hidden)[:sequence]
    x = layers.embedding("embeddings.word_embeddings", plan.vocabulary, plan.hidden)[ids] + positions
    x = x + layers.embedding("embeddings.token_type_embeddings", 2, plan.hidden)[kinds]
    x = layers.layer_norm(x, "embeddings.LayerNorm")
    unseen = np.where(inputs["attention_mask"] == 1, 0.0, -np.inf)[:, None, None, :]

    def in_heads(name: str) -> np.ndarray:
        split = layers.dense(x, name, plan.hidden).reshape(batch, sequence, plan.heads, -1)
        return split.transpose(0, 2, 1, 3)

    # What layers add to their input is kept small, the more of them there are: else all tokens become alike on the way.
    gain = math.sqrt(1 / (2 * plan.layers))
    for number in range(plan.layers):
        name = f"encoder.layer.{number}"
        query, key, value = (in_heads(f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 1, 3, 2) / math.sqrt(plan.hidden // plan.heads)
        seen = (softmax(scores + unseen) @ value).transpose(0, 2, 1, 3).reshape(batch, sequence, plan.hidden)
        x = x + layers.dense(seen, f"{name}.attention.output.dense", plan.hidden, gain)
        x = layers.layer_norm(x, f"{name}.attention.output.LayerNorm")
        y = gelu(layers.dense(x, f"{name}.intermediate.dense", plan.intermediate))
        x = x + layers.dense(y, f"{name}.output.dense", plan.hidden, gain)
        x = layers.layer_norm(x, f"{name}.output.LayerNorm")
    return {"hidden": x, "pooled": np.tanh(layers.dense(x[:, 0], "pooler.dense", plan.hidden))}


NETWORKS = {"resnet50": resnet50, "mobilenet_v2": mobilenet_v2, "bert_base": bert_base}

# The same weights where attributes cannot have transformers' names: what stands for each of these in a path.
BERT_NAMES = {
    "word_embeddings": "embeddings.word_embeddings", "position_embeddings": "embeddings.position_embeddings",
    "token_type_embeddings": "embeddings.token_type_embeddings", "norm": "embeddings.LayerNorm",
    "encoders": "encoder.layer", "query": "self.query", "key": "self.key", "value": "self.value", "out": "output.dense",
    "attention_norm": "attention.output.LayerNorm", "intermediate": "intermediate.dense", "output": "output.dense",
    "output_norm": "output.LayerNorm", "pooler": "pooler.dense",
}


def canonical_name(network: str, path: list[str]) -> str:
    """Of the layer at this path of attributes. In networks for images these are called as in torchvision."""
    return ".".join(BERT_NAMES.get(part, part) for part in path) if network == "bert_base" else ".".join(path)
