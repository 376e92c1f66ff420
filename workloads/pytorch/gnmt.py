# SPDX-License-Identifier: Apache-2.0
"""GNMT in PyTorch: nn.LSTM layers, normalised Bahdanau attention, and the steps of the shared beam search."""

import math

import numpy as np
import prengdl
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from workloads.pytorch import common
from workloads.shared import gnmt as shared
from workloads.shared.data.wmt16 import PADDING
from workloads.shared.gnmt import Plan
from workloads.shared.job import Job


class NormalisedAttention(nn.Module):
    """Bahdanau's attention whose vector has a direction and, apart from it, a length that is learnt."""

    def __init__(self, width: int):
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.direction = nn.Parameter(torch.empty(width))
        self.scale = nn.Parameter(torch.empty(1))
        self.bias = nn.Parameter(torch.empty(width))

    def forward(self, queries, memory):
        """queries: batch x steps x width; memory: keys and values of the source, and where it is filling."""
        keys, values, filling = memory
        vector = self.direction / self.direction.norm() * self.scale
        together = torch.tanh(self.query(queries)[:, :, None] + keys[:, None] + self.bias)
        weights = (together @ vector).masked_fill(filling[:, None], float("-inf")).softmax(dim=-1)
        return weights @ values, weights


class GNMT(nn.Module):
    def __init__(self, plan: Plan):
        super().__init__()
        inputs = shared.lstm_inputs(plan)
        self.embedding = nn.Embedding(plan.vocabulary, plan.hidden)  # of both languages
        self.encoder = nn.ModuleList(
            nn.LSTM(inputs[f"encoder.{layer}"], plan.hidden, batch_first=True, bidirectional=layer == 0)
            for layer in range(plan.layers))
        self.attention = NormalisedAttention(plan.hidden)
        self.decoder = nn.ModuleList(
            nn.LSTM(inputs[f"decoder.{layer}"], plan.hidden, batch_first=True) for layer in range(plan.layers))
        self.classifier = nn.Linear(plan.hidden, plan.vocabulary)
        self.dropout = nn.Dropout(plan.dropout)
        for name, parameter in self.named_parameters():
            if name == "attention.scale":
                nn.init.constant_(parameter, 1 / math.sqrt(plan.hidden))
            elif name == "attention.bias":
                nn.init.zeros_(parameter)
            elif "bias_hh" in name:  # PyTorch adds two biases; one is kept out, so that both frameworks train the same
                nn.init.zeros_(parameter).requires_grad_(False)
            else:
                nn.init.uniform_(parameter, -plan.initial_range, plan.initial_range)

    def encode(self, source):
        filling = source == PADDING
        x = self.dropout(self.embedding(source))
        packed = pack_padded_sequence(x, (~filling).sum(dim=1).cpu(), batch_first=True, enforce_sorted=False)
        x, _ = pad_packed_sequence(self.encoder[0](packed)[0], batch_first=True, total_length=source.shape[1])
        x, _ = self.encoder[1](self.dropout(x))
        for layer in self.encoder[2:]:
            x = layer(self.dropout(x))[0] + x
        return self.attention.key(x), x, filling

    def decode(self, words, memory, states=None):
        """The scores of the words that follow, the attention, and the layers' states after the last word."""
        states = states or [None] * len(self.decoder)
        x, state = self.decoder[0](self.dropout(self.embedding(words)), states[0])
        context, weights = self.attention(x, memory)
        after = [state]
        for number, layer in enumerate(self.decoder[1:], start=1):
            y, state = layer(self.dropout(torch.cat([x, context], dim=-1)), states[number])
            x = y + x if number > 1 else y
            after.append(state)
        return self.classifier(x), weights, after

    def forward(self, source, target):
        return self.decode(target, self.encode(source))[0]


