import type { Driver } from "#drivers/driver.ts";

export const canDriver: Driver = {
  name: "can",
  libraries: ["can"],
  opening: [],
  local: ["can.listen", "can.log", "can.take", "can.take_log", "can.drops"],
  signatures: () => import("./signatures.ts"),
  connection: () => import("./connection.ts"),
  peer: () => import("./peer.ts"),
};
