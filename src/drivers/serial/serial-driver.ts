import type { Driver } from "#drivers/driver.ts";

export const serialDriver: Driver = {
  name: "serial",
  libraries: ["serial"],
  opening: [],
  local: ["serial.lock", "serial.unlock", "serial.flush"],
  signatures: () => import("./signatures.ts"),
  connection: () => import("./connection.ts"),
  peer: () => import("./peer.ts"),
};
