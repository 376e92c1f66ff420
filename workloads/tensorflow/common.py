# SPDX-License-Identifier: Apache-2.0
"""What every TensorFlow workload does the same way: get ready, choose the optimiser, count, save and load."""

import os
from collections.abc import Sequence
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from workloads.shared.job import Job, Refused

PRECISIONS = ("fp32", "tf32")


def ready(job: Job) -> str:
    """Seeds, threads, precision and device as the job says, emitted as facts. Call it first.
    Returns the device's name for tf.device; TensorFlow puts operations there anyway."""
    threading = tf.config.threading  # can be set only before the first operation
    if threading.get_intra_op_parallelism_threads() != job.threads:
        threading.set_intra_op_parallelism_threads(job.threads)
    if threading.get_inter_op_parallelism_threads() != 1:
        threading.set_inter_op_parallelism_threads(1)
    device = chosen(job)
    if job.precision not in PRECISIONS or (job.precision == "tf32" and device == "/CPU:0"):
        raise Refused(f"tensorflow cannot run {job.precision} on {device}", "it can: fp32; tf32 on cuda")
    # By default TensorFlow lets both convolutions and matrix products use TF32: here they do as the job says.
    tf.config.experimental.enable_tensor_float_32_execution(job.precision == "tf32")
    keras.utils.set_random_seed(job.seed % 2**32)
    keras.config.set_floatx("float32")
    build = tf.sysconfig.get_build_info()
    on_gpu = device == "/GPU:0"
    job.tell_facts(
        tensorflow=tf.__version__,
        keras=keras.__version__,
        numpy=np.__version__,
        device="cuda" if on_gpu else "cpu",
        device_name=gpu_name() if on_gpu else "cpu",
        cuda=build.get("cuda_version", "none"),
        cudnn=build.get("cudnn_version", "none") if on_gpu else "none",
        onednn=os.environ.get("TF_ENABLE_ONEDNN_OPTS", "default"),
        threads_between_operations=1,
        deterministic=0,  # as users run it: no algorithm is forced
        compiled="tf.function",
    )
    return device


def chosen(job: Job) -> str:
    gpus = tf.config.list_physical_devices("GPU")
    if job.device == "cuda" and not gpus:
        raise Refused("this TensorFlow sees no CUDA device", "--device cpu runs without one")
    if job.device == "cpu" or not gpus:
        tf.config.set_visible_devices([], "GPU")
        return "/CPU:0"
    tf.config.set_visible_devices(gpus[:1], "GPU")
    tf.config.experimental.set_memory_growth(gpus[0], True)  # else all of the memory is taken at once
    return "/GPU:0"


def gpu_name() -> str:
    details = tf.config.experimental.get_device_details(tf.config.get_visible_devices("GPU")[0])
    return details.get("device_name", "unknown")


def optimizer(name: str, learning_rate: float, momentum: float = 0.0,
              betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8) -> keras.optimizers.Optimizer:
    """The optimiser by name, each hyper-parameter given, none left to the framework's default.

    Two differences to PyTorch remain in the formulas. SGD: the velocity holds the learning rate of its
    step, PyTorch multiplies by the current one; equal while the rate is constant. Adam: epsilon is
    added before the correction of the second moment, so it weighs more in the first steps.
    Keras' own weight_decay is decoupled, not L2: see `decayed`."""
    if name == "sgd":
        return keras.optimizers.SGD(learning_rate=learning_rate, momentum=momentum, nesterov=False)
    if name == "adam":
        return keras.optimizers.Adam(learning_rate=learning_rate, beta_1=betas[0], beta_2=betas[1],
                                     epsilon=epsilon, amsgrad=False)
    raise Refused(f"there is no optimiser '{name}'", "it can be: sgd, adam")


def decayed(gradients: list, variables: list, weight_decay: float, exempt: Sequence = ()) -> list:
    """The gradients of L2 regularisation added, as PyTorch's optimisers do with weight_decay; exempt variables stay."""
    if weight_decay == 0:
        return gradients
    left_alone = {id(variable) for variable in exempt}
    return [gradient if id(variable) in left_alone else gradient + weight_decay * variable
            for gradient, variable in zip(gradients, variables)]


def set_learning_rate(chosen_optimizer: keras.optimizers.Optimizer, learning_rate: float):
    chosen_optimizer.learning_rate.assign(learning_rate)


def parameters(model: keras.Model) -> int:
    """How many numbers are trained; running statistics are not."""
    return sum(int(np.prod(weight.shape)) for weight in model.trainable_weights)


def wait():
    """Until the device has done all that it was given: a GPU returns before that."""
    if tf.config.get_visible_devices("GPU"):
        tf.test.experimental.sync_devices()


def save(model: keras.Model, directory: Path):
    model.save_weights(directory / "model.weights.h5")


def load(model: keras.Model, directory: Path):
    model.load_weights(directory / "model.weights.h5")
