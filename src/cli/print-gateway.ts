// How people see gateways: in a table, one by one, and all of them in numbers.
import { printRecord, printTable } from "#cli/print.ts";
import type { Columns } from "#cli/table.ts";
import type { Fleet, Gateway, RefusedRecord, Uplink } from "#client/resources.ts";
import type { Cli } from "./cli.ts";

type Format = { readonly output?: string | undefined };

const stateOf = ({ revoked_at, connected }: Gateway) =>
  revoked_at !== null ? "revoked" : connected ? "connected" : "away";

/** What waits to be uploaded, in few words. The age is that of telemetry. */
export function backlogOf({ report }: Pick<Gateway, "report">): string {
  if (report === null) return "unknown";
  const { changes, messages, hours, history, age_seconds: age } = report.backlog;
  const parts = changes > 0 ? [count(changes, "change")] : [];
  if (messages + hours > 0) {
    parts.push(`${hours > 0 ? `${hours} h` : count(messages, "message")}, ${describeSeconds(age)} old`);
  }
  if (history) parts.push("stored history");
  return parts.length === 0 ? "none" : parts.join(", ");
}

export const GATEWAY_COLUMNS: Columns<Gateway> = {
  ID: (gateway) => gateway.id,
  NAME: (gateway) => gateway.name,
  STATE: stateOf,
  VERSION: (gateway) => gateway.version,
  BACKLOG: backlogOf,
  SITES: (gateway) => String(gateway.site_ids.length),
  "LAST SEEN": (gateway) => gateway.last_seen_at ?? "never",
};

export const WIDE_GATEWAY_COLUMNS: Columns<Gateway> = {
  REFUSED: (gateway) => String(gateway.refused_count),
  LOST: ({ report }) => (report === null ? "" : String(report.dropped.expired + report.dropped.unreadable)),
  CPU: ({ report }) => (report === null ? "" : `${report.cpu_percent} %`),
  MEMORY: ({ report }) => (report === null ? "" : describeBytes(report.memory_bytes)),
  "DISK FREE": ({ report }) => (report === null ? "" : describeBytes(report.disk_free_bytes)),
};

export async function printGateway(cli: Cli, format: Format, gateway: Gateway): Promise<void> {
  const { report } = gateway;
  const fields = {
    id: gateway.id,
    name: gateway.name,
    state: stateOf(gateway),
    version: gateway.version,
    "last seen": gateway.last_seen_at ?? "never",
    sites: gateway.site_ids.join(", "),
    device: gateway.device_id ?? "none yet",
    ...(gateway.granted_site_ids?.length && { "may take over": gateway.granted_site_ids.join(", ") }),
    ...(gateway.refused?.length && { refused: gateway.refused.map(describeRefused).join("\n") }),
    ...(report === null
      ? { reported: "nothing yet" }
      : {
          reported: report.at,
          backlog: `${backlogOf(gateway)}; ${count(report.backlog.points, "point")} in ${describeBytes(report.backlog.bytes)}`,
          lost: `${report.dropped.expired} expired, ${report.dropped.unreadable} unreadable`,
          load: `${report.cpu_percent} % of the main thread, ${describeBytes(report.memory_bytes)} of memory`,
          "disk free": describeBytes(report.disk_free_bytes),
          "running for": describeSeconds(report.uptime_seconds),
        }),
  };
  await printRecord(cli, format, { answer: gateway, fields });
}

export async function printFleet(cli: Cli, format: Format, fleet: Fleet): Promise<void> {
  const { backlog } = fleet;
  const fields = {
    gateways: String(fleet.gateways),
    connected: String(fleet.connected),
    away: String(fleet.away),
    revoked: String(fleet.revoked),
    "with backlog": String(fleet.with_backlog),
    "with losses": String(fleet.with_loss),
    backlog: `${backlog.changes} changes, ${backlog.points} points in ${describeBytes(backlog.bytes)}, ${backlog.hours} device-hours, the oldest ${describeSeconds(backlog.oldest_seconds)} old`,
  };
  await printRecord(cli, format, { answer: fleet, fields });
  if (format.output === undefined || format.output === "table") {
    const columns = {
      VERSION: ({ version }: Fleet["versions"][number]) => version,
      GATEWAYS: ({ gateways }: Fleet["versions"][number]) => String(gateways),
      CONNECTED: ({ connected }: Fleet["versions"][number]) => String(connected),
    };
    await printTable(cli, format, { answer: fleet.versions, rows: fleet.versions, columns });
  }
}

export function describeUplink(uplink: Uplink): string {
  const { url, gateway_id, connected, since, backlog, telemetry, dropped, refused, last_error } = uplink;
  return [
    `${connected ? "connected" : "not connected"} to ${url} since ${since}`,
    `gateway ${gateway_id}, ${count(backlog, "change")} to upload, ${describeTelemetry(telemetry)}`,
    ...(dropped.expired > 0
      ? [`${dropped.expired} device-hours or device-days expired before they were uploaded`]
      : []),
    ...(dropped.unreadable > 0 ? [`${dropped.unreadable} pieces of telemetry cannot be read`] : []),
    ...refused.map((record) => `the cloud refuses ${describeRefused(record)}`),
    ...(last_error === null ? [] : [`last error: ${last_error}`]),
  ].join("\n");
}

const describeRefused = ({ kind, id, reason }: RefusedRecord) => `${kind} ${id}: ${reason}`;

function describeTelemetry(telemetry: Uplink["telemetry"]): string {
  const { messages, points, bytes, hours, oldest_at, history_before } = telemetry;
  const parts = [`${count(messages, "message")} of telemetry`];
  if (messages > 0) parts.push(`${count(points, "point")} in ${describeBytes(bytes)}`);
  if (hours > 0) parts.push(count(hours, "hour"));
  if (oldest_at !== null) parts.push(`the oldest from ${oldest_at}`);
  // Until some of it is uploaded, this lies ahead: points of devices whose clock is ahead are stored, too.
  const isWhole = history_before !== null && Date.parse(history_before) > Date.now();
  if (history_before !== null)
    parts.push(isWhole ? "stored history not uploaded yet" : `history before ${history_before} not uploaded yet`);
  return parts.join(", ");
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;

function describeBytes(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), 4);
  const value = bytes / 1024 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${["B", "KiB", "MiB", "GiB", "TiB"][step]}`;
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
