import type { Query } from "#web/router/query.ts";
import { renderExecutionKey } from "./execution-key.ts";

/** Opens an execution over the screen that is shown; the filters of the screen stay. */
export function executionLink(
  query: Query,
  { device_id: device, id }: { readonly device_id: string; readonly id: string },
): string {
  return query.with({ execution: renderExecutionKey({ device, id }) });
}
