# SPDX-License-Identifier: Apache-2.0
"""Stands for a training script: takes any options, does a little work and emits events."""

import sys

import prengdl

with prengdl.span("load"):
    numbers = [number % 1000 for number in range(20_000)]
for epoch in prengdl.spans("epoch", range(1, 4)):
    with prengdl.span("train", epoch):
        total = sum(number * number for number in numbers * 2)
        prengdl.work("samples", len(numbers))
    prengdl.metric("accuracy", 0.8 + 0.05 * epoch, step=epoch)
prengdl.fact("python", sys.version.split()[0])
