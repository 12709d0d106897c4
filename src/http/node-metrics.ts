// What this process counts by itself.
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import type { Shares } from "#core/share/shares.ts";
import type { ReadMetric } from "#http/add-metrics.ts";
import type { ChoreHealth } from "#service/chore-health.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { Backups } from "#service/ports/backups.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import type { TelemetryCounter } from "#service/telemetry/telemetry-counts.ts";
import type { Troubles } from "#service/troubles.ts";

export interface NodeMetricsNeeds {
  /** Whose states are counted. */
  readonly hosts: Pick<DeviceHost, "states" | "overruns">;
  readonly telemetryCounter: Pick<TelemetryCounter, "read">;
  readonly dispatcher: Pick<CommandDispatcher, "dropped">;
  readonly budgets: Pick<ByteBudgets, "list">;
  readonly troubles: Pick<Troubles, "list" | "counts">;
  readonly choreHealth: Pick<ChoreHealth, "failures">;
  readonly shares: Pick<Shares, "list">;
  readonly backups: Pick<Backups, "last">;
}

export const NODE_METRICS: readonly ReadMetric<NodeMetricsNeeds>[] = [
  {
    name: "busbar_hosted_devices",
    help: "Devices that run in this process, scripts and models, by state.",
    label: "state",
    read: ({ hosts }) => Array.from(hosts.states(), (state) => [1, state]),
  },
  {
    name: "busbar_script_overruns_total",
    help: "Jobs, command handlers and other activities of scripts that lasted for more than 10 s.",
    isCounter: true,
    read: ({ hosts }) => [[hosts.overruns()]],
  },
  {
    name: "busbar_telemetry_values_total",
    help: "Telemetry values that devices sent, by whether they were kept or left out because they do not fit the blueprint.",
    label: "outcome",
    isCounter: true,
    read: ({ telemetryCounter }) => {
      const { kept, leftOut } = telemetryCounter.read();
      return [
        [kept, "kept"],
        [leftOut, "left_out"],
      ];
    },
  },
  {
    name: "busbar_dropped_responses_total",
    help: "Responses of devices that were dropped, by state: they came after the end of their execution, twice, or for no execution of the device.",
    label: "state",
    isCounter: true,
    read: ({ dispatcher }) => counts(dispatcher.dropped()),
  },
  {
    name: "busbar_buffer_bytes",
    help: "Bytes that each buffer, queue and cache holds.",
    label: "buffer",
    read: ({ budgets }) => Array.from(budgets.list(), ({ name, used }) => [used(), name]),
  },
  {
    name: "busbar_buffer_limit_bytes",
    help: "The most bytes that each buffer, queue and cache may hold.",
    label: "buffer",
    read: ({ budgets }) => Array.from(budgets.list(), ({ name, limit }) => [limit, name]),
  },
  {
    name: "busbar_troubles",
    help: "What does not work while the rest serves, by part; /readyz says what it is.",
    label: "part",
    read: ({ troubles }) => Array.from(troubles.list(), ({ part }) => [1, part]),
  },
  {
    name: "busbar_troubles_total",
    help: "How often each part was found not to work since the start; errors that nobody handled are of the part program.",
    label: "part",
    isCounter: true,
    read: ({ troubles }) => counts(troubles.counts()),
  },
  {
    name: "busbar_chore_failures_total",
    help: "Rounds of recurring work that failed since the start, by the work: deleting what is old, for example.",
    label: "chore",
    isCounter: true,
    read: ({ choreHealth }) => counts(choreHealth.failures()),
  },
  {
    name: "busbar_last_backup_timestamp_seconds",
    help: "When the last complete backup was begun, in Unix seconds; 0 if there is none.",
    read: ({ backups }) => [[(backups.last()?.at ?? 0) / 1000]],
  },
  {
    name: "busbar_last_backup_bytes",
    help: "The size of the last complete backup.",
    read: ({ backups }) => [[backups.last()?.bytes ?? 0]],
  },
  {
    name: "busbar_share_inside",
    help: "How many use each share now.",
    label: "share",
    read: ({ shares }) => Array.from(shares.list(), ([share, { inside }]) => [inside, share]),
  },
  {
    name: "busbar_share_waiting",
    help: "How many wait for their turn in each share.",
    label: "share",
    read: ({ shares }) => Array.from(shares.list(), ([share, { waiting }]) => [waiting, share]),
  },
  {
    name: "busbar_share_refused_total",
    help: "How many each share has refused since the start.",
    label: "share",
    isCounter: true,
    read: ({ shares }) => Array.from(shares.list(), ([share, { refused }]) => [refused, share]),
  },
];

function counts(by: Iterable<readonly [label: string, count: number]>): readonly (readonly [number, string])[] {
  return Array.from(by, ([label, count]) => [count, label]);
}
