# SPDX-License-Identifier: Apache-2.0
"""NeuMF in TensorFlow, by Keras layers and a compiled training step."""

import keras
import numpy as np
import prengdl
import tensorflow as tf
from keras import layers

from workloads.shared import ncf
from workloads.shared.job import Job
from workloads.tensorflow.common import load, optimizer, parameters, ready, save, wait

IDS = tf.TensorSpec([None], tf.int32)
LABELS = tf.TensorSpec([None], tf.float32)


def build(plan: ncf.Plan) -> keras.Model:
    user = keras.Input((), dtype="int32", name="user")
    item = keras.Input((), dtype="int32", name="item")

    def embedding(name, count, width):
        normal = keras.initializers.RandomNormal(0, 0.01)
        return layers.Embedding(count, width, embeddings_initializer=normal, name=name)

    half = plan.layers[0] // 2
    factors = layers.Multiply()([embedding("factor_user", plan.users, plan.factors)(user),
                                 embedding("factor_item", plan.items, plan.factors)(item)])
    hidden = layers.Concatenate()([embedding("layer_user", plan.users, half)(user),
                                   embedding("layer_item", plan.items, half)(item)])
    for index, width in enumerate(plan.layers[1:]):
        hidden = layers.Dense(width, activation="relu", kernel_initializer="glorot_uniform", bias_initializer="zeros",
                              name=f"layers.{index}")(hidden)
        hidden = layers.Dropout(plan.dropout)(hidden)
    final = layers.Dense(1, kernel_initializer="lecun_uniform", bias_initializer="zeros", name="final")
    logit = layers.Reshape(())(final(layers.Concatenate()([factors, hidden])))
    return keras.Model([user, item], logit, name="neumf")


def train(job: Job):
    plan = job.plan
    ready(job)
    data = ncf.data(job)
    model = build(plan)
    chosen = optimizer(plan.optimizer, plan.learning_rate, betas=(plan.beta1, plan.beta2), epsilon=plan.epsilon)
    chosen.build(model.trainable_variables)
    loss_of = keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function(input_signature=[IDS, IDS, LABELS])
    def step(user, item, label):
        with tf.GradientTape() as tape:
            loss = loss_of(label, model([user, item], training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        chosen.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    predict = predictor(model)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    samples = steps = 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            total, seen = tf.zeros(()), 0
            for user, item, label in ncf.train_batches(plan, data, job.seed, epoch):
                total += step(user, item, label) * len(user)
                seen += len(user)
                steps += 1
            samples += seen
            prengdl.metric("loss", float(total) / seen, step=epoch)
            with prengdl.span("eval", epoch):
                prengdl.metric("hit_rate_10", ncf.hit_rate(plan, scores(predict, plan, data)), step=epoch)
    job.tell_work(samples=samples, steps=steps)
    with job.saving() as directory:
        save(model, directory)


def infer(job: Job):
    plan = job.plan
    ready(job)
    data = ncf.data(job)
    model = build(plan)
    load(model, job.saved())
    predict = predictor(model)
    job.tell_facts(parameters=parameters(model))
    job.loaded()
    with prengdl.span("warmup"):
        predict(*next(ncf.test_batches(plan, data)))
        wait()
    with prengdl.span("infer"):
        for _ in range(plan.infer_passes):
            found = scores(predict, plan, data)
    prengdl.metric("hit_rate_10", ncf.hit_rate(plan, found))
    batches = sum(1 for _ in ncf.test_batches(plan, data))
    job.tell_work(samples=plan.infer_passes * len(found), steps=plan.infer_passes * batches)


def predictor(model: keras.Model):
    @tf.function(input_signature=[IDS, IDS])
    def predict(user, item):
        return tf.sigmoid(model([user, item], training=False))

    return predict


def scores(predict, plan: ncf.Plan, data) -> np.ndarray:
    return tf.concat([predict(user, item) for user, item in ncf.test_batches(plan, data)], 0).numpy()


def load_canonical(model: keras.Model, weights: dict[str, np.ndarray]):
    """Dense kernels are inputs x outputs here, the other way round in the canonical weights."""
    for name in sorted({name.rsplit(".", 1)[0] for name in weights}):
        layer = model.get_layer(name)
        if isinstance(layer, layers.Dense):
            layer.set_weights([weights[f"{name}.weight"].T, weights[f"{name}.bias"]])
        else:
            layer.set_weights([weights[f"{name}.weight"]])


def forward(model: keras.Model, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"score": predictor(model)(inputs["user"], inputs["item"]).numpy()}
