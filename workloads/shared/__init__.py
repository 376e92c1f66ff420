# SPDX-License-Identifier: Apache-2.0
"""What all frameworks share: presets, data in the same order from the same seed, quality measures."""
