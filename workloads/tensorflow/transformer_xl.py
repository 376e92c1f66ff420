# SPDX-License-Identifier: Apache-2.0
"""Transformer-XL in TensorFlow: layers with a memory, relative positions, a softmax tied to the embedding."""

import math

import keras
import numpy as np
import prengdl
import tensorflow as tf

from workloads.shared import transformer_xl as shared
from workloads.shared.job import Job
from workloads.shared.transformer_xl import Plan
from workloads.tensorflow import common


class Layer(keras.layers.Layer):
    """Attention to the memory and the segment, then two dense layers; each is added to its input, then normalised."""

    def __init__(self, plan: Plan):
        super().__init__()
        inner = plan.heads * plan.head_width
        self.heads, self.head_width = plan.heads, plan.head_width
        self.query = dense(plan, inner, use_bias=False)
        self.key_value = dense(plan, 2 * inner, use_bias=False)
        self.position = dense(plan, inner, use_bias=False)
        self.project = dense(plan, plan.width, use_bias=False)
        self.attention_norm = keras.layers.LayerNormalization(epsilon=1e-5)
        self.expand = dense(plan, plan.inner_width, activation="relu")
        self.contract = dense(plan, plan.width)
        self.inner_norm = keras.layers.LayerNormalization(epsilon=1e-5)
        self.dropout = keras.layers.Dropout(plan.dropout)

    def call(self, x, memory, positions, hidden, content_bias, position_bias, training=False):
        attended = self.attend(x, memory, positions, hidden, content_bias, position_bias)
        x = self.attention_norm(x + self.dropout(attended, training=training))
        inner = self.dropout(self.expand(x), training=training)
        return self.inner_norm(x + self.dropout(self.contract(inner), training=training))

    def attend(self, x, memory, positions, hidden, content_bias, position_bias):
        query = self.split(self.query(x))
        key, value = tf.split(self.key_value(tf.concat([memory, x], axis=1)), 2, axis=-1)
        by_content = tf.matmul(query + content_bias, self.split(key), transpose_b=True)
        position = self.split(self.position(positions)[None])
        by_position = shifted(tf.matmul(query + position_bias, position, transpose_b=True))
        scores = (by_content + by_position) / math.sqrt(self.head_width)
        weights = tf.nn.softmax(tf.where(hidden, -math.inf, scores))
        together = tf.transpose(tf.matmul(weights, self.split(value)), [0, 2, 1, 3])
        return self.project(tf.reshape(together, [-1, x.shape[1], self.heads * self.head_width]))

    def split(self, x):
        """batch x length x all heads -> batch x heads x length x head"""
        return tf.transpose(tf.reshape(x, [-1, x.shape[1], self.heads, self.head_width]), [0, 2, 1, 3])


def dense(plan: Plan, width: int, **options) -> keras.layers.Dense:
    return keras.layers.Dense(width, kernel_initializer=normal(plan), **options)


def normal(plan: Plan) -> keras.initializers.Initializer:
    return keras.initializers.RandomNormal(0.0, plan.initial_deviation)


def shifted(scores):
    """Row i of the scores begins with the distance that is right for the last row; this moves it to its own."""
    _, heads, rows, columns = scores.shape
    padded = tf.reshape(tf.pad(scores, [[0, 0], [0, 0], [0, 0], [1, 0]]), [-1, heads, columns + 1, rows])
    return tf.reshape(padded[:, :, 1:], [-1, heads, rows, columns])


