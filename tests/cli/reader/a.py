# SPDX-License-Identifier: Apache-2.0
print(sum(number * number for number in range(200_000)))
