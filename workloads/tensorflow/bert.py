# SPDX-License-Identifier: Apache-2.0
"""BERT's encoder and pooler in Keras, the same as transformers' BertModel, of Keras' own layers."""

import math

import keras
import numpy as np
from keras import layers, ops

from workloads.shared.reference_networks import LAYER_NORM_EPSILON


def gelu(values):
    """The exact one. Keras' own computes it by erfc, which tf2onnx cannot convert."""
    return 0.5 * values * (1.0 + ops.erf(values * math.sqrt(0.5)))


class Bert(keras.Model):
    """Takes input_ids, attention_mask and token_type_ids, batch x sequence each; gives hidden and pooled."""

    def __init__(self, plan):
        super().__init__(name="bert")
        self.parts: dict[str, layers.Layer] = {}  # by canonical name
        self.count = plan.layers
        width = plan.hidden
        self.add("embeddings.word_embeddings", layers.Embedding(plan.vocabulary, width))
        self.add("embeddings.position_embeddings", layers.Embedding(plan.positions, width))
        self.add("embeddings.token_type_embeddings", layers.Embedding(2, width))
        self.add("embeddings.LayerNorm", layers.LayerNormalization(epsilon=LAYER_NORM_EPSILON))
        for number in range(plan.layers):
            name = f"encoder.layer.{number}"
            self.add(f"{name}.attention", layers.MultiHeadAttention(plan.heads, width // plan.heads))
            self.add(f"{name}.attention.output.LayerNorm", layers.LayerNormalization(epsilon=LAYER_NORM_EPSILON))
            self.add(f"{name}.intermediate.dense", layers.Dense(plan.intermediate, activation=gelu))
            self.add(f"{name}.output.dense", layers.Dense(width))
            self.add(f"{name}.output.LayerNorm", layers.LayerNormalization(epsilon=LAYER_NORM_EPSILON))
        self.add("pooler.dense", layers.Dense(width, activation="tanh"))

    def add(self, name: str, layer: layers.Layer):
        self.parts[name] = layer

    def call(self, inputs):
        part = self.parts
        ids = inputs["input_ids"]
        hidden = part["embeddings.word_embeddings"](ids) + part["embeddings.token_type_embeddings"](
            inputs["token_type_ids"])
        hidden = hidden + part["embeddings.position_embeddings"](ops.arange(ids.shape[1]))
        hidden = part["embeddings.LayerNorm"](hidden)
        mask = ops.cast(inputs["attention_mask"], "bool")[:, None, :]
        for number in range(self.count):
            name = f"encoder.layer.{number}"
            seen = part[f"{name}.attention"](hidden, hidden, attention_mask=mask)
            hidden = part[f"{name}.attention.output.LayerNorm"](hidden + seen)
            wide = part[f"{name}.intermediate.dense"](hidden)
            hidden = part[f"{name}.output.LayerNorm"](hidden + part[f"{name}.output.dense"](wide))
        return {"hidden": hidden, "pooled": part["pooler.dense"](hidden[:, 0])}


def bert(plan) -> Bert:
    model = Bert(plan)
    model({name: np.zeros((1, plan.sequence), np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")})
    return model


def load_canonical(model: Bert, weights: dict[str, np.ndarray]):
    """Dense kernels are inputs x outputs here, and those of attention are split into heads."""
    for name, layer in model.parts.items():
        if isinstance(layer, layers.Embedding):
            arrays = [weights[f"{name}.weight"]]
        elif isinstance(layer, layers.LayerNormalization):
            arrays = [weights[f"{name}.weight"], weights[f"{name}.bias"]]
        elif isinstance(layer, layers.Dense):
            arrays = [weights[f"{name}.weight"].T, weights[f"{name}.bias"]]
        else:
            arrays = []
            for dense in ("self.query", "self.key", "self.value", "output.dense"):
                arrays += [weights[f"{name}.{dense}.weight"].T, weights[f"{name}.{dense}.bias"]]
            arrays = [array.reshape(own.shape) for array, own in zip(arrays, layer.get_weights(), strict=True)]
        layer.set_weights(arrays)