class TiedAdaptiveSoftmax(keras.layers.Layer):
    """The loss of each word. Frequent words are in the head with one entry for each cluster of rarer words; a
    cluster is computed only for the words that are in it. The weights are the rows of the embedding."""

    def __init__(self, plan: Plan):
        super().__init__()
        self.cutoffs = [*plan.cutoffs, plan.vocabulary]
        self.bias = self.add_weight(name="bias", shape=(plan.vocabulary,), initializer="zeros")
        self.cluster_weight = self.add_weight(name="cluster_weight", shape=(len(plan.cutoffs), plan.width),
                                              initializer=normal(plan))
        self.cluster_bias = self.add_weight(name="cluster_bias", shape=(len(plan.cutoffs),), initializer="zeros")

    def call(self, hidden, targets, table):
        frequent = self.cutoffs[0]
        bias = tf.convert_to_tensor(self.bias)
        head = tf.nn.bias_add(
            tf.matmul(hidden, tf.concat([table[:frequent], self.cluster_weight], axis=0), transpose_b=True),
            tf.concat([bias[:frequent], self.cluster_bias], axis=0))
        cluster = tf.searchsorted(tf.constant(self.cutoffs), targets, side="right")
        entry = tf.where(cluster == 0, targets, frequent + cluster - 1)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(entry, head)
        for number, (low, high) in enumerate(zip(self.cutoffs, self.cutoffs[1:]), start=1):
            rows = tf.where(cluster == number)
            logits = tf.nn.bias_add(tf.matmul(tf.gather_nd(hidden, rows), table[low:high], transpose_b=True),
                                    bias[low:high])
            inside = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather_nd(targets, rows) - low, logits)
            loss = tf.tensor_scatter_nd_add(loss, rows, inside)
        return loss


class TransformerXL(keras.Model):
    def __init__(self, plan: Plan):
        super().__init__()
        self.plan = plan
        self.embedding = keras.layers.Embedding(plan.vocabulary, plan.width, embeddings_initializer=normal(plan))
        biases = (plan.heads, 1, plan.head_width)
        self.content_bias = self.add_weight(name="content_bias", shape=biases, initializer=normal(plan))
        self.position_bias = self.add_weight(name="position_bias", shape=biases, initializer=normal(plan))
        self.blocks = [Layer(plan) for _ in range(plan.layers)]
        self.softmax = TiedAdaptiveSoftmax(plan)
        self.dropout = keras.layers.Dropout(plan.dropout)

    def call(self, inputs, targets, memory, training=False):
        """The loss of each word (batch x length), and the memory for the segment that follows."""
        positions, hidden = shared.layout(self.plan, training)
        x = self.dropout(self.embedding(inputs) * math.sqrt(self.plan.width), training=training)
        positions = self.dropout(tf.constant(positions), training=training)
        kept = []
        for layer, past in zip(self.blocks, memory):
            kept.append(tf.concat([past, tf.stop_gradient(x)], axis=1)[:, -past.shape[1]:])
            x = layer(x, past, positions, hidden, self.content_bias, self.position_bias, training=training)
        x = self.dropout(x, training=training)
        loss = self.softmax(tf.reshape(x, [-1, self.plan.width]), tf.reshape(targets, [-1]),
                            tf.convert_to_tensor(self.embedding.embeddings))
        return tf.reshape(loss, tf.shape(targets)), kept

    def empty_memory(self, batch: int, training: bool) -> list[tf.Tensor]:
        """Zeros of the full length, so that every segment costs the same."""
        length = self.plan.memory_length if training else self.plan.evaluation_memory_length
        return [tf.zeros([batch, length, self.plan.width]) for _ in range(self.plan.layers)]


def build(plan: Plan) -> TransformerXL:
    model = TransformerXL(plan)
    nothing = tf.zeros([1, plan.evaluation_target_length], tf.int32)
    model(nothing, nothing, model.empty_memory(1, training=False))  # Keras makes weights at the first call
    return model


parameters = common.parameters


def load_canonical(model: TransformerXL, weights: dict[str, np.ndarray]):
    places = {"embedding.weight": model.embedding.embeddings, "content_bias": model.content_bias,
              "position_bias": model.position_bias, "softmax.bias": model.softmax.bias,
              "softmax.cluster_weight": model.softmax.cluster_weight,
              "softmax.cluster_bias": model.softmax.cluster_bias}
    for number, layer in enumerate(model.blocks):
        for name in ("query", "key_value", "position", "project", "expand", "contract"):
            part = getattr(layer, name)
            weights[f"layers.{number}.{name}.weight"] = weights[f"layers.{number}.{name}.weight"].T
            places[f"layers.{number}.{name}.weight"] = part.kernel
            if part.use_bias:
                places[f"layers.{number}.{name}.bias"] = part.bias
        for name in ("attention_norm", "inner_norm"):
            places[f"layers.{number}.{name}.weight"] = getattr(layer, name).gamma
            places[f"layers.{number}.{name}.bias"] = getattr(layer, name).beta
    if set(places) != set(weights):
        raise ValueError(f"weights do not fit: {sorted(set(places) ^ set(weights))}")
    for name, variable in places.items():
        variable.assign(weights[name])


