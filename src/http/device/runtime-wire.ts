import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#http/schema.ts";
import { nullable, oneOf, strict, timestamp } from "#http/wire.ts";
import type { HostedError, HostedState, HostedStatus } from "#service/ports/device-host.ts";

const STATES = ["STARTING", "RUNNING", "QUARANTINED", "FAILED", "STOPPED"] as const satisfies readonly HostedState[];
const MEANING =
  "QUARANTINED: it broke a limit. FAILED: an error of its own ended it, or it could not be put together. " +
  "Both are tried again at restart_at. STOPPED: on purpose.";

const errorSchema = strict("RuntimeError", {
  message: Type.String({
    description: "As in the device's log. What a command's handler failed with is in its execution.",
  }),
  file: nullable(Type.String({ description: "Path inside the blueprint's package or the rock." })),
  line: nullable(Type.Integer({ minimum: 1 })),
  at: timestamp,
});

export const runtimeSchema = strict("DeviceRuntime", {
  state: oneOf(STATES, { description: MEANING }),
  since: timestamp,
  start_count: Type.Integer({ minimum: 0, description: "Starts since the service was started." }),
  last_error: nullable(errorSchema),
  restart_at: nullable(timestamp),
  memory_bytes: nullable(Type.Integer({ minimum: 0 })),
});

export function renderRuntime(status: HostedStatus): Static<typeof runtimeSchema> {
  return {
    state: status.state,
    since: renderInstant(status.since),
    start_count: status.startCount,
    last_error: status.lastError === undefined ? null : renderError(status.lastError),
    restart_at: status.restartAt === undefined ? null : renderInstant(status.restartAt),
    memory_bytes: status.memoryBytes ?? null,
  };
}

function renderError({ message, file, line, at }: HostedError): Static<typeof errorSchema> {
  return { message, file: file ?? null, line: line ?? null, at: renderInstant(at) };
}