class Stepper:
    """One word after the other, for the shared beam search."""

    def __init__(self, model: GNMT, source: np.ndarray, beam: int, device: torch.device):
        self.model, self.device = model, device
        self.best = 2 * beam
        encoded = model.encode(common.tensor(source, device).long())
        self.memory = [part.repeat_interleave(beam, dim=0) for part in encoded]
        self.states = None

    @torch.inference_mode()
    def step(self, words: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self.states:
            rows = common.tensor(parents, self.device)
            self.states = [(h.index_select(1, rows), c.index_select(1, rows)) for h, c in self.states]
        logits, weights, self.states = self.model.decode(common.tensor(words, self.device)[:, None], self.memory,
                                                         self.states)
        logs, best = logits[:, 0].log_softmax(dim=-1).topk(self.best)
        return logs.cpu().numpy(), best.cpu().numpy(), weights[:, 0].cpu().numpy()


def build(plan: Plan) -> GNMT:
    return GNMT(plan)


parameters = common.parameters


def load_canonical(model: GNMT, weights: dict[str, np.ndarray]):
    second = {name: np.zeros(parameter.shape, np.float32) for name, parameter in model.named_parameters()
              if "bias_hh" in name}
    common.load_arrays(model, weights | second)


@torch.inference_mode()
def forward(model: GNMT, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The scores with the translation given, and those of its words one after the other."""
    model.eval()
    target = torch.from_numpy(inputs["target"]).long()
    logits = model(torch.from_numpy(inputs["source"]).long(), target)
    stepper = Stepper(model, inputs["source"], 1, torch.device("cpu"))
    rows = np.arange(len(target))
    stepped = [stepper.step(words, rows) for words in target.T.numpy()]
    return {"logits": logits.numpy(), "best": np.stack([logs for logs, _, _ in stepped]),
            "attention": np.stack([weights for _, _, weights in stepped])}


@torch.inference_mode()
def translate(model: GNMT, plan: Plan, batches, device: torch.device) -> shared.Translated:
    model.eval()
    return shared.translated(plan, batches, lambda source: Stepper(model, source, plan.beam, device))


def train(job: Job):
    device = common.ready(job)
    plan = job.plan
    corpus = shared.Corpus(job)
    tests = corpus.test_batches()
    model = build(plan).to(device)
    optimizer = common.optimizer(plan.optimizer, [p for p in model.parameters() if p.requires_grad], plan.learning_rate)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    step, tokens = 0, 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            model.train()
            total, words = torch.zeros((), device=device), 0
            for batch in corpus.batches(job.seed, epoch):
                common.set_learning_rate(optimizer, shared.rate(plan, step, plan.epochs * corpus.steps()))
                source, target, labels = (common.tensor(part, device).long() for part in batch[:3])
                logits = model(source, target)
                loss = functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=PADDING,
                                                label_smoothing=plan.smoothing, reduction="sum")
                optimizer.zero_grad()
                (loss / plan.batch).backward()
                nn.utils.clip_grad_norm_(model.parameters(), plan.clip)
                optimizer.step()
                total += loss.detach()
                words += int((batch.labels != PADDING).sum())
                tokens += batch.tokens
                step += 1
            prengdl.metric("loss", total.item() / words, step=epoch)
            with prengdl.span("eval", epoch):
                bleu = corpus.bleu(translate(model, plan, tests, device).lines)
            prengdl.metric("bleu", bleu, step=epoch)
            job.say(f"epoch {epoch}: loss {total.item() / words:.3f}, BLEU {bleu:.1f}")
    job.tell_facts(bleu_kind=corpus.bleu_kind())
    job.tell_work(steps=step, samples=step * plan.batch, tokens=tokens)
    with job.saving() as directory:
        common.save(model, directory)


def infer(job: Job):
    device = common.ready(job)
    plan = job.plan
    corpus = shared.Corpus(job)
    batches = corpus.test_batches()
    model = build(plan).to(device)
    common.load(model, job.saved(), device)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    with prengdl.span("warmup"):
        translate(model, plan, batches[: plan.warmup_batches], device)
    with prengdl.span("infer"):
        found = translate(model, plan, batches, device)
    bleu = corpus.bleu(found.lines)
    prengdl.metric("bleu", bleu)
    prengdl.metric("tokens_written", found.written)
    prengdl.metric("decoder_steps", found.steps)
    job.tell_facts(bleu_kind=corpus.bleu_kind())
    job.tell_work(steps=len(batches), samples=len(found.lines), inferences=len(found.lines), tokens=found.read)
    job.say(f"BLEU {bleu:.1f}")
