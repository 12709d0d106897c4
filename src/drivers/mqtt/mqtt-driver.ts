import type { Driver } from "#drivers/driver.ts";

export const mqttDriver: Driver = {
  name: "mqtt",
  libraries: ["mqtt"],
  opening: ["mqtt.open"],
  local: ["mqtt.take", "mqtt.drops", "mqtt.is_connected"],
  signatures: () => import("./signatures.ts"),
  connection: () => import("./connection.ts"),
  peer: () => import("./peer.ts"),
};
