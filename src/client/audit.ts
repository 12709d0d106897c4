import { listOf } from "./list-of.ts";
import type { Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

export function audit({ perform }: Transport) {
  return {
    list: listOf("entries", (query: Queries["listAudit"] = {}) => perform("listAudit", { query })),
  };
}
