# SPDX-License-Identifier: Apache-2.0
total = 0
for number in range(200_000):
    total += number * number
print(total)
