# SPDX-License-Identifier: Apache-2.0
"""GNMT in TensorFlow: Keras' LSTM layers, normalised Bahdanau attention, and the steps of the shared beam search."""

import math

import keras
import numpy as np
import prengdl
import tensorflow as tf

from workloads.shared import gnmt as shared
from workloads.shared.data.wmt16 import PADDING
from workloads.shared.gnmt import Plan
from workloads.shared.job import Job
from workloads.tensorflow import common


class NormalisedAttention(keras.layers.Layer):
    """Bahdanau's attention whose vector has a direction and, apart from it, a length that is learnt."""

    def __init__(self, plan: Plan):
        super().__init__()
        width = plan.hidden
        self.query = keras.layers.Dense(width, use_bias=False, kernel_initializer=uniform(plan))
        self.key = keras.layers.Dense(width, use_bias=False, kernel_initializer=uniform(plan))
        self.direction = self.add_weight(name="direction", shape=(width,), initializer=uniform(plan))
        self.scale = self.add_weight(name="scale", shape=(1,),
                                     initializer=keras.initializers.Constant(1 / math.sqrt(width)))
        self.bias = self.add_weight(name="bias", shape=(width,), initializer="zeros")

    def call(self, queries, memory):
        """queries: batch x steps x width; memory: keys and values of the source, and where it is filling."""
        keys, values, filling = memory
        vector = self.direction / tf.norm(self.direction) * self.scale
        together = tf.tanh(self.query(queries)[:, :, None] + keys[:, None] + self.bias)
        scores = tf.linalg.matvec(together, vector)
        weights = tf.nn.softmax(tf.where(filling[:, None], -math.inf, scores))
        return tf.matmul(weights, values), weights


def uniform(plan: Plan) -> keras.initializers.Initializer:
    return keras.initializers.RandomUniform(-plan.initial_range, plan.initial_range)


def lstm(plan: Plan, **options) -> keras.layers.LSTM:
    """Keras would start with orthogonal weights and open gates; here all start as in the recipe."""
    return keras.layers.LSTM(plan.hidden, return_sequences=True, unit_forget_bias=False,
                             kernel_initializer=uniform(plan), recurrent_initializer=uniform(plan),
                             bias_initializer=uniform(plan), **options)


class GNMT(keras.Model):
    def __init__(self, plan: Plan):
        super().__init__()
        self.plan = plan
        self.embedding = keras.layers.Embedding(plan.vocabulary, plan.hidden, embeddings_initializer=uniform(plan))
        self.both_ways = keras.layers.Bidirectional(lstm(plan), backward_layer=lstm(plan, go_backwards=True))
        self.encoder = [lstm(plan) for _ in range(1, plan.layers)]
        self.attention = NormalisedAttention(plan)
        self.decoder = [lstm(plan, return_state=True) for _ in range(plan.layers)]
        self.classifier = keras.layers.Dense(plan.vocabulary, kernel_initializer=uniform(plan),
                                             bias_initializer=uniform(plan))
        self.dropout = keras.layers.Dropout(plan.dropout)

    def encode(self, source, training=False):
        filling = source == PADDING
        x = self.dropout(self.embedding(source), training=training)
        x = self.both_ways(x, mask=tf.logical_not(filling))
        x = self.encoder[0](self.dropout(x, training=training))
        for layer in self.encoder[1:]:
            x = layer(self.dropout(x, training=training)) + x
        return self.attention.key(x), x, filling

    def decode(self, words, memory, states=None, training=False):
        """The scores of the words that follow, the attention, and the layers' states after the last word."""
        states = states or [None] * len(self.decoder)
        x, *state = self.decoder[0](self.dropout(self.embedding(words), training=training), initial_state=states[0])
        context, weights = self.attention(x, memory)
        after = [state]
        for number, layer in enumerate(self.decoder[1:], start=1):
            inputs = self.dropout(tf.concat([x, context], axis=-1), training=training)
            y, *state = layer(inputs, initial_state=states[number])
            x = y + x if number > 1 else y
            after.append(state)
        return self.classifier(x), weights, after

    def call(self, source, target, training=False):
        return self.decode(target, self.encode(source, training), training=training)[0]


class Translator:
    """The compiled parts of decoding. Sizes are left open, so that each is compiled once."""

    def __init__(self, model: GNMT, beam: int):
        self.model, self.beam = model, beam
        floats, layers, width = tf.float32, len(model.decoder), model.plan.hidden
        state = tf.TensorSpec([None, width], floats)
        memory = (tf.TensorSpec([None, None, width], floats), tf.TensorSpec([None, None, width], floats),
                  tf.TensorSpec([None, None], tf.bool))
        self.encode = tf.function(  # type: ignore[method-assign]
            self.encode, input_signature=[tf.TensorSpec([None, None], tf.int32)])
        self.step = tf.function(self.step, input_signature=[  # type: ignore[method-assign]
            tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.int32), memory, [[state, state]] * layers])

    def encode(self, source):
        return tuple(tf.repeat(part, self.beam, axis=0) for part in self.model.encode(source))

    def step(self, words, parents, memory, states):
        states = [[tf.gather(part, parents) for part in state] for state in states]
        logits, weights, states = self.model.decode(words[:, None], memory, states)
        logs, best = tf.math.top_k(tf.nn.log_softmax(logits[:, 0]), 2 * self.beam)
        return logs, best, weights[:, 0], states


