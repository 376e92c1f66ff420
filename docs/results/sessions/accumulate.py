# SPDX-License-Identifier: Apache-2.0
# The sum of loop.py without its multiplications: squares are sums of odd numbers, which itertools adds up.
from itertools import accumulate

print(sum(accumulate(range(1, 2 * 4_000_000 - 2, 2))))
