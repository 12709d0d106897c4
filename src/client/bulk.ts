import { listOf, listUnder } from "./list-of.ts";
import type { NewBulkCommand, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** One command for many devices. */
export function bulk({ perform }: Transport) {
  return {
    /** Answers at once; a repetition with the same key finds the first one. */
    create: (body: NewBulkCommand, { idempotencyKey }: { readonly idempotencyKey?: string | undefined } = {}) =>
      perform("createBulkCommand", { body, headers: { "Idempotency-Key": idempotencyKey } }),
    /** What would become of each device. Nothing is run. */
    dryRun: (body: NewBulkCommand) => perform("dryRunBulkCommand", { body }),
    list: listOf("bulks", (query: Queries["listBulkCommands"] = {}) => perform("listBulkCommands", { query })),
    get: (bulk_id: string) => perform("getBulkCommand", { params: { bulk_id } }),
    devices: listUnder("devices", (bulk_id: string, query: Queries["listBulkDevices"] = {}) =>
      perform("listBulkDevices", { params: { bulk_id }, query }),
    ),
    /** No further device begins, and what can be cancelled is. */
    cancel: (bulk_id: string) => perform("cancelBulkCommand", { params: { bulk_id } }),
  };
}