class Stepper:
    """One word after the other, for the shared beam search."""

    def __init__(self, translator: Translator, source: np.ndarray):
        self.translator = translator
        self.memory = translator.encode(tf.constant(source))
        nothing = tf.zeros([len(source) * translator.beam, translator.model.plan.hidden])
        self.states = [[nothing, nothing]] * len(translator.model.decoder)

    def step(self, words: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        logs, best, weights, self.states = self.translator.step(
            tf.constant(words, tf.int32), tf.constant(parents, tf.int32), self.memory, self.states)
        return logs.numpy(), best.numpy(), weights.numpy()


def build(plan: Plan) -> GNMT:
    model = GNMT(plan)
    model(tf.fill([1, 2], PADDING + 1), tf.fill([1, 2], PADDING + 1))  # Keras makes weights at the first call
    return model


parameters = common.parameters


def load_canonical(model: GNMT, weights: dict[str, np.ndarray]):
    """Gates are in the same order as in PyTorch (input, forget, cell, output); matrices are the other way round."""
    attention = model.attention
    places = {"embedding.weight": model.embedding.embeddings, "attention.query.weight": attention.query.kernel,
              "attention.key.weight": attention.key.kernel, "attention.direction": attention.direction,
              "attention.scale": attention.scale, "attention.bias": attention.bias,
              "classifier.weight": model.classifier.kernel, "classifier.bias": model.classifier.bias}
    both_ways = model.both_ways
    layers = {("encoder.0", ""): both_ways.forward_layer, ("encoder.0", "_reverse"): both_ways.backward_layer}
    layers |= {(f"encoder.{number}", ""): layer for number, layer in enumerate(model.encoder, start=1)}
    layers |= {(f"decoder.{number}", ""): layer for number, layer in enumerate(model.decoder)}
    for (name, direction), layer in layers.items():
        places |= {f"{name}.weight_ih_l0{direction}": layer.cell.kernel,
                   f"{name}.weight_hh_l0{direction}": layer.cell.recurrent_kernel,
                   f"{name}.bias_ih_l0{direction}": layer.cell.bias}
    if set(places) != set(weights):
        raise ValueError(f"weights do not fit: {sorted(set(places) ^ set(weights))}")
    for name, variable in places.items():
        same = weights[name].ndim == 1 or name == "embedding.weight"
        variable.assign(weights[name] if same else weights[name].T)


def forward(model: GNMT, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The scores with the translation given, and those of its words one after the other."""
    target = inputs["target"]
    logits = model(tf.constant(inputs["source"]), tf.constant(target))
    stepper = Stepper(Translator(model, 1), inputs["source"])
    rows = np.arange(len(target))
    stepped = [stepper.step(words, rows) for words in target.T]
    return {"logits": logits.numpy(), "best": np.stack([logs for logs, _, _ in stepped]),
            "attention": np.stack([weights for _, _, weights in stepped])}


def translate(translator: Translator, plan: Plan, batches) -> shared.Translated:
    return shared.translated(plan, batches, lambda source: Stepper(translator, source))


def smoothed_loss(logits, labels, smoothing: float):
    """The sum over all words that are not filling: a part of the label's weight is spread over the vocabulary."""
    right = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    spread = tf.reduce_logsumexp(logits, axis=-1) - tf.reduce_mean(logits, axis=-1)
    losses = (1 - smoothing) * right + smoothing * spread
    return tf.reduce_sum(tf.where(labels == PADDING, 0.0, losses))


def trainer(model: GNMT, optimizer: keras.optimizers.Optimizer):
    plan = model.plan

    @tf.function(input_signature=[tf.TensorSpec([plan.batch, None], tf.int32)] * 3)  # one graph for all buckets
    def step(source, target, labels):
        with tf.GradientTape() as tape:
            loss = smoothed_loss(model(source, target, training=True), labels, plan.smoothing)
            mean = loss / plan.batch
        gradients, _ = tf.clip_by_global_norm(tape.gradient(mean, model.trainable_variables), plan.clip)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return step


def train(job: Job):
    common.ready(job)
    plan = job.plan
    corpus = shared.Corpus(job)
    tests = corpus.test_batches()
    model = build(plan)
    optimizer = common.optimizer(plan.optimizer, plan.learning_rate)
    train_step, translator = trainer(model, optimizer), Translator(model, plan.beam)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    step, tokens = 0, 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            total, words = tf.zeros([]), 0
            for batch in corpus.batches(job.seed, epoch):
                common.set_learning_rate(optimizer, shared.rate(plan, step, plan.epochs * corpus.steps()))
                total += train_step(*(tf.constant(part) for part in batch[:3]))
                words += int((batch.labels != PADDING).sum())
                tokens += batch.tokens
                step += 1
            prengdl.metric("loss", float(total) / words, step=epoch)
            with prengdl.span("eval", epoch):
                bleu = corpus.bleu(translate(translator, plan, tests).lines)
            prengdl.metric("bleu", bleu, step=epoch)
            job.say(f"epoch {epoch}: loss {float(total) / words:.3f}, BLEU {bleu:.1f}")
    job.tell_facts(bleu_kind=corpus.bleu_kind())
    job.tell_work(steps=step, samples=step * plan.batch, tokens=tokens)
    with job.saving() as directory:
        common.save(model, directory)


def infer(job: Job):
    common.ready(job)
    plan = job.plan
    corpus = shared.Corpus(job)
    batches = corpus.test_batches()
    model = build(plan)
    common.load(model, job.saved())
    translator = Translator(model, plan.beam)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    with prengdl.span("warmup"):
        translate(translator, plan, batches[: plan.warmup_batches])
    with prengdl.span("infer"):
        found = translate(translator, plan, batches)
    bleu = corpus.bleu(found.lines)
    prengdl.metric("bleu", bleu)
    prengdl.metric("tokens_written", found.written)
    prengdl.metric("decoder_steps", found.steps)
    job.tell_facts(bleu_kind=corpus.bleu_kind())
    job.tell_work(steps=len(batches), samples=len(found.lines), inferences=len(found.lines), tokens=found.read)
    job.say(f"BLEU {bleu:.1f}")