def forward(model: TransformerXL, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    memory = model.empty_memory(inputs["inputs"].shape[1], training=False)
    losses = []
    for words, targets in zip(inputs["inputs"].astype(np.int32), inputs["targets"].astype(np.int32)):
        loss, memory = model(tf.constant(words), tf.constant(targets), memory)
        losses.append(loss.numpy())
    return {"loss": np.stack(losses), "memory": memory[-1].numpy()}


def evaluator(model: TransformerXL):
    """A function that gives the mean loss of a word. It keeps its compiled step."""

    @tf.function
    def step(inputs, targets, memory):
        return model(inputs, targets, memory, training=False)

    def evaluate(segments: list[shared.Segment]) -> float:
        memory = model.empty_memory(segments[0].inputs.shape[0], training=False)
        total, count = tf.zeros([]), 0
        for segment in segments:
            loss, memory = step(*tensors(segment), memory)
            total += tf.reduce_sum(loss[:, : segment.valid])
            count += segment.valid * len(segment.inputs)
        return float(total) / count

    return evaluate


def tensors(segment: shared.Segment) -> tuple[tf.Tensor, tf.Tensor]:
    return tf.constant(segment.inputs), tf.constant(segment.targets)


def trainer(model: TransformerXL, optimizer: keras.optimizers.Optimizer):
    @tf.function
    def step(inputs, targets, memory):
        with tf.GradientTape() as tape:
            loss, memory = model(inputs, targets, memory, training=True)
            loss = tf.reduce_mean(loss)
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, model.trainable_variables), model.plan.clip)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss, memory

    return step


def train(job: Job):
    common.ready(job)
    plan = job.plan
    words = shared.words(job)
    segments = shared.training_segments(plan, words["train"])
    validation = shared.evaluation_segments(plan, words["valid"])
    model = build(plan)
    optimizer = common.optimizer(plan.optimizer, plan.learning_rate)
    train_step, evaluate = trainer(model, optimizer), evaluator(model)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    step = 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            memory = model.empty_memory(plan.batch, training=True)
            total = tf.zeros([])
            for segment in segments:
                common.set_learning_rate(optimizer, shared.rate(plan, step, plan.epochs * len(segments)))
                loss, memory = train_step(*tensors(segment), memory)
                total += loss
                step += 1
            prengdl.metric("loss", float(total) / len(segments), step=epoch)
            with prengdl.span("eval", epoch):
                perplexity = shared.perplexity(evaluate(validation))
            prengdl.metric("perplexity", perplexity, step=epoch)
            job.say(f"epoch {epoch}: loss {float(total) / len(segments):.3f}, perplexity {perplexity:.1f}")
    job.tell_work(steps=step, samples=step * plan.batch, tokens=step * plan.batch * plan.target_length)
    with job.saving() as directory:
        common.save(model, directory)


def infer(job: Job):
    common.ready(job)
    plan = job.plan
    segments = shared.evaluation_segments(plan, shared.words(job)["test"])
    model = build(plan)
    common.load(model, job.saved())
    evaluate = evaluator(model)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    with prengdl.span("warmup"):
        evaluate(segments[: plan.warmup_batches])
    with prengdl.span("infer"):
        loss = evaluate(segments)
    prengdl.metric("loss", loss)
    prengdl.metric("perplexity", shared.perplexity(loss))
    samples = len(segments) * plan.evaluation_batch
    job.tell_work(steps=len(segments), samples=samples, inferences=samples,
                  tokens=sum(segment.valid for segment in segments) * plan.evaluation_batch)
    job.say(f"loss {loss:.3f}, perplexity {shared.perplexity(loss):.1f}")
