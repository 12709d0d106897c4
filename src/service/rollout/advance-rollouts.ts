// Runs the roll-outs, a step at a time. Everything that a step decides is stored before the next one, so another node or
// the next run of the program goes on where this one was.
import { AppError } from "#core/app-error.ts";
import {
  beginDevice,
  type DeviceFacts,
  judgeDevice,
  judgeRollout,
  type KnownBefore,
  type ListedRolloutDevice,
  PASSING_REFUSALS,
  type Rollout,
  type RolloutDevice,
  rolloutRequest,
} from "#core/rollout/rollout.ts";
import { instant } from "#core/time/instant.ts";
import type { ConnectivityStatus } from "#service/event/happening.ts";
import type { Operations } from "#service/operation/perform.ts";
import type { RolloutDeviceChange } from "#service/ports/rollout-store.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface AdvanceNeeds extends Pick<Needs, "rollouts" | "devices" | "alerts" | "deviceLogs" | "now"> {
  readonly operations: Pick<Operations, "perform">;
  readonly connectivity: { status(deviceId: string): ConnectivityStatus };
  readonly log: { warn(about: object, text: string): void };
}

/** Devices that get the blueprint at the same time. */
const AT_ONCE = 20;
const WATCHED_AT_ONCE = 1_000;
/** What has become of a device that does not have the blueprint yet is looked up again after this time. */
const AGAIN_MS = 1_000;
/** Several entries of a log may have the same millisecond. */
const ERRORS_AT_ONCE = 100;
const NOTHING_KNOWN: KnownBefore = { alertAt: 0, logAt: 0 };
const MAX_REASON = 300;
/** Then the next roll-out has its turn. */
const STEPS_AT_ONCE = 20;

export interface RolloutRunner {
  /** Some steps of each roll-out that runs. */
  advance(): Promise<void>;
}

