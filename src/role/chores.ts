// Periodic work in the background.
import type { Logger } from "pino";
import type { Config } from "#config";
import { ANONYMOUS_REFUSAL_LIFETIME_MS, KEPT_REFUSALS } from "#core/access/refusal-limits.ts";
import type { ClockWatch } from "#core/time/clock-watch.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import { instant } from "#core/time/instant.ts";
import { DELIVERY_RETENTION_MS } from "#core/webhook/webhook-limits.ts";
import { diskOf } from "#role/disk-of.ts";
import type { StorageGuard } from "#role/guard-storage.ts";
import type { HttpCertificate } from "#role/http-certificate.ts";
import type { RunningSettings } from "#role/live-settings.ts";
import { type Chore, repeat } from "#role/repeat.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { RefusalLog } from "#service/access/refusal-log.ts";
import type { Sessions } from "#service/access/sessions.ts";
import type { RolloutRunner } from "#service/blueprint/advance-rollouts.ts";
import type { ChoreHealth } from "#service/chore-health.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { DeviceLog } from "#service/device/device-log.ts";
import type { Links } from "#service/link/links.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import { enforceRetention, type RetentionNeeds } from "#service/telemetry/enforce-retention.ts";
import { limitTelemetry } from "#service/telemetry/limit-size.ts";

/** Work on the records: where several nodes share them, one node does it. */
interface SharedChore extends Chore {
  readonly isShared?: true;
}

