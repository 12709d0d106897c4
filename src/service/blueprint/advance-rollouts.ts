// Runs the roll-outs, a step at a time. Everything that a step decides is stored before the next one, so another node or
// the next run of the program goes on where this one was.
import { AppError } from "#core/app-error.ts";
import {
  type DeviceFacts,
  judgeDevice,
  judgeRollout,
  type Rollout,
  type RolloutDevice,
} from "#core/blueprint/rollout.ts";
import type { ConnectivityStatus } from "#service/event/happening.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface AdvanceNeeds extends Pick<Needs, "rollouts" | "devices" | "alerts" | "deviceLogs" | "now"> {
  /** Resolves when the device has the blueprint, or will get it as soon as its gateway can be asked. */
  readonly assign: (call: Call, input: { readonly device: string; readonly blueprintId: string }) => Promise<unknown>;
  readonly connectivity: { status(deviceId: string): ConnectivityStatus };
  readonly log: { warn(about: object, text: string): void };
}

/** Devices that get the blueprint at the same time. */
const AT_ONCE = 20;
const WATCHED_AT_ONCE = 1_000;
/** A device that cannot be asked now is asked again after this time. */
const AGAIN_MS = 10_000;
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

  async function factsOf({ deviceId, since }: RolloutDevice, blueprintId: string): Promise<DeviceFacts> {
    const device = await needs.devices.find(deviceId);
    const alerts = await needs.alerts.active(deviceId);
    // Devices tell times in whole seconds.
    const from = Math.floor(since / 1_000) * 1_000;
    const errors = { since, severities: ["error"], newestFirst: false } as const;
    const { items } = await needs.deviceLogs.list(deviceId, errors, { limit: 1, offset: 0 });
    return {
      exists: device !== undefined,
      hasBlueprint: device?.blueprintId === blueprintId,
      isOnline: needs.connectivity.status(deviceId) === "ONLINE",
      alert: alerts.find(({ severity, raisedAt }) => severity === "error" && raisedAt >= from)?.alertId,
      error: items[0]?.message,
    };
  }

  /** The device if it can never get the blueprint. */
  async function ask(rollout: Rollout, device: RolloutDevice): Promise<RolloutDevice | undefined> {
    const key = `${rollout.id} ${device.deviceId}`;
    const now = needs.now();
    if (now - (asked.get(key) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return undefined;
    asked.set(key, now);
    try {
      await needs.assign(callOf(rollout), { device: device.deviceId, blueprintId: rollout.blueprintId });
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (IS_PASSING.test(error.code)) return undefined;
      return { ...device, state: "FAILED", since: now, reason: error.message.slice(0, MAX_REASON) };
    }
  }

  async function judgeOpen(rollout: Rollout): Promise<{ readonly assigning: number; readonly hasChanged: boolean }> {
    const { id, stage } = rollout;
    const filter = { states: ["ASSIGNING", "WATCHED"], stage } as const;
    const { items } = await needs.rollouts.devices(id, filter, { limit: WATCHED_AT_ONCE, offset: 0 });
    const changed: RolloutDevice[] = [];
    let assigning = 0;
    for (const device of items) {
      const facts = await factsOf(device, rollout.blueprintId);
      const verdict = judgeDevice(device, facts, { ...rollout, now: needs.now() });
      if (verdict !== undefined) {
        const reason = verdict.reason?.slice(0, MAX_REASON);
        changed.push({ ...device, ...verdict, reason, since: needs.now() });
        asked.delete(`${id} ${device.deviceId}`);
      } else if (device.state === "ASSIGNING") {
        assigning++;
        const failed = await ask(rollout, device);
        if (failed !== undefined) changed.push(failed);
      }
    }
    if (changed.length > 0) await needs.rollouts.putDevices(id, changed);
    return { assigning, hasChanged: changed.length > 0 };
  }

  async function beginSome(rollout: Rollout, room: number): Promise<boolean> {
    if (room <= 0) return false;
    const { id, stage } = rollout;
    const { items } = await needs.rollouts.devices(id, { states: ["WAITING"], stage }, { limit: room, offset: 0 });
    const begun: RolloutDevice[] = [];
    for (const device of items) {
      const found = await needs.devices.find(device.deviceId);
      const now = needs.now();
      if (found === undefined) {
        begun.push({ ...device, state: "SKIPPED", since: now, reason: "the device was deleted" });
      } else {
        const wasOnline = needs.connectivity.status(device.deviceId) === "ONLINE";
        begun.push({ ...device, state: "ASSIGNING", since: now, formerBlueprintId: found.blueprintId, wasOnline });
      }
    }
    if (begun.length === 0) return false;
    // What was before is stored first: afterwards nobody knows it any more.
    await needs.rollouts.putDevices(id, begun);
    const failed: RolloutDevice[] = [];
    for (const device of begun) {
      const outcome = device.state === "ASSIGNING" ? await ask(rollout, device) : undefined;
      if (outcome !== undefined) failed.push(outcome);
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

/** Refusals that a later attempt may not meet. */
const IS_PASSING = /^(?:storage_|overloaded$|gateway_offline$|owned_by_gateway$|too_many_calls$)/;

function callOf({ id, createdBy }: Rollout): Call {
  return {
    caller: { ...createdBy, level: "installer", sites: "all" },
    operation: "runRollout",
    requestId: id,
    remoteAddress: "roll-out",
  };
}
