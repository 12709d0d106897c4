// All ready controllers, in the order in which people see them. A new one is a file and a line here.
import { batteryReserve } from "./battery-reserve.ts";
import { cheapHours } from "./cheap-hours.ts";
import type { Controller } from "./controller.ts";
import { dailyReport } from "./daily-report.ts";
import { electrolyserOnSun } from "./electrolyser-on-sun.ts";
import { exportLimit } from "./export-limit.ts";
import { heaterOnSun } from "./heater-on-sun.ts";
import { loadShedding } from "./load-shedding.ts";
import { peakLimit } from "./peak-limit.ts";
import { selfConsumption } from "./self-consumption.ts";
import { stormReserve } from "./storm-reserve.ts";
import { surplusCharging } from "./surplus-charging.ts";

export const CONTROLLERS: readonly Controller[] = [
  surplusCharging,
  selfConsumption,
  peakLimit,
  cheapHours,
  heaterOnSun,
  electrolyserOnSun,
  batteryReserve,
  stormReserve,
  exportLimit,
  loadShedding,
  dailyReport,
];

export const controllerOf = (id: string): Controller | undefined => CONTROLLERS.find((one) => one.id === id);
