# SPDX-License-Identifier: Apache-2.0
"""The models of the studies, each written natively in every framework (docs/workloads.md)."""
