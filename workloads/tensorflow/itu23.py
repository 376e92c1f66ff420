# SPDX-License-Identifier: Apache-2.0
"""The ITU 2023 study's training in TensorFlow: the Keras ResNet of resnet.py, SGD with momentum in a compiled step,
evaluation after each epoch."""

import keras
import numpy as np
import prengdl
import tensorflow as tf

from workloads.shared import itu23
from workloads.shared.job import Job
from workloads.tensorflow.common import optimizer, parameters, ready
from workloads.tensorflow.resnet import load_canonical, pixels, resnet

__all__ = ["build", "forward", "load_canonical", "parameters", "train"]

IMAGES = tf.TensorSpec([None, itu23.IMAGE, itu23.IMAGE, 3], tf.uint8)
LABELS = tf.TensorSpec([None], tf.int32)


def build(plan: itu23.Plan) -> keras.Model:
    return resnet(itu23.blocks(plan), itu23.classes(plan), itu23.IMAGE, plan.norm_momentum)


def train(job: Job):
    plan = job.plan
    ready(job)
    data = itu23.Data(job)
    model = build(plan)
    chosen = optimizer(plan.optimizer, plan.learning_rate, plan.momentum)
    chosen.build(model.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function(input_signature=[IMAGES, LABELS])
    def step(images, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(pixels(images, itu23.MEAN, itu23.DEVIATION), training=True))
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
            for images, labels in data.train_batches(epoch):
                total += step(images, labels) * len(labels)
                seen += len(labels)
                steps += 1
            samples += seen
            prengdl.metric("loss", float(total) / seen, step=epoch)
            with prengdl.span("eval", epoch):
                for name, value in itu23.quality(data.test_labels, scores(predict, data)).items():
                    prengdl.metric(name, value, step=epoch)
    job.tell_work(samples=samples, steps=steps)


def predictor(model: keras.Model):
    @tf.function(input_signature=[IMAGES])
    def predict(images):
        return model(pixels(images, itu23.MEAN, itu23.DEVIATION), training=False)

    return predict


def scores(predict, data: itu23.Data) -> np.ndarray:
    return tf.concat([predict(images) for images in data.test_batches()], 0).numpy()


def forward(model: keras.Model, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"logits": predictor(model)(inputs["pixels"]).numpy()}
