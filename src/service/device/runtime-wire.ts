import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { HostedError, HostedOverrun, HostedState, HostedStatus } from "#service/ports/device-host.ts";

const STATES = [
  "STARTING",
  "RUNNING",
  "NOT_CONFIGURED",
  "COMMUNICATION_FAILED",
  "OVERRUNNING",
  "QUARANTINED",
  "FAILED",
  "STOPPED",
] as const satisfies readonly HostedState[];
const MEANING =
  "NOT_CONFIGURED: it runs, and required configuration is missing. COMMUNICATION_FAILED: it runs, and cannot talk to its " +
  "peers; last_error says why. " +
  "OVERRUNNING: one activity has lasted for more than 10 s, since `since`, and everything else of the device waits. " +
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

const ACTIVITIES = ["main", "command", "configuration", "connection", "job"] as const;

const overrunSchema = strict("RuntimeOverrun", {
  activity: oneOf(ACTIVITIES, { description: "What lasts too long; main is the first run of the script." }),
  command: nullable(Type.String({ description: "The command whose handler it is." })),
  file: nullable(Type.String({ description: "Where it was when this was noticed." })),
  line: nullable(Type.Integer({ minimum: 1 })),
});

export const runtimeSchema = described("DeviceRuntime", "How the script or model of a device does.", {
  state: oneOf(STATES, { description: MEANING }),
  since: timestamp,
  start_count: Type.Integer({ minimum: 0, description: "Starts since the service was started." }),
  overrun: nullable(overrunSchema),
  last_error: nullable(errorSchema),
  restart_at: nullable(timestamp),
  memory_bytes: nullable(Type.Integer({ minimum: 0 })),
});

export function renderRuntime(status: HostedStatus): Static<typeof runtimeSchema> {
  return {
    state: status.state,
    since: renderInstant(status.since),
    start_count: status.startCount,
    overrun: status.overrun === undefined ? null : renderOverrun(status.overrun),
    last_error: status.lastError === undefined ? null : renderError(status.lastError),
    restart_at: status.restartAt === undefined ? null : renderInstant(status.restartAt),
    memory_bytes: status.memoryBytes ?? null,
  };
}

function renderOverrun({ activity, command, file, line }: HostedOverrun): Static<typeof overrunSchema> {
  return { activity, command: command ?? null, file: file ?? null, line: line ?? null };
}

function renderError({ message, file, line, at }: HostedError): Static<typeof errorSchema> {
  return { message, file: file ?? null, line: line ?? null, at: renderInstant(at) };
}
