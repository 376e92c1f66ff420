# SPDX-License-Identifier: Apache-2.0
"""Trains and runs the detectors of this folder: SSD and Mask R-CNN differ only in the model and its quality."""

from collections.abc import Callable, Sequence

import keras
import numpy as np
import prengdl
import tensorflow as tf
from keras import layers

from workloads.shared import detection
from workloads.shared.job import Job
from workloads.shared.resnet import NORM_MOMENTUM
from workloads.tensorflow import common
from workloads.tensorflow.resnet import bottleneck, normalised, pixels

Qualities = Callable[[detection.Data, list[dict]], dict[str, float]]


class Detector(keras.Model):
    """What both models offer. Images come as bytes, (batch, size, size, 3)."""

    def losses_of(self, images, boxes, labels, masks) -> dict[str, tf.Tensor]:
        raise NotImplementedError

    def detect(self, images) -> dict[str, tf.Tensor]:
        """image, box, score, label and where there are masks mask: one row for each object that was found."""
        raise NotImplementedError


def scaled(images):
    return pixels(images, detection.MEAN, detection.DEVIATION)


def stages(inputs, blocks: Sequence[int], strides: Sequence[int], prefix: str) -> list:
    """What each stage of the ResNet gives; layers have torchvision's names."""
    hidden = normalised(inputs, f"{prefix}conv1", f"{prefix}bn1", 64, 7, momentum=NORM_MOMENTUM, stride=2)
    hidden = layers.ReLU()(hidden)
    hidden = layers.MaxPooling2D(3, 2)(layers.ZeroPadding2D(1)(hidden))
    outputs = []
    for stage, (count, stride) in enumerate(zip(blocks, strides)):
        for index in range(count):
            hidden = bottleneck(hidden, f"{prefix}layer{stage + 1}.{index}", 64 * 2**stage,
                                stride if index == 0 else 1, momentum=NORM_MOMENTUM, shortcut=index == 0)
        outputs.append(hidden)
    return outputs


def train(job: Job, build: Callable[..., Detector], qualities: Qualities):
    common.ready(job)
    plan = job.plan
    data = detection.Data(job).for_training()
    model = build(plan)
    optimizer = common.optimizer(plan.optimizer, plan.learning_rate, plan.momentum)
    optimizer.build(model.trainable_variables)
    train_step, detect = stepper(model, optimizer, plan), finder(model, plan)
    job.tell_facts(parameters=common.parameters(model))
    job.loaded()
    step = 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            losses = []
            for batch in data.train_batches(epoch):
                common.set_learning_rate(optimizer, data.learning_rate(step))
                losses.append(train_step(batch.images, batch.boxes, batch.labels, batch.masks))
                step += 1
            prengdl.metric("loss", float(tf.reduce_mean(losses)), step=epoch)
        if plan.evaluates:
            with prengdl.span("eval", plan.epochs):
                results = detected(detect, data, data.eval_batches())
                for name, value in qualities(data, results).items():
                    prengdl.metric(name, value, step=plan.epochs)
    with job.saving() as directory:
        common.save(model, directory)
    job.tell_work(samples=step * plan.batch, steps=step)


def stepper(model: Detector, optimizer: keras.optimizers.Optimizer, plan: detection.Plan):
    variables = model.trainable_variables
    exempt = [variable for variable in variables if len(variable.shape) == 1]  # biases and batch normalisation

    # The number of objects changes from batch to batch; with None one compilation serves all.
    @tf.function(input_signature=[
        tf.TensorSpec([plan.batch, plan.image_size, plan.image_size, 3], tf.uint8),
        tf.TensorSpec([plan.batch, None, 4], tf.float32),
        tf.TensorSpec([plan.batch, None], tf.int64),
        tf.TensorSpec([plan.batch, None, plan.image_size, plan.image_size], tf.uint8),
    ])
    def train_step(images, boxes, labels, masks):
        with tf.GradientTape() as tape:
            loss = tf.add_n(list(model.losses_of(images, boxes, labels, masks).values()))
        gradients = common.decayed(tape.gradient(loss, variables), variables, plan.weight_decay, exempt)
        optimizer.apply_gradients(zip(gradients, variables))
        return loss

    return train_step


def infer(job: Job, build: Callable[..., Detector], qualities: Qualities):
    common.ready(job)
    plan = job.plan
    data = detection.Data(job)
    model = build(plan)
    common.load(model, job.saved())
    detect = finder(model, plan)
    job.tell_facts(parameters=common.parameters(model))
    job.loaded()
    with prengdl.span("warmup"):
        detected(detect, data, data.eval_batches(plan.warmup_batches))
    with prengdl.span("infer"):
        results = detected(detect, data, data.eval_batches())
    for name, value in qualities(data, results).items():
        prengdl.metric(name, value)
    images = len(data.eval_ids)
    job.tell_work(samples=images, steps=-(-images // plan.eval_batch), inferences=images)


def finder(model: Detector, plan: detection.Plan):
    @tf.function(input_signature=[tf.TensorSpec([None, plan.image_size, plan.image_size, 3], tf.uint8)])
    def detect(images):
        return model.detect(images)

    return detect


def detected(detect, data: detection.Data, batches) -> list[dict]:
    """What the model finds, as COCO's evaluation takes it."""
    results = []
    for batch in batches:
        found = {name: value.numpy() for name, value in detect(batch.images).items()}
        for number in range(len(batch.image_ids)):
            own = {name: value[found["image"] == number] for name, value in found.items()}
            masks = own["mask"] >= 0.5 if "mask" in own else None
            results += detection.results(data, batch, number, own["box"], own["score"], own["label"], masks)
    return results


def load_canonical(model: Detector, weights: dict[str, np.ndarray], flattened: dict[str, int] | None = None):
    """Weights of the PyTorch model. `flattened` names dense layers that follow a flattening, with the side of what is
    flattened: there PyTorch has the channels first, and Keras last."""
    known = {layer.name: layer for layer in model._flatten_layers(include_self=False, recursive=True)}
    for name in sorted({name.rsplit(".", 1)[0] for name in weights}):
        layer, kernel = known[name], weights[f"{name}.weight"]
        biases = [weights[f"{name}.bias"]] if f"{name}.bias" in weights else []
        if isinstance(layer, layers.BatchNormalization):
            layer.set_weights([kernel, *biases, weights[f"{name}.running_mean"], weights[f"{name}.running_var"]])
        elif isinstance(layer, layers.Dense):
            side = (flattened or {}).get(name)
            if side:
                kernel = kernel.reshape(len(kernel), -1, side, side).transpose(0, 2, 3, 1).reshape(len(kernel), -1)
            layer.set_weights([kernel.T, *biases])
        else:  # a convolution; the transposed kind has inputs and outputs the other way round in both
            layer.set_weights([kernel.transpose(2, 3, 1, 0), *biases])


def parity_found(model: Detector, images: np.ndarray) -> dict[str, np.ndarray]:
    """What is found in the images, the first image's first."""
    found = tf.function(model.detect)(tf.constant(images))
    return {"boxes": found["box"].numpy(), "scores": found["score"].numpy(),
            "labels": found["label"].numpy().astype(np.float32)}
