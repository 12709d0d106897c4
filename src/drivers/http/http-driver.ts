import type { Driver } from "#drivers/driver.ts";

export const httpDriver: Driver = {
  name: "http",
  libraries: ["http"],
  opening: [],
  local: [],
  signatures: () => import("./signatures.ts"),
  connection: () => import("./connection.ts"),
  peer: () => import("./peer.ts"),
};
