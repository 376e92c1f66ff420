# SPDX-License-Identifier: Apache-2.0
"""Transformer-XL in PyTorch: layers with a memory, relative positions, a softmax tied to the embedding."""

import math

import numpy as np
import prengdl
import torch
from torch import nn
from torch.nn import functional

from workloads.pytorch import common
from workloads.shared import transformer_xl as shared
from workloads.shared.job import Job
from workloads.shared.transformer_xl import Plan


class Layer(nn.Module):
    """Attention to the memory and the segment, then two dense layers; each is added to its input, then normalised."""

    def __init__(self, plan: Plan):
        super().__init__()
        inner = plan.heads * plan.head_width
        self.heads, self.head_width = plan.heads, plan.head_width
        self.query = nn.Linear(plan.width, inner, bias=False)
        self.key_value = nn.Linear(plan.width, 2 * inner, bias=False)
        self.position = nn.Linear(plan.width, inner, bias=False)
        self.project = nn.Linear(inner, plan.width, bias=False)
        self.attention_norm = nn.LayerNorm(plan.width, eps=1e-5)
        self.expand = nn.Linear(plan.width, plan.inner_width)
        self.contract = nn.Linear(plan.inner_width, plan.width)
        self.inner_norm = nn.LayerNorm(plan.width, eps=1e-5)
        self.dropout = nn.Dropout(plan.dropout)

    def forward(self, x, memory, positions, hidden, content_bias, position_bias):
        x = self.attention_norm(x + self.dropout(self.attend(x, memory, positions, hidden, content_bias,
                                                             position_bias)))
        inner = self.dropout(functional.relu(self.expand(x)))
        return self.inner_norm(x + self.dropout(self.contract(inner)))

    def attend(self, x, memory, positions, hidden, content_bias, position_bias):
        query = self.split(self.query(x))
        key, value = self.key_value(torch.cat([memory, x], dim=1)).chunk(2, dim=-1)
        by_content = (query + content_bias) @ self.split(key).transpose(-1, -2)
        position = self.split(self.position(positions)[None])
        by_position = shifted((query + position_bias) @ position.transpose(-1, -2))
        scores = (by_content + by_position) / math.sqrt(self.head_width)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        return self.project((weights @ self.split(value)).transpose(1, 2).flatten(2))

    def split(self, x):
        """batch x length x all heads -> batch x heads x length x head"""
        return x.unflatten(2, (self.heads, self.head_width)).transpose(1, 2)


def shifted(scores):
    """Row i of the scores begins with the distance that is right for the last row; this moves it to its own."""
    batch, heads, rows, columns = scores.shape
    padded = functional.pad(scores, (1, 0)).view(batch, heads, columns + 1, rows)
    return padded[:, :, 1:].reshape(batch, heads, rows, columns)


class TiedAdaptiveSoftmax(nn.Module):
    """The loss of each word. Frequent words are in the head with one entry for each cluster of rarer words; a
    cluster is computed only for the words that are in it. The weights are the rows of the embedding."""

    def __init__(self, plan: Plan):
        super().__init__()
        self.cutoffs = [*plan.cutoffs, plan.vocabulary]
        self.bias = nn.Parameter(torch.zeros(plan.vocabulary))
        self.cluster_weight = nn.Parameter(torch.empty(len(plan.cutoffs), plan.width))
        self.cluster_bias = nn.Parameter(torch.zeros(len(plan.cutoffs)))

    def forward(self, hidden, targets, table):
        frequent = self.cutoffs[0]
        head = functional.linear(hidden, torch.cat([table[:frequent], self.cluster_weight]),
                                 torch.cat([self.bias[:frequent], self.cluster_bias])).log_softmax(dim=-1)
        cluster = torch.bucketize(targets, torch.tensor(self.cutoffs, device=targets.device), right=True)
        entry = torch.where(cluster == 0, targets, frequent + cluster - 1)
        loss = -head.gather(1, entry[:, None])[:, 0]
        for number, (low, high) in enumerate(zip(self.cutoffs, self.cutoffs[1:]), start=1):
            rows = (cluster == number).nonzero()[:, 0]
            logits = functional.linear(hidden[rows], table[low:high], self.bias[low:high])
            loss = loss.index_add(0, rows, functional.cross_entropy(logits, targets[rows] - low, reduction="none"))
        return loss


