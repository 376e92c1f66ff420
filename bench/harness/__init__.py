# SPDX-License-Identifier: Apache-2.0
"""What bench/peers is made of: scenarios, tools, one run, figures, tables, limits."""
