# SPDX-License-Identifier: Apache-2.0
"""What every PyTorch workload does the same way: get ready, choose the optimiser, count, save and load."""

import random
from pathlib import Path

import numpy as np
import torch

from workloads.shared.job import Job, Refused

PRECISIONS = ("fp32", "tf32")


def ready(job: Job) -> torch.device:
    """Seeds, threads, precision and device as the job says, emitted as facts. Call it first."""
    random.seed(job.seed)
    np.random.seed(job.seed % 2**32)
    torch.manual_seed(job.seed)
    torch.set_num_threads(job.threads)
    if torch.get_num_interop_threads() != 1:  # can be set only once in a process
        torch.set_num_interop_threads(1)
    device = chosen(job)
    if job.precision not in PRECISIONS or (job.precision == "tf32" and device.type != "cuda"):
        raise Refused(f"pytorch cannot run {job.precision} on {device.type}", "it can: fp32; tf32 on cuda")
    # By default PyTorch lets convolutions use TF32 and matrix products not: here both do as the job says.
    torch.backends.cuda.matmul.allow_tf32 = job.precision == "tf32"
    torch.backends.cudnn.allow_tf32 = job.precision == "tf32"
    job.tell_facts(
        torch=torch.__version__,
        numpy=np.__version__,
        device=device.type,
        device_name=torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        cuda=torch.version.cuda or "none",
        cudnn=torch.backends.cudnn.version() or 0 if device.type == "cuda" else "none",
        onednn=int(torch.backends.mkldnn.is_available()),
        threads_between_operations=1,
        deterministic=0,  # as users run it: no algorithm is forced
        compiled="eager",
    )
    return device


def chosen(job: Job) -> torch.device:
    if job.device == "cuda" and not torch.cuda.is_available():
        raise Refused("this PyTorch sees no CUDA device", "--device cpu runs without one")
    if job.device == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", 0)


def optimizer(name: str, parameters, learning_rate: float, momentum: float = 0.0, weight_decay: float = 0.0,
              betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8) -> torch.optim.Optimizer:
    """The optimiser by name, each hyper-parameter given, none left to the framework's default.
    weight_decay is L2: added to the gradient."""
    if name == "sgd":
        return torch.optim.SGD(parameters, lr=learning_rate, momentum=momentum, dampening=0,
                               weight_decay=weight_decay, nesterov=False)
    if name == "adam":
        return torch.optim.Adam(parameters, lr=learning_rate, betas=betas, eps=epsilon,
                                weight_decay=weight_decay, amsgrad=False)
    raise Refused(f"there is no optimiser '{name}'", "it can be: sgd, adam")


def set_learning_rate(chosen_optimizer: torch.optim.Optimizer, learning_rate: float):
    for group in chosen_optimizer.param_groups:
        group["lr"] = learning_rate


def parameters(model: torch.nn.Module) -> int:
    """How many numbers are trained; running statistics are not."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def tensor(array: np.ndarray, device: torch.device) -> torch.Tensor:
    """A batch on the device. On the CPU it shares the array's memory."""
    return torch.from_numpy(np.ascontiguousarray(array)).to(device, non_blocking=True)


def wait(device: torch.device):
    """Until the device has done all that it was given: CUDA returns before that."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def save(model: torch.nn.Module, directory: Path):
    torch.save(model.state_dict(), directory / "weights.pt")


def load(model: torch.nn.Module, directory: Path, device: torch.device):
    model.load_state_dict(torch.load(directory / "weights.pt", map_location=device, weights_only=True))


def load_arrays(model: torch.nn.Module, weights: dict[str, np.ndarray]):
    """Weights whose canonical names are the model's own; statistics that are not given stay as they are."""
    state = model.state_dict()
    unknown = sorted(set(weights) - set(state))
    missing = sorted(name for name, _ in model.named_parameters() if name not in weights)
    if unknown or missing:
        raise ValueError(f"weights do not fit: unknown {unknown}, missing {missing}")
    with torch.no_grad():
        for name, array in weights.items():
            if tuple(state[name].shape) != array.shape:
                raise ValueError(f"{name} is {tuple(state[name].shape)}, given {array.shape}")
            state[name].copy_(torch.from_numpy(np.ascontiguousarray(array)))
