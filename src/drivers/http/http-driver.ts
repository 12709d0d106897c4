import type { Driver } from "#drivers/driver.ts";

export const httpDriver: Driver = {
  name: "http",
  libraries: ["http"],
  opening: [],
  local: [],
  // In core, because scripts of rules have it, too.
  signatures: () => import("#core/lua/host/http-signatures.ts"),
  connection: () => import("./connection.ts"),
  peer: () => import("./peer.ts"),
};