export function createRolloutRunner(needs: AdvanceNeeds): RolloutRunner {
  /** When each device was asked last, by roll-out and device. */
  const asked = new Map<string, number>();
  /** Since when the connectivity of a device is unknown, by roll-out and device. */
  const unknown = new Map<string, number>();

  function forget(key: string): void {
    asked.delete(key);
    unknown.delete(key);
  }

  function unknownMs(key: string, isUnknown: boolean): number {
    if (!isUnknown) unknown.delete(key);
    else if (!unknown.has(key)) unknown.set(key, needs.now());
    return needs.now() - (unknown.get(key) ?? needs.now());
  }

  async function factsOf(listed: ListedRolloutDevice, { id, blueprintId }: Rollout): Promise<DeviceFacts> {
    const { deviceId } = listed;
    const { alertAt, logAt } = listed.before ?? NOTHING_KNOWN;
    const device = await needs.devices.find(deviceId);
    const alerts = await needs.alerts.active(deviceId);
    const errors = { since: instant(Math.floor(logAt / 1_000)), severities: ["error"], newestFirst: false } as const;
    const { items } = await needs.deviceLogs.list(deviceId, errors, { limit: ERRORS_AT_ONCE, offset: 0 });
    const connectivity = needs.connectivity.status(deviceId);
    return {
      exists: device !== undefined,
      hasBlueprint: device?.blueprintId === blueprintId,
      isAway: listed.isAway,
      connectivity,
      unknownMs: unknownMs(`${id} ${deviceId}`, connectivity === "UNKNOWN" && !listed.isAway),
      alert: alerts.find(({ severity, raisedAt }) => severity === "error" && raisedAt > alertAt)?.alertId,
      error: items.find(({ receivedAt }) => receivedAt > logAt)?.message,
    };
  }

  async function knownOf(deviceId: string): Promise<KnownBefore> {
    const errors = (await needs.alerts.active(deviceId)).filter(({ severity }) => severity === "error");
    const { items } = await needs.deviceLogs.list(deviceId, { newestFirst: true }, { limit: 1, offset: 0 });
    return {
      alertAt: errors.reduce((newest, { raisedAt }) => Math.max(newest, raisedAt), 0),
      logAt: items[0]?.receivedAt ?? 0,
    };
  }

  /** The device if it can never get the blueprint. */
  async function ask(rollout: Rollout, device: RolloutDevice): Promise<RolloutDevice | undefined> {
    const key = `${rollout.id} ${device.deviceId}`;
    const now = needs.now();
    if (now - (asked.get(key) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return undefined;
    asked.set(key, now);
    // Somebody may have stopped it while others were asked.
    if ((await needs.rollouts.find(rollout.id))?.state !== "RUNNING") return undefined;
    const assignment = { params: { device_id: device.deviceId }, body: { blueprint_id: rollout.blueprintId } };
    try {
      // Called again, it throws what the gateway says against it, if the device is on a joined site.
      await needs.operations.perform(callOf(rollout), "assignBlueprint", assignment);
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (PASSING_REFUSALS.has(error.code)) return undefined;
      return { ...device, state: "FAILED", since: now, reason: error.message.slice(0, MAX_REASON) };
    }
  }

  async function judgeOpen(rollout: Rollout): Promise<{ readonly assigning: number; readonly hasChanged: boolean }> {
    const { id, stage } = rollout;
    const page = { limit: WATCHED_AT_ONCE, offset: 0 };
    const there = { states: ["ASSIGNING", "WATCHED"], stage, isAway: false } as const;
    // Of a device that is watched nothing is known as long as its gateway is away.
    const away = { states: ["ASSIGNING"], stage, isAway: true } as const;
    const [known, unknown] = [
      await needs.rollouts.devices(id, there, page),
      await needs.rollouts.devices(id, away, page),
    ];
    const changes: RolloutDeviceChange[] = [];
    let assigning = 0;
    for (const device of [...known.items, ...unknown.items]) {
      const facts = await factsOf(device, rollout);
      const verdict = judgeDevice(device, facts, { ...rollout, now: needs.now() });
      if (verdict !== undefined) {
        const reason = verdict.reason?.slice(0, MAX_REASON);
        changes.push({ from: device, to: { ...device, ...verdict, reason, since: needs.now() } });
        forget(`${id} ${device.deviceId}`);
      } else if (device.state === "ASSIGNING") {
        assigning++;
        const failed = await ask(rollout, device);
        if (failed !== undefined) changes.push({ from: device, to: failed });
      }
    }
    if (changes.length > 0) await needs.rollouts.putDevices(id, changes);
    return { assigning, hasChanged: changes.length > 0 };
  }

  async function beginSome(rollout: Rollout, room: number): Promise<boolean> {
    if (room <= 0) return false;
    const { id, stage } = rollout;
    // Others begin when their gateway is there, and take no place until then.
    const filter = { states: ["WAITING"], stage, isAway: false } as const;
    const { items } = await needs.rollouts.devices(id, filter, { limit: room, offset: 0 });
    const begun: RolloutDeviceChange[] = [];
    for (const device of items) {
      const found = await needs.devices.find(device.deviceId);
      const isOnline = needs.connectivity.status(device.deviceId) === "ONLINE";
      const verdict = beginDevice(device, found && { blueprintId: found.blueprintId }, rollout.blueprintId);
      // A device that got the blueprint before a pause was its turn already.
      const before = verdict.state === "WATCHED" ? device.before : undefined;
      const to = {
        ...device,
        ...verdict,
        before: before ?? (await knownOf(device.deviceId)),
        since: needs.now(),
        wasOnline: device.wasOnline || isOnline,
      };
      begun.push({ from: device, to });
    }
    // What was before is stored first: afterwards nobody knows it any more.
    if (begun.length === 0 || !(await needs.rollouts.putDevices(id, begun))) return false;
    const failed: RolloutDeviceChange[] = [];
    for (const { to: device } of begun) {
      const outcome = device.state === "ASSIGNING" ? await ask(rollout, device) : undefined;
      if (outcome !== undefined) failed.push({ from: device, to: outcome });
    }
    if (failed.length > 0) await needs.rollouts.putDevices(id, failed);
    return true;
  }

  /** True when the next step may follow at once. */
  async function step(rollout: Rollout): Promise<boolean> {
    const { id, stage } = rollout;
    const { assigning, hasChanged } = await judgeOpen(rollout);
    const counts = await needs.rollouts.counts(id, stage);
    const failed = (await needs.rollouts.counts(id)).FAILED;
    switch (judgeRollout(rollout, counts, failed)) {
      case "go on":
        return (await beginSome(rollout, AT_ONCE - assigning)) || hasChanged;
      case "halt": {
        const reason = `${failed} devices have failed${await firstReason(id)}`;
        await needs.rollouts.turn(id, { from: ["RUNNING"], to: "HALTED", reason, at: needs.now() }, undefined);
        needs.log.warn({ rolloutId: id, reason }, "a roll-out has stopped by itself");
        return false;
      }
      case "next stage":
        await needs.rollouts.beginStage(id, stage + 1, needs.now());
        return true;
      case "end":
        await needs.rollouts.turn(id, { from: ["RUNNING"], to: "DONE", at: needs.now() }, undefined);
        return false;
    }
  }

  async function firstReason(id: string): Promise<string> {
    const { items } = await needs.rollouts.devices(id, { states: ["FAILED"] }, { limit: 1, offset: 0 });
    const [device] = items;
    return device === undefined ? "" : `, such as ${device.deviceId}: ${device.reason ?? ""}`;
  }

  return {
    async advance() {
      for (const { id } of await needs.rollouts.running()) {
        try {
          for (let steps = 0; steps < STEPS_AT_ONCE; steps++) {
            const rollout = await needs.rollouts.find(id);
            // Somebody may have paused it meanwhile.
            if (rollout?.state !== "RUNNING" || !(await step(rollout))) break;
          }
        } catch (error) {
          // The next step tries again, and other roll-outs go on.
          needs.log.warn({ rolloutId: id, err: error }, "a step of a roll-out has failed");
        }
      }
    },
  };
}

function callOf({ id, createdBy }: Rollout): Call {
  return {
    caller: { ...createdBy, level: "installer", sites: "all" },
    operation: "runRollout",
    requestId: rolloutRequest(id),
    rolloutId: id,
    remoteAddress: "roll-out",
    door: "rollout",
  };
}
