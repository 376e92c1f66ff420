# SPDX-License-Identifier: Apache-2.0
"""The Python libraries behind one interface: begin(), end() -> joules of the package zones.

Each is used as its own documentation shows, with its defaults but for the interval. They are
imported only when asked for: each lives in another virtual environment.
"""
import re
import typing


class CodeCarbon:
    def __init__(self, out: str, interval: float | None):
        from codecarbon import OfflineEmissionsTracker
        given = {} if interval is None else {"measure_power_secs": interval}
        self.tracker = OfflineEmissionsTracker(
            country_iso_code="FRA", output_dir=out, save_to_file=False, log_level="error", **given)
        self.spans = 0

    def begin(self):
        self.tracker.start()

    def end(self) -> float:
        self.tracker.stop()
        return float(self.tracker.final_emissions_data.cpu_energy) * 3.6e6

    def span(self):
        self.spans += 1
        self.tracker.start_task(f"span {self.spans}")
        self.tracker.stop_task()


class PyJoules:
    def __init__(self, out: str, interval: float | None):
        from pyJoules.device import DeviceFactory
        from pyJoules.device.rapl_device import RaplDevice
        from pyJoules.energy_meter import EnergyMeter
        packages = RaplDevice.available_package_domains()
        self.meter = EnergyMeter(DeviceFactory.create_devices(packages))

    def begin(self):
        self.meter.start()

    def end(self) -> float:
        self.meter.stop()
        return sum(self.meter.get_trace()[0].energy.values()) * 1e-6

    def span(self):
        self.begin()
        self.end()


class PyRapl:
    def __init__(self, out: str, interval: float | None):
        import pyRAPL
        pyRAPL.setup(devices=[pyRAPL.Device.PKG])
        self.measurement = pyRAPL.Measurement("bench")

    def begin(self):
        self.measurement.begin()

    def end(self) -> float:
        self.measurement.end()
        return sum(self.measurement.result.pkg) * 1e-6

    def span(self):
        self.begin()
        self.measurement.end()


class Zeus:
    def __init__(self, out: str, interval: float | None):
        from zeus.monitor import ZeusMonitor
        self.monitor = ZeusMonitor(gpu_indices=[], approx_instant_energy=False)

    def begin(self):
        self.monitor.begin_window("bench")

    def end(self) -> float:
        return sum(self.monitor.end_window("bench").cpu_energy.values())

    def span(self):
        self.begin()
        self.end()


class CarbonTracker:
    """Its figure is one for all zones that it reads, package and DRAM."""

    def __init__(self, out: str, interval: float | None):
        from carbontracker.tracker import CarbonTracker as Tracker
        given = {} if interval is None else {"update_interval": interval}
        self.out = out
        self.tracker = Tracker(epochs=1, log_dir=out, verbose=0, components="cpu", **given)

    def begin(self):
        self.tracker.epoch_start()

    def end(self) -> float:
        from carbontracker import parser
        self.tracker.epoch_end()
        self.tracker.stop()
        # The energy before the multiplication by the data centre's overhead.
        cpu = parser.parse_all_logs(log_dir=self.out)[0]["components"]["cpu"]
        return float(re.findall(r"[-+.\deE]+", str(cpu["avg_energy_usages (J)"]))[0])


METERS: dict[str, type[typing.Any]] = {"codecarbon": CodeCarbon, "pyjoules": PyJoules, "pyrapl": PyRapl, "zeus": Zeus,
          "carbontracker": CarbonTracker}
