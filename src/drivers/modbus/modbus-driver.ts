import type { Driver } from "#drivers/driver.ts";

export const modbusDriver: Driver = {
  name: "modbus",
  libraries: ["modbus", "sunspec"],
  opening: ["modbus.open", "modbus.map_open", "modbus.map_connect"],
  local: [],
  signatures: () => import("./signatures.ts"),
  connection: () => import("./connection.ts"),
  peer: () => import("./peer.ts"),
};
