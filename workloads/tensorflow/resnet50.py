# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 in TensorFlow: the Keras model of resnet.py, trained by SGD with momentum in a compiled step."""

import keras
import numpy as np
import prengdl
import tensorflow as tf

from workloads.shared import resnet50
from workloads.shared.job import Job
from workloads.tensorflow.common import decayed, load, optimizer, parameters, ready, save, set_learning_rate, wait
from workloads.tensorflow.resnet import load_canonical, pixels, resnet

__all__ = ["build", "forward", "infer", "load_canonical", "parameters", "train"]


def build(plan: resnet50.Plan) -> keras.Model:
    return resnet(plan.blocks, plan.classes, plan.image, plan.norm_momentum)


def train(job: Job):
    plan = job.plan
    ready(job)
    data = resnet50.Data(job)
    model = build(plan)
    chosen = optimizer(plan.optimizer, plan.learning_rate, plan.momentum)
    chosen.build(model.trainable_variables)
    step = stepper(model, chosen, plan)
    predict = predictor(model, plan)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    samples = steps = 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            total, seen = tf.zeros(()), 0
            for images, labels in data.train_batches(epoch):
                set_learning_rate(chosen, resnet50.learning_rate(plan, steps, plan.epochs * data.steps()))
                total += step(images, labels) * len(labels)
                seen += len(labels)
                steps += 1
            samples += seen
            prengdl.metric("loss", float(total) / seen, step=epoch)
            with prengdl.span("eval", epoch):
                error = resnet50.top5_error(plan, data.test_labels, scores(predict, data))
                prengdl.metric("top5_error", error, step=epoch)
    job.tell_work(samples=samples, steps=steps)
    with job.saving() as directory:
        save(model, directory)


def stepper(model: keras.Model, chosen: keras.optimizers.Optimizer, plan: resnet50.Plan):
    loss_of = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=plan.label_smoothing)
    norms = [variable for layer in model.layers if isinstance(layer, keras.layers.BatchNormalization)
             for variable in layer.trainable_variables]

    @tf.function(input_signature=[bytes_of(plan), tf.TensorSpec([None], tf.int32)])
    def step(images, labels):
        with tf.GradientTape() as tape:
            logits = model(pixels(images, resnet50.MEAN, resnet50.DEVIATION), training=True)
            loss = loss_of(tf.one_hot(labels, plan.classes), logits)
        gradients = decayed(tape.gradient(loss, model.trainable_variables), model.trainable_variables,
                            plan.weight_decay, exempt=norms)
        chosen.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return step


def infer(job: Job):
    plan = job.plan
    ready(job)
    data = resnet50.Data(job)
    model = build(plan)
    load(model, job.saved())
    predict = predictor(model, plan)
    job.tell_facts(parameters=parameters(model))
    job.loaded()
    with prengdl.span("warmup"):
        for images in data.test_batches(most=1):
            predict(images)
        wait()
    with prengdl.span("infer"):
        for _ in range(plan.infer_passes):
            found = scores(predict, data)
    prengdl.metric("top5_error", resnet50.top5_error(plan, data.test_labels, found))
    job.tell_work(samples=plan.infer_passes * len(found), steps=plan.infer_passes * data.test_steps())


def bytes_of(plan: resnet50.Plan) -> tf.TensorSpec:
    return tf.TensorSpec([None, plan.image, plan.image, 3], tf.uint8)


def predictor(model: keras.Model, plan: resnet50.Plan):
    @tf.function(input_signature=[bytes_of(plan)])
    def predict(images):
        return model(pixels(images, resnet50.MEAN, resnet50.DEVIATION), training=False)

    return predict


def scores(predict, data: resnet50.Data) -> np.ndarray:
    return tf.concat([predict(images) for images in data.test_batches()], 0).numpy()


def forward(model: keras.Model, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    scaled = pixels(inputs["pixels"], resnet50.MEAN, resnet50.DEVIATION)
    return {"logits": tf.function(model)(scaled, training=False).numpy()}
