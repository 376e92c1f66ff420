# SPDX-License-Identifier: Apache-2.0
"""ResNet-50, MobileNetV2 and BERT in Flax NNX. The path of attributes to a layer gives the canonical name of its
weights."""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from workloads.shared.reference_networks import (
    BATCH_NORM_EPSILON,
    INVERTED_RESIDUALS,
    LAYER_NORM_EPSILON,
    canonical_name,
)


def convolution(inputs: int, outputs: int, size: int, rngs: nnx.Rngs, stride: int = 1, groups: int = 1) -> nnx.Conv:
    border = (size // 2, size // 2)
    return nnx.Conv(inputs, outputs, (size, size), stride, padding=(border, border), use_bias=False,
                    feature_group_count=groups, rngs=rngs)


def batch_norm(channels: int, rngs: nnx.Rngs) -> nnx.BatchNorm:
    return nnx.BatchNorm(channels, use_running_average=True, epsilon=BATCH_NORM_EPSILON, rngs=rngs)


class Bottleneck(nnx.Module):
    def __init__(self, inputs: int, width: int, stride: int, shortcut: bool, rngs: nnx.Rngs):
        self.conv1 = convolution(inputs, width, 1, rngs)
        self.bn1 = batch_norm(width, rngs)
        self.conv2 = convolution(width, width, 3, rngs, stride)
        self.bn2 = batch_norm(width, rngs)
        self.conv3 = convolution(width, 4 * width, 1, rngs)
        self.bn3 = batch_norm(4 * width, rngs)
        self.downsample = nnx.List(
            [convolution(inputs, 4 * width, 1, rngs, stride), batch_norm(4 * width, rngs)] if shortcut else [])

    def __call__(self, x):
        y = nnx.relu(self.bn1(self.conv1(x)))
        y = nnx.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        for layer in self.downsample:
            x = layer(x)
        return nnx.relu(x + y)


class ResNet(nnx.Module):
    """Version 1.5: the stride is in the 3x3 convolution of a block."""

    def __init__(self, plan, rngs: nnx.Rngs):
        self.conv1 = convolution(3, 64, 7, rngs, 2)
        self.bn1 = batch_norm(64, rngs)
        self.stages = len(plan.blocks)
        inputs = 64
        for stage, blocks in enumerate(plan.blocks):
            width = 64 * 2**stage
            layer = nnx.List()
            for block in range(blocks):
                layer.append(Bottleneck(inputs, width, 2 if stage and not block else 1, not block, rngs))
                inputs = 4 * width
            setattr(self, f"layer{stage + 1}", layer)
        self.fc = nnx.Linear(inputs, plan.classes, rngs=rngs)

    def __call__(self, images):
        x = nnx.relu(self.bn1(self.conv1(images)))
        # Nothing is below zero here, so a border of zeros is never the largest. A border that max_pool adds itself and
        # arguments by position are lost on jax2onnx.
        x = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        x = nnx.max_pool(x, window_shape=(3, 3), strides=(2, 2))
        for stage in range(self.stages):
            for block in getattr(self, f"layer{stage + 1}"):
                x = block(x)
        return {"logits": self.fc(x.mean((1, 2)))}


class InvertedResidual(nnx.Module):
    def __init__(self, inputs: int, expansion: int, channels: int, stride: int, rngs: nnx.Rngs):
        width = expansion * inputs
        self.added = stride == 1 and inputs == channels
        self.conv = nnx.List()
        if expansion != 1:
            self.conv.append(nnx.List([convolution(inputs, width, 1, rngs), batch_norm(width, rngs)]))
        self.conv.append(nnx.List([convolution(width, width, 3, rngs, stride, width), batch_norm(width, rngs)]))
        self.conv.append(convolution(width, channels, 1, rngs))
        self.conv.append(batch_norm(channels, rngs))

    def __call__(self, x):
        *activated, project, norm = self.conv
        y = x
        for layer, layer_norm in activated:
            y = nnx.relu6(layer_norm(layer(y)))
        y = norm(project(y))
        return x + y if self.added else y


class MobileNetV2(nnx.Module):
    def __init__(self, plan, rngs: nnx.Rngs):
        self.features = nnx.List([nnx.List([convolution(3, 32, 3, rngs, 2), batch_norm(32, rngs)])])
        inputs = 32
        for (expansion, channels, first_stride), repeats in zip(INVERTED_RESIDUALS, plan.repeats):
            for repeat in range(repeats):
                stride = 1 if repeat else first_stride
                self.features.append(InvertedResidual(inputs, expansion, channels, stride, rngs))
                inputs = channels
        self.features.append(nnx.List([convolution(inputs, 1280, 1, rngs), batch_norm(1280, rngs)]))
        self.classifier = nnx.Dict({"1": nnx.Linear(1280, plan.classes, rngs=rngs)})

    def __call__(self, images):
        first, *blocks, last = self.features
        x = nnx.relu6(first[1](first[0](images)))
        for block in blocks:
            x = block(x)
        x = nnx.relu6(last[1](last[0](x)))
        return {"logits": self.classifier["1"](x.mean((1, 2)))}


class Encoder(nnx.Module):
    """One layer of BERT."""

    def __init__(self, plan, rngs: nnx.Rngs):
        self.attention = nnx.MultiHeadAttention(plan.heads, plan.hidden, decode=False, rngs=rngs)
        self.attention_norm = nnx.LayerNorm(plan.hidden, epsilon=LAYER_NORM_EPSILON, rngs=rngs)
        self.intermediate = nnx.Linear(plan.hidden, plan.intermediate, rngs=rngs)
        self.output = nnx.Linear(plan.intermediate, plan.hidden, rngs=rngs)
        self.output_norm = nnx.LayerNorm(plan.hidden, epsilon=LAYER_NORM_EPSILON, rngs=rngs)

    def __call__(self, x, mask):
        x = self.attention_norm(x + self.attention(x, mask=mask))
        wide = nnx.gelu(self.intermediate(x), approximate=False)
        return self.output_norm(x + self.output(wide))


class Bert(nnx.Module):
    def __init__(self, plan, rngs: nnx.Rngs):
        self.word_embeddings = nnx.Embed(plan.vocabulary, plan.hidden, rngs=rngs)
        self.position_embeddings = nnx.Embed(plan.positions, plan.hidden, rngs=rngs)
        self.token_type_embeddings = nnx.Embed(2, plan.hidden, rngs=rngs)
        self.norm = nnx.LayerNorm(plan.hidden, epsilon=LAYER_NORM_EPSILON, rngs=rngs)
        self.encoders = nnx.List([Encoder(plan, rngs) for _ in range(plan.layers)])
        self.pooler = nnx.Linear(plan.hidden, plan.hidden, rngs=rngs)

    def __call__(self, input_ids, attention_mask, token_type_ids):
        x = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)
        x = self.norm(x + self.position_embeddings(jnp.arange(input_ids.shape[1])))
        mask = attention_mask.astype(bool)[:, None, None, :]
        for encoder in self.encoders:
            x = encoder(x, mask)
        return {"hidden": x, "pooled": jnp.tanh(self.pooler(x[:, 0]))}


NETWORKS = {"resnet50": ResNet, "mobilenet_v2": MobileNetV2, "bert_base": Bert}
PARTS = {"kernel": "weight", "scale": "weight", "embedding": "weight", "bias": "bias", "mean": "running_mean",
         "var": "running_var"}


def network_with(plan, weights: dict[str, np.ndarray]) -> nnx.Module:
    """Built without drawing weights, then filled with the given ones."""
    graph, state = nnx.split(nnx.eval_shape(lambda: NETWORKS[plan.network](plan, nnx.Rngs(0))))
    filled = []
    for path, variable in nnx.to_flat_state(state):
        values = weights[f"{canonical_name(plan.network, [str(part) for part in path[:-1]])}.{PARTS[path[-1]]}"]
        if path[-1] == "kernel":  # inputs come before outputs here, and attention's are split into heads
            values = values.transpose(2, 3, 1, 0) if values.ndim == 4 else values.T
        filled.append((path, variable.replace(jnp.asarray(values.reshape(variable.shape)))))
    return nnx.merge(graph, nnx.from_flat_state(filled))


def parameters(model: nnx.Module) -> int:
    return sum(values.size for values in jax.tree.leaves(nnx.state(model, nnx.Param)))
