# SPDX-License-Identifier: Apache-2.0
"""Writes seeded text in the format of WikiText-103.

Each article has a topic with its own nouns, verbs and adjectives. Its title names a subject to which the text
returns. A noun occurs with a few verbs and adjectives only. A model therefore gains from the previous word, from the
sentence and from earlier segments: the memory of Transformer-XL has something to remember.
"""

import dataclasses
from pathlib import Path

import numpy as np

from workloads.shared.data.wikitext import PARTS, UNKNOWN, file_of
from workloads.shared.data.words import falling, invented

TOPICS = 6
SEED = 20220522  # of the text: the same for every run; a job's seed is that of weights and order


@dataclasses.dataclass
class Topic:
    nouns: list[str]
    verbs: dict[str, list[str]]  # of each noun
    adjectives: dict[str, list[str]]


def generate(directory: Path, articles: int):
    """The three files, with a tenth of the articles each for validation and test."""
    random = np.random.default_rng(SEED)
    topics = [invented_topic(random) for _ in range(TOPICS)]
    known = None  # the words of the training text
    for part in PARTS:
        count = articles if part == "train" else max(2, articles // 10)
        lines = [line.split() for _ in range(count) for line in article(random, topics)]
        if known is None:
            known = {word for line in lines for word in line}
        texts = [" ".join(word if word in known else UNKNOWN for word in line) for line in lines]
        # Published files end every line so, and begin with an empty one.
        file_of(directory, part).write_text("".join(f" {line} \n" if line else " \n" for line in texts), "utf-8")


def invented_topic(random: np.random.Generator) -> Topic:
    nouns, verbs, adjectives = invented(random, 40), invented(random, 16), invented(random, 16)
    return Topic(
        nouns,
        {noun: list(random.choice(verbs, 2, replace=False)) for noun in nouns},
        {noun: list(random.choice(adjectives, 2, replace=False)) for noun in nouns},
    )


def article(random: np.random.Generator, topics: list[Topic]) -> list[str]:
    topic = topics[random.integers(len(topics))]
    subject = topic.nouns[random.choice(len(topic.nouns), p=falling(len(topic.nouns)))]
    lines = ["", f"= {subject.capitalize()} =", ""]
    for section in range(int(random.integers(2, 4))):
        if section:
            lines += ["", f"= = {topic.nouns[random.integers(len(topic.nouns))].capitalize()} = =", ""]
        for _ in range(int(random.integers(1, 4))):
            lines.append(" ".join(sentence(random, topic, subject) for _ in range(int(random.integers(3, 7)))))
    return lines


def sentence(random: np.random.Generator, topic: Topic, subject: str) -> str:
    first = subject if random.random() < 0.5 else noun_of(random, topic)
    second = noun_of(random, topic)
    words = ["The", *described(random, topic, first), str(random.choice(topic.verbs[first]))]
    words += ["the", *described(random, topic, second)]
    if random.random() < 0.3:
        words += ["of", "the", subject]
    if random.random() < 0.2:
        words += [",", "and", str(random.choice(topic.verbs[first])), "the", noun_of(random, topic)]
    # What was too rare for the published vocabulary.
    words = [UNKNOWN if index and random.random() < 0.01 else word for index, word in enumerate(words)]
    return " ".join([*words, "."])


def noun_of(random: np.random.Generator, topic: Topic) -> str:
    return topic.nouns[random.choice(len(topic.nouns), p=falling(len(topic.nouns)))]


def described(random: np.random.Generator, topic: Topic, noun: str) -> list[str]:
    return [str(random.choice(topic.adjectives[noun])), noun] if random.random() < 0.4 else [noun]
