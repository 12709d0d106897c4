import { renderInstant } from "#core/time/instant.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import type { Uplink } from "#service/link/uplink.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, strict, timestamp } from "#service/operation/wire.ts";
import type { SystemReader, SystemStatus } from "#service/ports/system-status.ts";

const tag = "System";
const counts = (description: string) =>
  Type.Unsafe<Readonly<Record<string, number>>>({
    type: "object",
    additionalProperties: { type: "integer" },
    description,
  });
const bytes = Type.Integer();

const systemSchema = described("System", "How the node that answered does.", {
  version: Type.String(),
  role: Type.String(),
  linked: Type.Boolean({ description: "Whether this gateway has joined a cloud: getUplink has more." }),
  started_at: timestamp,
  nodes: Type.Integer({ description: "How many nodes share the records, this one included." }),
  process: strict("SystemProcess", {
    node: Type.String({ description: "Version of Node.js." }),
    platform: Type.String(),
    memory_bytes: bytes,
    main_thread_busy: Type.Number({
      description: "Share of time, 0 to 1, in which the main thread worked since the figure was read before.",
    }),
    event_loop_delay_ms: Type.Number({ description: "How late timers were since then: 99 of 100 were not later." }),
    threads: nullable(
      Type.Array(strict("SystemThread", { name: Type.String(), count: Type.Integer(), cpu_seconds: Type.Number() }), {
        description: "Threads by name; null where the system does not provide them.",
      }),
    ),
  }),
  storage: strict("SystemStorage", {
    kind: Type.String({ description: "embedded or postgres." }),
    files: Type.Array(strict("SystemFile", { name: Type.String(), bytes })),
    free_bytes: Type.Integer({ description: "Free on the disk of the data folder." }),
    retention: Type.String({ description: "How long telemetry is kept where a site says nothing else." }),
  }),
  broker: strict("SystemBroker", {
    kind: Type.String({ description: "embedded or external." }),
    mqtt_port: nullable(Type.Integer()),
    mqtts_port: nullable(Type.Integer()),
    connections: nullable(Type.Integer({ description: "null with an external broker: only it knows." })),
  }),
  hosted_devices: counts("Devices that run in this process, scripts and models, by state."),
  telemetry_values: strict("SystemTelemetry", {
    kept: Type.Integer(),
    left_out: Type.Integer({ description: "They do not fit the blueprint." }),
  }),
  buffers: Type.Array(strict("SystemBuffer", { name: Type.String(), used_bytes: bytes, limit_bytes: bytes })),
  shares: Type.Array(
    strict("SystemShare", {
      name: Type.String(),
      inside: Type.Integer(),
      waiting: Type.Integer(),
      refused: Type.Integer(),
    }),
  ),
});

const lineSchema = strict("SystemLogLine", {
  at: timestamp,
  level: Type.String(),
  subject: nullable(Type.String()),
  message: Type.String(),
  details: Type.String({ description: "JSON." }),
});

export interface StatusNeeds {
  readonly about: { readonly version: string; readonly role: string };
  readonly system: SystemReader;
  /** Undefined in a cloud. */
  readonly uplink: Pick<Uplink, "status"> | undefined;
}

export function statusOperations({ system, about, uplink }: StatusNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/system",
      name: "getSystem",
      summary: "How the installation does",
      description:
        "Of the node that answers: version, threads, storage, broker, buffers and shares. docs/limits.md explains the names of buffers and shares. Takes a token for all sites.",
      tag,
      level: "owner",
      answer: Type.Object({ system: systemSchema }, { additionalProperties: false }),
      run: async ({ caller }) => {
        requireAllSites(caller);
        const linked = (await uplink?.status()) !== undefined;
        return { system: { version: about.version, role: about.role, linked, ...render(await system.status()) } };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/system/log",
      name: "getSystemLog",
      summary: "The latest lines of the service's own log",
      description: "Of the node that answers, since its start: the newest 300 of level info and above, newest first.",
      tag,
      level: "installer",
      answer: Type.Object({ lines: Type.Array(lineSchema) }, { additionalProperties: false }),
      run: async ({ caller }) => {
        requireAllSites(caller);
        return {
          lines: system
            .log()
            .map((line) => ({ ...line, subject: line.subject ?? null }))
            .reverse(),
        };
      },
    }),
  ];
}

function render(status: SystemStatus): Omit<Static<typeof systemSchema>, "version" | "role" | "linked"> {
  const { process, storage, broker, telemetry } = status;
  return {
    started_at: renderInstant(status.startedAt),
    nodes: status.nodes,
    process: {
      node: process.node,
      platform: process.platform,
      memory_bytes: process.memoryBytes,
      main_thread_busy: process.mainThreadBusy,
      event_loop_delay_ms: process.delayMs,
      threads:
        process.threads?.map(({ name, count, cpuSeconds }) => ({ name, count, cpu_seconds: cpuSeconds })) ?? null,
    },
    storage: {
      kind: storage.kind,
      files: [...storage.files],
      free_bytes: storage.freeBytes,
      retention: storage.retention,
    },
    broker: {
      kind: broker.kind,
      mqtt_port: broker.mqttPort ?? null,
      mqtts_port: broker.mqttsPort ?? null,
      connections: broker.connections ?? null,
    },
    hosted_devices: Object.fromEntries(status.hosted),
    telemetry_values: { kept: telemetry.kept, left_out: telemetry.leftOut },
    buffers: status.buffers.map(({ name, used, limit }) => ({ name, used_bytes: used(), limit_bytes: limit })),
    shares: [...status.shares].map(([name, { inside, waiting, refused }]) => ({ name, inside, waiting, refused })),
  };
}
