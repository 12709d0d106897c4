import { canDriver } from "./can/can-driver.ts";
import type { Driver } from "./driver.ts";
import { httpDriver } from "./http/http-driver.ts";
import { levelsDriver } from "./levels/levels-driver.ts";
import { modbusDriver } from "./modbus/modbus-driver.ts";
import { mqttDriver } from "./mqtt/mqtt-driver.ts";
import { serialDriver } from "./serial/serial-driver.ts";

/** In the order of the documentation. */
export const ALL_DRIVERS: readonly Driver[] = [
  modbusDriver,
  httpDriver,
  serialDriver,
  canDriver,
  levelsDriver,
  mqttDriver,
];
