import type { Driver } from "#drivers/driver.ts";

export const levelsDriver: Driver = {
  name: "levels",
  libraries: ["relay", "digitalin", "digitalout", "analogin", "analogout"],
  opening: [],
  local: [],
  signatures: () => import("./signatures.ts"),
  connection: () => import("./connection.ts"),
  peer: () => import("./peer.ts"),
};
