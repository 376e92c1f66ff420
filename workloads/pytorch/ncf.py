# SPDX-License-Identifier: Apache-2.0
"""NeuMF in PyTorch."""

import numpy as np
import prengdl
import torch
from torch import nn

from workloads.pytorch.common import load, load_arrays, optimizer, parameters, ready, save, tensor, wait
from workloads.shared import ncf
from workloads.shared.job import Job


class NeuMF(nn.Module):
    def __init__(self, plan: ncf.Plan):
        super().__init__()
        self.factor_user = nn.Embedding(plan.users, plan.factors)
        self.factor_item = nn.Embedding(plan.items, plan.factors)
        self.layer_user = nn.Embedding(plan.users, plan.layers[0] // 2)
        self.layer_item = nn.Embedding(plan.items, plan.layers[0] // 2)
        self.layers = nn.ModuleList(nn.Linear(inputs, outputs)
                                    for inputs, outputs in zip(plan.layers, plan.layers[1:]))
        self.dropout = nn.Dropout(plan.dropout)
        self.final = nn.Linear(plan.layers[-1] + plan.factors, 1)
        self.initialise()

    def initialise(self):
        """As in NVIDIA's model, biases of zero apart: those are Keras' default, PyTorch's are random."""
        for embedding in (self.factor_user, self.factor_item, self.layer_user, self.layer_item):
            nn.init.normal_(embedding.weight, 0, 0.01)
        for layer in self.layers:
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        limit = (3 / self.final.in_features) ** 0.5
        nn.init.uniform_(self.final.weight, -limit, limit)
        nn.init.zeros_(self.final.bias)

    def forward(self, user: torch.Tensor, item: torch.Tensor) -> torch.Tensor:
        factors = self.factor_user(user) * self.factor_item(item)
        hidden = torch.cat([self.layer_user(user), self.layer_item(item)], dim=1)
        for layer in self.layers:
            hidden = self.dropout(torch.relu(layer(hidden)))
        return self.final(torch.cat([factors, hidden], dim=1)).squeeze(1)


def build(plan: ncf.Plan) -> NeuMF:
    return NeuMF(plan)


def train(job: Job):
    plan = job.plan
    device = ready(job)
    data = ncf.data(job)
    model = build(plan).to(device)
    chosen = optimizer(plan.optimizer, model.parameters(), plan.learning_rate, betas=(plan.beta1, plan.beta2),
                       epsilon=plan.epsilon)
    loss_of = nn.BCEWithLogitsLoss()
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    samples = steps = 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            model.train()
            total, seen = torch.zeros((), device=device), 0
            for user, item, label in ncf.train_batches(plan, data, job.seed, epoch):
                chosen.zero_grad(set_to_none=True)
                loss = loss_of(model(tensor(user, device), tensor(item, device)), tensor(label, device))
                loss.backward()
                chosen.step()
                total += loss.detach() * len(user)
                seen += len(user)
                steps += 1
            samples += seen
            prengdl.metric("loss", total.item() / seen, step=epoch)
            with prengdl.span("eval", epoch):
                prengdl.metric("hit_rate_10", ncf.hit_rate(plan, scores(model, plan, data, device)), step=epoch)
    job.tell_work(samples=samples, steps=steps)
    with job.saving() as directory:
        save(model, directory)


def infer(job: Job):
    plan = job.plan
    device = ready(job)
    data = ncf.data(job)
    model = build(plan).to(device)
    load(model, job.saved(), device)
    job.tell_facts(parameters=parameters(model))
    job.loaded()
    with prengdl.span("warmup"):
        predict(model, *next(ncf.test_batches(plan, data)), device)
        wait(device)
    with prengdl.span("infer"):
        for _ in range(plan.infer_passes):
            found = scores(model, plan, data, device)
    prengdl.metric("hit_rate_10", ncf.hit_rate(plan, found))
    batches = sum(1 for _ in ncf.test_batches(plan, data))
    job.tell_work(samples=plan.infer_passes * len(found), steps=plan.infer_passes * batches)


@torch.inference_mode()
def predict(model: NeuMF, user: np.ndarray, item: np.ndarray, device: torch.device) -> torch.Tensor:
    model.eval()
    return torch.sigmoid(model(tensor(user, device), tensor(item, device)))


def scores(model: NeuMF, plan: ncf.Plan, data, device: torch.device) -> np.ndarray:
    return torch.cat([predict(model, user, item, device) for user, item in ncf.test_batches(plan, data)]).cpu().numpy()


def load_canonical(model: NeuMF, weights: dict[str, np.ndarray]):
    load_arrays(model, weights)


def forward(model: NeuMF, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"score": predict(model, inputs["user"], inputs["item"], torch.device("cpu")).numpy()}
