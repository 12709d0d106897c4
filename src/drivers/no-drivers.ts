import type { Drivers } from "./drivers.ts";

/** For scripts that reach nothing outside. */
export const noDrivers: Drivers = {
  call: (name) => Promise.resolve([undefined, `no driver for ${name}`]),
  close() {},
};