class TransformerXL(nn.Module):
    def __init__(self, plan: Plan):
        super().__init__()
        self.plan = plan
        self.embedding = nn.Embedding(plan.vocabulary, plan.width)
        self.content_bias = nn.Parameter(torch.empty(plan.heads, 1, plan.head_width))
        self.position_bias = nn.Parameter(torch.empty(plan.heads, 1, plan.head_width))
        self.layers = nn.ModuleList(Layer(plan) for _ in range(plan.layers))
        self.softmax = TiedAdaptiveSoftmax(plan)
        self.dropout = nn.Dropout(plan.dropout)
        for name, parameter in self.named_parameters():
            if name.endswith("norm.weight"):
                nn.init.ones_(parameter)
            elif name.endswith("bias") and name not in ("content_bias", "position_bias"):
                nn.init.zeros_(parameter)
            else:
                nn.init.normal_(parameter, 0.0, plan.initial_deviation)
        for training, name in ((True, "training"), (False, "evaluation")):
            for part, array in shared.layout(plan, training)._asdict().items():
                self.register_buffer(f"{name}_{part}", torch.from_numpy(array), persistent=False)

    def forward(self, inputs, targets, memory):
        """The loss of each word (batch x length), and the memory for the segment that follows."""
        positions = self.training_positions if self.training else self.evaluation_positions
        hidden = self.training_hidden if self.training else self.evaluation_hidden
        x = self.dropout(self.embedding(inputs) * math.sqrt(self.plan.width))
        positions = self.dropout(positions)
        kept = []
        for layer, past in zip(self.layers, memory):
            kept.append(torch.cat([past, x.detach()], dim=1)[:, -past.shape[1]:])
            x = layer(x, past, positions, hidden, self.content_bias, self.position_bias)
        x = self.dropout(x)
        loss = self.softmax(x.flatten(0, 1), targets.flatten(), self.embedding.weight)
        return loss.view(targets.shape), kept

    def empty_memory(self, batch: int) -> list[torch.Tensor]:
        """Zeros of the full length, so that every segment costs the same."""
        length = self.plan.memory_length if self.training else self.plan.evaluation_memory_length
        return [torch.zeros(batch, length, self.plan.width, device=self.content_bias.device)
                for _ in range(self.plan.layers)]


def build(plan: Plan) -> TransformerXL:
    return TransformerXL(plan)


parameters = common.parameters
load_canonical = common.load_arrays


@torch.inference_mode()
def forward(model: TransformerXL, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    model.eval()
    memory = model.empty_memory(inputs["inputs"].shape[1])
    losses = []
    for words, targets in zip(inputs["inputs"], inputs["targets"]):
        loss, memory = model(torch.from_numpy(words), torch.from_numpy(targets), memory)
        losses.append(loss.numpy())
    return {"loss": np.stack(losses), "memory": memory[-1].numpy()}


@torch.inference_mode()
def evaluate(model: TransformerXL, segments: list[shared.Segment], device: torch.device) -> float:
    """The mean loss of a word."""
    model.eval()
    memory = model.empty_memory(segments[0].inputs.shape[0])
    total, count = torch.zeros((), device=device), 0
    for segment in segments:
        loss, memory = model(*on_device(segment, device), memory)
        total += loss[:, : segment.valid].sum()
        count += segment.valid * len(segment.inputs)
    return total.item() / count


def on_device(segment: shared.Segment, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    return common.tensor(segment.inputs, device).long(), common.tensor(segment.targets, device).long()


def train(job: Job):
    device = common.ready(job)
    plan = job.plan
    words = shared.words(job)
    segments = shared.training_segments(plan, words["train"])
    validation = shared.evaluation_segments(plan, words["valid"])
    model = build(plan).to(device)
    optimizer = common.optimizer(plan.optimizer, model.parameters(), plan.learning_rate)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    step = 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            model.train()
            memory = model.empty_memory(plan.batch)
            total = torch.zeros((), device=device)
            for segment in segments:
                common.set_learning_rate(optimizer, shared.rate(plan, step, plan.epochs * len(segments)))
                loss, memory = model(*on_device(segment, device), memory)
                loss = loss.mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), plan.clip)
                optimizer.step()
                total += loss.detach()
                step += 1
            prengdl.metric("loss", total.item() / len(segments), step=epoch)
            with prengdl.span("eval", epoch):
                perplexity = shared.perplexity(evaluate(model, validation, device))
            prengdl.metric("perplexity", perplexity, step=epoch)
            job.say(f"epoch {epoch}: loss {total.item() / len(segments):.3f}, perplexity {perplexity:.1f}")
    job.tell_work(steps=step, samples=step * plan.batch, tokens=step * plan.batch * plan.target_length)
    with job.saving() as directory:
        common.save(model, directory)


def infer(job: Job):
    device = common.ready(job)
    plan = job.plan
    segments = shared.evaluation_segments(plan, shared.words(job)["test"])
    model = build(plan).to(device)
    common.load(model, job.saved(), device)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    with prengdl.span("warmup"):
        evaluate(model, segments[: plan.warmup_batches], device)
    with prengdl.span("infer"):
        loss = evaluate(model, segments, device)
    prengdl.metric("loss", loss)
    prengdl.metric("perplexity", shared.perplexity(loss))
    samples = len(segments) * plan.evaluation_batch
    job.tell_work(steps=len(segments), samples=samples, inferences=samples,
                  tokens=sum(segment.valid for segment in segments) * plan.evaluation_batch)
    job.say(f"loss {loss:.3f}, perplexity {shared.perplexity(loss):.1f}")
