// What the System screen says. Pure.
import type { Gateway, Site, System, Uplink } from "#client/resources.ts";
import type { Locale } from "#web/data/preferences.svelte.ts";
import { formatNumber } from "#web/i18n/format.ts";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export function formatBytes(bytes: number, locale: Locale): string {
  const step = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  return `${formatNumber(bytes / 1024 ** step, locale, step === 0 ? 0 : 1)} ${UNITS[step]}`;
}

export type Readiness = {
  readonly troubles: readonly { readonly part: string; readonly message: string }[];
  readonly underWay: readonly { readonly name: string; readonly percent: number }[];
};

/** What /readyz says; what has another form is left out. */
export function readReadiness(answer: Readonly<Record<string, unknown>>): Readiness {
  const list = (name: string) => (Array.isArray(answer[name]) ? (answer[name] as readonly unknown[]) : []);
  const record = (value: unknown) =>
    typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  return {
    troubles: list("degraded")
      .map(record)
      .map(({ part, message }) => ({ part: String(part), message: String(message) })),
    underWay: list("under_way")
      .map(record)
      .map(({ name, percent }) => ({ name: String(name), percent: Number(percent) || 0 })),
  };
}

export type Health = "good" | "degraded" | "busy";

/** Busy: the main thread works most of the time, or is late for what it has to do. */
export function healthOf(readiness: Readiness, system: System | undefined): Health {
  if (readiness.troubles.length > 0) return "degraded";
  const { main_thread_busy: busy = 0, event_loop_delay_ms: late = 0 } = system?.process ?? {};
  return busy > 0.8 || late > 250 ? "busy" : "good";
}

export type Use = {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  /** 0 to 100. */
  readonly percent: number;
};

/** The fullest first. */
export function buffersOf({ buffers }: Pick<System, "buffers">): readonly Use[] {
  return buffers
    .map(({ name, used_bytes: used, limit_bytes: limit }) => ({
      name,
      used,
      limit,
      percent: limit > 0 ? Math.min(100, (100 * used) / limit) : 0,
    }))
    .sort((a, b) => b.percent - a.percent || a.name.localeCompare(b.name));
}

/** Those where somebody waits or was refused first. */
export function sharesOf({ shares }: Pick<System, "shares">): System["shares"] {
  return [...shares].sort(
    (a, b) => b.waiting - a.waiting || b.refused - a.refused || b.inside - a.inside || a.name.localeCompare(b.name),
  );
}

/** `event_buffer` as people read it. */
export function spellName(name: string): string {
  return name.replaceAll("_", " ");
}

export type GatewayState = "connected" | "away" | "revoked";

/** Colours of the states; `t` has their words. */
export const GATEWAY_TONES = { connected: "ok", away: "error", revoked: "neutral" } as const;

export function gatewayState({
  connected,
  revoked_at: revokedAt,
}: Pick<Gateway, "connected" | "revoked_at">): GatewayState {
  if (revokedAt !== null) return "revoked";
  return connected ? "connected" : "away";
}

type Words = {
  readonly t: {
    readonly noBacklog: string;
    readonly storedHistory: string;
    readonly changesCount: (count: string) => string;
    readonly messagesCount: (count: string) => string;
    readonly hoursCount: (count: string) => string;
    readonly backlogText: (size: string, age: string) => string;
  };
  readonly number: (value: number) => string;
  readonly length: (ms: number) => string;
};

/** What a gateway had to upload when it reported last. The age is that of telemetry. */
export function formatBacklog(report: Gateway["report"], { t, number, length }: Words): string {
  if (report === null) return "";
  const { changes, messages, hours, history, age_seconds: age } = report.backlog;
  const parts = changes > 0 ? [t.changesCount(number(changes))] : [];
  if (messages + hours > 0) {
    const size = hours > 0 ? t.hoursCount(number(hours)) : t.messagesCount(number(messages));
    parts.push(t.backlogText(size, length(age * 1_000)));
  }
  if (history) parts.push(t.storedHistory);
  return parts.length === 0 ? t.noBacklog : parts.join(", ");
}

/**
 * Stored history that a gateway still has to upload: all of it, or what is before a time. Until some of it is uploaded, the time
 * lies ahead: points of devices whose clock is ahead are stored, too.
 */
export function historyLeft(
  { history_before: before }: Pick<Uplink["telemetry"], "history_before">,
  now: number,
): "all" | "none" | { readonly before: string } {
  if (before === null) return "none";
  return Date.parse(before) > now ? "all" : { before };
}

export type FleetSummary = {
  readonly all: number;
  readonly connected: number;
  /** The most common first. */
  readonly versions: readonly { readonly version: string; readonly count: number }[];
};

/** Without those whose access was revoked. */
export function summariseGateways(
  gateways: readonly Pick<Gateway, "connected" | "revoked_at" | "version">[],
): FleetSummary {
  const valid = gateways.filter(({ revoked_at: revokedAt }) => revokedAt === null);
  const counts = new Map<string, number>();
  for (const { version } of valid) counts.set(version, (counts.get(version) ?? 0) + 1);
  const versions = [...counts].map(([version, count]) => ({ version, count }));
  return {
    all: valid.length,
    connected: valid.filter(({ connected }) => connected).length,
    versions: versions.sort((a, b) => b.count - a.count || a.version.localeCompare(b.version)),
  };
}

export function siteNamesOf(
  { site_ids: ids }: Pick<Gateway, "site_ids">,
  sites: readonly Pick<Site, "id" | "name">[],
): string {
  return ids.map((id) => sites.find((site) => site.id === id)?.name ?? id).join(", ");
}
