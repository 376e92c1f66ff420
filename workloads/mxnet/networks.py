# SPDX-License-Identifier: Apache-2.0
"""ResNet-50, MobileNetV2 and BERT in Gluon. The path of attributes to a layer gives the canonical name of its weights.

Gluon's own zoo has ResNet version 1 (the stride in the first convolution of a block). Its MobileNetV2 has no bias in
the last layer. Neither is the network that the other frameworks run."""

import math
import tempfile
from pathlib import Path

import mxnet as mx
import numpy as np
from mxnet.gluon import HybridBlock, nn

from workloads.shared.reference_networks import (
    BATCH_NORM_EPSILON,
    INVERTED_RESIDUALS,
    LAYER_NORM_EPSILON,
    canonical_name,
)


def convolution(inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1) -> nn.Conv2D:
    return nn.Conv2D(outputs, size, stride, size // 2, groups=groups, use_bias=False, in_channels=inputs)


def batch_norm(channels: int) -> nn.BatchNorm:
    return nn.BatchNorm(epsilon=BATCH_NORM_EPSILON, in_channels=channels)


def layer_norm(width: int) -> nn.LayerNorm:
    return nn.LayerNorm(epsilon=LAYER_NORM_EPSILON, in_channels=width)


def dense(inputs: int, outputs: int, activation: str | None = None) -> nn.Dense:
    return nn.Dense(outputs, activation, flatten=False, in_units=inputs)


def sequence(*layers: HybridBlock) -> nn.HybridSequential:
    result = nn.HybridSequential()
    result.add(*layers)
    return result


class Bottleneck(HybridBlock):
    def __init__(self, inputs: int, width: int, stride: int, shortcut: bool):
        super().__init__()
        self.conv1 = convolution(inputs, width, 1)
        self.bn1 = batch_norm(width)
        self.conv2 = convolution(width, width, 3, stride)
        self.bn2 = batch_norm(width)
        self.conv3 = convolution(width, 4 * width, 1)
        self.bn3 = batch_norm(4 * width)
        self.downsample = None
        if shortcut:
            self.downsample = sequence(convolution(inputs, 4 * width, 1, stride), batch_norm(4 * width))

    def hybrid_forward(self, F, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return F.relu(y + (self.downsample(x) if self.downsample else x))


class ResNet(HybridBlock):
    """Version 1.5: the stride is in the 3x3 convolution of a block."""

    def __init__(self, plan):
        super().__init__()
        self.conv1 = convolution(3, 64, 7, 2)
        self.bn1 = batch_norm(64)
        self.largest = nn.MaxPool2D(3, 2, 1)
        self.stages = len(plan.blocks)
        inputs = 64
        for stage, blocks in enumerate(plan.blocks):
            width = 64 * 2**stage
            layer = nn.HybridSequential()
            for block in range(blocks):
                layer.add(Bottleneck(inputs, width, 2 if stage and not block else 1, not block))
                inputs = 4 * width
            setattr(self, f"layer{stage + 1}", layer)
        self.mean = sequence(nn.GlobalAvgPool2D(), nn.Flatten())
        self.fc = dense(inputs, plan.classes)

    def hybrid_forward(self, F, images):
        x = self.largest(F.relu(self.bn1(self.conv1(images))))
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        return self.fc(self.mean(x))


class ReLU6(HybridBlock):
    def hybrid_forward(self, F, x):
        return F.clip(x, 0, 6)


def activated(inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1) -> nn.HybridSequential:
    return sequence(convolution(inputs, outputs, size, stride, groups), batch_norm(outputs), ReLU6())


class InvertedResidual(HybridBlock):
    def __init__(self, inputs: int, expansion: int, channels: int, stride: int):
        super().__init__()
        width = expansion * inputs
        self.added = stride == 1 and inputs == channels
        self.conv = sequence(*([activated(inputs, width, 1)] if expansion != 1 else []),
                             activated(width, width, 3, stride, width),
                             convolution(width, channels, 1), batch_norm(channels))

    def hybrid_forward(self, F, x):
        return x + self.conv(x) if self.added else self.conv(x)


class MobileNetV2(HybridBlock):
    def __init__(self, plan):
        super().__init__()
        self.features = sequence(activated(3, 32, 3, 2))
        inputs = 32
        for (expansion, channels, first_stride), repeats in zip(INVERTED_RESIDUALS, plan.repeats):
            for repeat in range(repeats):
                self.features.add(InvertedResidual(inputs, expansion, channels, 1 if repeat else first_stride))
                inputs = channels
        self.features.add(activated(inputs, 1280, 1))
        self.mean = sequence(nn.GlobalAvgPool2D(), nn.Flatten())
        self.classifier = sequence(nn.Dropout(0), dense(1280, plan.classes))

    def hybrid_forward(self, F, images):
        return self.classifier(self.mean(self.features(images)))


class Attention(HybridBlock):
    def __init__(self, plan):
        super().__init__()
        self.heads, self.width, self.tokens = plan.heads, plan.hidden, plan.sequence
        for name in ("query", "key", "value", "out"):
            setattr(self, name, dense(plan.hidden, plan.hidden))

    def hybrid_forward(self, F, x, unseen):
        each = self.width // self.heads

        def in_heads(values):
            split = values.reshape((-1, self.tokens, self.heads, each)).transpose((0, 2, 1, 3))
            return split.reshape((-1, self.tokens, each))

        scores = F.batch_dot(in_heads(self.query(x) / math.sqrt(each)), in_heads(self.key(x)), transpose_b=True)
        scores = F.broadcast_add(scores.reshape((-1, self.heads, self.tokens, self.tokens)), unseen)
        shares = F.softmax(scores, axis=-1).reshape((-1, self.tokens, self.tokens))
        seen = F.batch_dot(shares, in_heads(self.value(x))).reshape((-1, self.heads, self.tokens, each))
        return self.out(seen.transpose((0, 2, 1, 3)).reshape((-1, self.tokens, self.width)))


class Encoder(HybridBlock):
    """One layer of BERT."""

    def __init__(self, plan):
        super().__init__()
        self.attention = Attention(plan)
        self.attention_norm = layer_norm(plan.hidden)
        self.intermediate = dense(plan.hidden, plan.intermediate)
        self.gelu = nn.GELU()
        self.output = dense(plan.intermediate, plan.hidden)
        self.output_norm = layer_norm(plan.hidden)

    def hybrid_forward(self, F, x, unseen):
        x = self.attention_norm(x + self.attention(x, unseen))
        return self.output_norm(x + self.output(self.gelu(self.intermediate(x))))


class Positions(HybridBlock):
    """Adds the embedding of each place in the sequence."""

    def __init__(self, plan):
        super().__init__()
        self.tokens = plan.sequence
        self.weight = self.params.get("weight", shape=(plan.positions, plan.hidden))

    def hybrid_forward(self, F, x, weight):
        return F.broadcast_add(x, F.slice_axis(weight, axis=0, begin=0, end=self.tokens).expand_dims(0))


class Bert(HybridBlock):
    def __init__(self, plan):
        super().__init__()
        self.tokens, self.width = plan.sequence, plan.hidden
        self.word_embeddings = nn.Embedding(plan.vocabulary, plan.hidden)
        self.position_embeddings = Positions(plan)
        self.token_type_embeddings = nn.Embedding(2, plan.hidden)
        self.norm = layer_norm(plan.hidden)
        self.encoders = sequence(*[Encoder(plan) for _ in range(plan.layers)])
        self.pooler = dense(plan.hidden, plan.hidden, "tanh")

    def hybrid_forward(self, F, input_ids, attention_mask, token_type_ids):
        x = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)
        x = self.norm(self.position_embeddings(x))
        unseen = ((attention_mask - 1) * 1e9).reshape((-1, 1, 1, self.tokens))
        for encoder in self.encoders:
            x = encoder(x, unseen)
        return x, self.pooler(F.slice_axis(x, axis=1, begin=0, end=1).reshape((-1, self.width)))


NETWORKS: dict[str, type[HybridBlock]] = {"resnet50": ResNet, "mobilenet_v2": MobileNetV2, "bert_base": Bert}
PARTS = {"gamma": "weight", "beta": "bias"}


def network_with(plan, weights: dict[str, np.ndarray], context: mx.Context) -> HybridBlock:
    """The network with the given weights, whose layouts are Gluon's own; they are read from a file, as Gluon does."""
    network = NETWORKS[plan.network](plan)
    arrays = {}
    for name in network._collect_params_with_prefix():
        *path, part = name.split(".")
        arrays[name] = mx.nd.array(weights[f"{canonical_name(plan.network, path)}.{PARTS.get(part, part)}"])
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "weights.params")
        mx.nd.save(path, arrays)
        network.load_parameters(path, ctx=context)
    return network


def parameters(network: HybridBlock) -> int:
    return sum(int(np.prod(values.shape)) for values in network.collect_params().values() if values.grad_req != "null")
