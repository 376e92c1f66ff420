# SPDX-License-Identifier: Apache-2.0
# A sum of squares as one would write it first.
total = 0
for number in range(4_000_000):
    total += number * number
print(total)
