import { refuse } from "#core/app-error.ts";

/** What only a cloud has. Refuses on a gateway. */
export function requireCloud<Part>(part: Part | undefined, rule = "gateways join a cloud"): Part {
  if (part === undefined) throw refuse("not_available", `this server is a gateway; ${rule}`);
  return part;
}
