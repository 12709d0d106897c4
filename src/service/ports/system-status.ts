// What a running installation can say about itself.
import type { BufferUse } from "#core/share/byte-budgets.ts";
import type { ShareUse } from "#core/share/shares.ts";
import type { Instant } from "#core/time/instant.ts";

export interface ThreadUse {
  readonly name: string;
  /** Threads of one name are one entry. */
  readonly count: number;
  /** Processor time since the start. */
  readonly cpuSeconds: number;
}

export interface SystemStatus {
  readonly startedAt: Instant;
  /** How many nodes share the records, this one included. */
  readonly nodes: number;
  readonly process: {
    readonly node: string;
    readonly platform: string;
    readonly memoryBytes: number;
    /** Share of time, 0 to 1, in which the main thread worked since it was asked the time before. */
    readonly mainThreadBusy: number;
    /** How late timers of the main thread were since then: 99 of 100 were not later. */
    readonly delayMs: number;
    /** Undefined where the system does not report it. */
    readonly threads: readonly ThreadUse[] | undefined;
  };
  readonly storage: {
    readonly kind: "embedded" | "postgres";
    /** Files of the embedded stores. */
    readonly files: readonly { readonly name: string; readonly bytes: number }[];
    /** Free on the disk of the data folder. */
    readonly freeBytes: number;
    readonly retention: string;
  };
  readonly broker: {
    readonly kind: "embedded" | "external";
    /** Undefined where nothing listens. */
    readonly mqttPort: number | undefined;
    readonly mqttsPort: number | undefined;
    /** Undefined with an outside broker: only it knows. */
    readonly connections: number | undefined;
  };
  /** Devices that run in this process, by state. */
  readonly hosted: ReadonlyMap<string, number>;
  /** Values of devices since the start. */
  readonly telemetry: { readonly kept: number; readonly leftOut: number };
  readonly buffers: readonly BufferUse[];
  readonly shares: Iterable<readonly [name: string, use: ShareUse]>;
}

/** A line of the program's own log, without secrets. */
interface LogLine {
  readonly at: string;
  readonly level: string;
  readonly subject: string | undefined;
  readonly message: string;
  /** JSON. */
  readonly details: string;
}

export interface SystemReader {
  status(): Promise<SystemStatus>;
  /** The newest lines, newest last. */
  log(): readonly LogLine[];
}