interface ChoreNeeds
  extends Pick<
      Needs,
      | "audit"
      | "executions"
      | "deviceLogs"
      | "alerts"
      | "webhooks"
      | "outbox"
      | "sessions"
      | "changes"
      | "uplinks"
      | "now"
    >,
    RetentionNeeds {
  readonly authenticator: Authenticator;
  readonly openSessions: Pick<Sessions, "flushUses">;
  readonly refusals: RefusalLog;
  readonly clock: ClockWatch;
  readonly connectivity: Connectivity;
  readonly dispatcher: Pick<CommandDispatcher, "endOverdue">;
  readonly nodes: Pick<Nodes, "isShared" | "claim" | "tell">;
  readonly deviceLog: Pick<DeviceLog, "tellLeftOut">;
  readonly log: Logger;
  readonly choreHealth: ChoreHealth;
  readonly storage: Pick<StorageGuard, "look">;
  readonly backups: { runDue(): Promise<void> };
  readonly rolloutRunner: RolloutRunner;
  readonly liveSettings: Pick<RunningSettings, "config">;
  /** Undefined without TLS. */
  readonly certificate: Pick<HttpCertificate, "look"> | undefined;
  /** Undefined where no gateways connect. */
  readonly links: Pick<Links, "sweep"> | undefined;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** How long a listener may be away and resume. */
const EVENT_RETENTION_MS = 24 * 60 * MINUTE;

const CHANGE_RETENTION_MS = 30 * 24 * 60 * MINUTE;

export function startChores(needs: ChoreNeeds, config: Config): { stop(): Promise<void> } {
  const running = listChores(needs, config).map((chore) => {
    const { name, task, isShared = false } = chore;
    return repeat(needs, isShared ? { ...chore, task: () => asOne(needs.nodes, name, task) } : chore);
  });
  return {
    async stop() {
      await Promise.all(running.map((chore) => chore.stop()));
    },
  };
}

function listChores(needs: ChoreNeeds, config: Config): readonly SharedChore[] {
  // Deletion cannot be undone, so a clock that was set forward is not trusted at once.
  const earliest = () => needs.clock.earliest();
  const live = needs.liveSettings.config;
  const ago = (ms: number) => instant(earliest() - ms);
  return [
    { name: "look after the disk", everyMs: SECOND, task: () => needs.storage.look() },
    { name: "watch the clock", everyMs: SECOND, task: async () => void needs.clock.check() },
    { name: "notice silent devices", everyMs: SECOND, task: async () => needs.connectivity.sweep() },
    { name: "note refused calls", everyMs: SECOND, task: () => needs.refusals.flush() },
    { name: "note token uses", everyMs: 15 * SECOND, task: () => needs.authenticator.flushUses() },
    { name: "find gateways whose node has ended", everyMs: 5 * SECOND, task: async () => await needs.links?.sweep() },
    { name: "look for a new certificate", everyMs: 5 * SECOND, task: async () => await needs.certificate?.look() },
    { name: "make the scheduled backup", everyMs: 10 * SECOND, task: () => needs.backups.runDue() },
    { name: "advance roll-outs", isShared: true, everyMs: SECOND, task: () => needs.rolloutRunner.advance() },
    { name: "note session uses", everyMs: 15 * SECOND, task: () => needs.openSessions.flushUses() },
    {
      name: "prune ended sessions",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () =>
        untilDone(() =>
          needs.sessions.prune({ expiredAt: earliest(), idleSince: ago(toMilliseconds(config.sessions.idle)) }),
        ),
    },
    {
      name: "sweep executions",
      everyMs: MINUTE,
      isShared: true,
      task: () => untilDone(() => needs.executions.sweep(earliest())),
    },
    { name: "tell what device logs leave out", everyMs: 10 * SECOND, task: () => needs.deviceLog.tellLeftOut() },
    {
      name: "prune device logs",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () =>
        untilDone(() =>
          needs.deviceLogs.prune({
            persistedBefore: ago(toMilliseconds(live().logs.retention)),
            temporaryBefore: ago(toMilliseconds(live().logs.temporaryRetention)),
          }),
        ),
    },
    {
      name: "prune past alerts",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => needs.alerts.prune(ago(toMilliseconds(live().alerts.retention)))),
    },
    {
      name: "prune webhook deliveries",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => needs.webhooks.prune(ago(DELIVERY_RETENTION_MS))),
    },
    {
      name: "prune changes that gateways have settled",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => needs.changes.prune(ago(CHANGE_RETENTION_MS))),
    },
    {
      name: "prune events",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => needs.outbox.prune(ago(EVENT_RETENTION_MS))),
    },
    {
      name: "drop old telemetry",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: async () => void (await enforceRetention({ ...needs, now: earliest }, live().telemetry.retention)),
    },
    {
      name: "keep telemetry within its size",
      isShared: true,
      everyMs: 10 * SECOND,
      task: async () => {
        const disk = () => diskOf(config.data);
        await limitTelemetry({ ...needs, now: earliest, disk }, config.telemetry.maxSize);
      },
    },
    {
      name: "prune audit log",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () =>
        untilDone(() =>
          needs.audit.prune({
            before: ago(toMilliseconds(live().audit.retention)),
            anonymousBefore: ago(ANONYMOUS_REFUSAL_LIFETIME_MS),
            maxAnonymous: KEPT_REFUSALS.anonymous,
            maxRefused: KEPT_REFUSALS.token,
          }),
        ),
    },
    ...(needs.nodes.isShared
      ? [
          {
            name: "tell which devices are heard",
            everyMs: Math.ceil(toMilliseconds(config.devices.silence) / 3),
            task: async () => tellAlive(needs),
          },
          {
            name: "end overdue executions",
            everyMs: SECOND,
            task: () => needs.dispatcher.endOverdue(),
            isShared: true,
          } as const,
        ]
      : []),
  ];
}

const ALIVE_AT_ONCE = 150;

function tellAlive({ nodes, connectivity }: Pick<ChoreNeeds, "nodes" | "connectivity">): void {
  const devices = connectivity.heardHere();
  for (let at = 0; at < devices.length; at += ALIVE_AT_ONCE) {
    nodes.tell({ kind: "alive", deviceIds: devices.slice(at, at + ALIVE_AT_ONCE) });
  }
}

/** Leaves it to another node that does it now. */
async function asOne(nodes: Pick<Nodes, "claim">, name: string, task: () => Promise<void>): Promise<void> {
  const claim = await nodes.claim(`chore ${name}`);
  if (claim === undefined) return;
  try {
    await task();
  } finally {
    await claim.release();
  }
}

/** Each step is small, so that other writes get their turn in between. */
async function untilDone(step: () => Promise<number>): Promise<void> {
  while ((await step()) > 0);
}
