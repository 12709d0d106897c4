// One running simulated device: sends at its interval, runs commands, and keeps what commands have set.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { ResponseState } from "#core/command/execution.ts";
import { type Adjustments, simulatedTime } from "#core/simulator/adjustments.ts";
import { afterArrival, afterSuccess, answerOf, type CommandCall, planRun } from "#core/simulator/answer-command.ts";
import type { DeviceModel } from "#core/simulator/device-model.ts";
import { seedOf } from "#core/simulator/noise.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Background } from "#service/background.ts";
import type { DeviceConfiguration, OutgoingCommand } from "#service/ports/carrier.ts";
import type { DeviceInbox } from "#service/ports/device-inbox.ts";
import type { Agenda } from "./agenda.ts";

export interface SimulatedDevice {
  start(): void;
  /**
   * Sends nothing any more. With a message, running commands end as an error with it; without one, nothing is reported
   * of them.
   */
  stop(message: string | undefined): void;
  isReachable(): boolean;
  /** Rejects when the device certainly has not received it. */
  take(command: OutgoingCommand): Promise<void>;
  /** `effective` are the adjustments with what the configuration sets. */
  state(): { readonly model: DeviceModel; readonly adjustments: Adjustments; readonly effective: Adjustments };
  configure(configuration: DeviceConfiguration): void;
  /** Continues with other adjustments, which are stored already. */
  become(adjustments: Adjustments): void;
}

interface DeviceNeeds {
  readonly inbox: DeviceInbox;
  readonly agenda: Agenda;
  readonly background: Background;
  readonly now: () => Instant;
  readonly modelOf: (seed: number) => DeviceModel;
  readonly keep: (adjustments: Adjustments) => Promise<unknown>;
  /** One change after the other, so that no change is based on a state that another one replaces. */
  readonly inTurn: <Result>(task: () => Promise<Result>) => Promise<Result>;
}

export function createSimulatedDevice(needs: DeviceNeeds, deviceId: string, first: Adjustments): SimulatedDevice {
  const { inbox, agenda, background } = needs;
  let adjustments = first;
  let configured: ReadonlyMap<string, unknown> = new Map();
  let effective = first;
  let model = needs.modelOf(first.seed);
  let isRunning = false;
  let isSending = false;
  let lastBeat: number | undefined;
  let callOffBeat = () => {};
  let sentProperties = "";
  /** Running commands, each with the function that cancels the rest of it. */
  const underWay = new Map<string, (() => void)[]>();

  function isReachable(): boolean {
    return isRunning && !adjustments.isPaused;
  }

  /** Devices with the same interval send at different moments, so that their messages do not come all at once. */
  function scheduleBeat(): void {
    callOffBeat();
    if (!isReachable()) return;
    const { intervalMs } = adjustments;
    const phase = seedOf(1, deviceId) % intervalMs;
    const beat = (Math.floor((needs.now() - phase) / intervalMs) + 1) * intervalMs;
    callOffBeat = agenda.add(beat + phase - needs.now(), () => {
      scheduleBeat();
      send(instant(beat));
    });
  }

  /** The message bears the time of the beat, a round one. */
  function send(beat: Instant): void {
    if (beat === lastBeat) return;
    lastBeat = beat;
    inbox.alive(deviceId);
    // A slow store is not flooded: the device skips messages, like a device with a bad connection.
    if (isSending) return;
    isSending = true;
    const values = model.telemetry(simulatedTime(adjustments, beat), effective);
    background.run("send simulated telemetry", async () => {
      try {
        await inbox.telemetry(deviceId, { takenAt: beat, values });
      } finally {
        isSending = false;
      }
    });
  }

  function sendProperties(): void {
    const values = model.properties(effective);
    const text = JSON.stringify([...values]);
    if (text === sentProperties || values.size === 0) return;
    sentProperties = text;
    background.run("send simulated properties", () => inbox.properties(deviceId, { takenAt: undefined, values }));
  }

  /** A value set by a command takes precedence over the configuration. */
  function setAdjustments(next: Adjustments): void {
    adjustments = next;
    effective = { ...next, written: new Map([...configured, ...next.written]) };
  }

  function become(next: Adjustments): void {
    const wasReachable = isReachable();
    if (next.seed !== adjustments.seed) model = needs.modelOf(next.seed);
    setAdjustments(next);
    if (!isRunning) return;
    if (wasReachable && !isReachable()) {
      // Unplugged: nothing more is heard of its running commands.
      for (const id of [...underWay.keys()]) callOff(id);
      inbox.unreachable(deviceId);
    }
    if (!wasReachable && isReachable()) inbox.reachable(deviceId);
    scheduleBeat();
    if (isReachable()) sendProperties();
  }

  function callOff(executionId: string): void {
    for (const one of underWay.get(executionId) ?? []) one();
    underWay.delete(executionId);
  }

  function respond(executionId: string, state: ResponseState, payload: Readonly<Record<string, unknown>>): void {
    background.run("answer for a simulated device", () =>
      inbox.response(deviceId, { executionId, state, payload, repeated: false }),
    );
  }

  /** Stored before it is announced, so that a restart does not undo an acknowledged command. */
  function succeed(call: CommandCall): void {
    background.run("finish a simulated command", () =>
      needs.inTurn(async () => {
        if (!isRunning) return;
        const at = simulatedTime(adjustments, needs.now());
        const next = afterSuccess(adjustments, call, at, model.controls);
        await needs.keep(next);
        become(next);
        respond(call.id, "SUCCEEDED", answerOf(model, { call, at }, effective));
      }),
    );
  }

  return {
    isReachable,
    state: () => ({ model, adjustments, effective }),
    become,
    configure(configuration) {
      configured = openValues(model.blueprint, configuration);
      setAdjustments(adjustments);
      if (isReachable()) sendProperties();
    },
    start() {
      isRunning = true;
      if (!isReachable()) return;
      inbox.reachable(deviceId);
      sendProperties();
      scheduleBeat();
    },
    stop(message) {
      if (!isRunning) return;
      isRunning = false;
      callOffBeat();
      for (const id of [...underWay.keys()]) {
        callOff(id);
        if (message !== undefined) respond(id, "ERROR", { message });
      }
      inbox.unreachable(deviceId);
    },
    async take({ id, name, arguments: given }) {
      const command = model.blueprint.commands.get(name);
      if (command === undefined) {
        respond(id, "ERROR", { message: `the device does not know the command ${name}` });
        return;
      }
      const call = { id, command, arguments: given };
      const { lines, endsAfterMs, failure } = planRun(call, adjustments);
      const arrived = afterArrival(adjustments, command);
      if (arrived !== adjustments) {
        await needs.keep(arrived);
        setAdjustments(arrived);
      }
      if (endsAfterMs === undefined) return;
      const steps = lines.map(({ afterMs, message }) =>
        agenda.add(afterMs, () => respond(id, "IN_PROGRESS", { message })),
      );
      const end = agenda.add(endsAfterMs, () => {
        underWay.delete(id);
        if (failure === undefined) succeed(call);
        else respond(id, "ERROR", { message: failure });
      });
      underWay.set(id, [...steps, end]);
    },
  };
}

/** The parts of a configuration that may be shown, by parameter. */
function openValues(blueprint: Blueprint, configuration: DeviceConfiguration): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [id, bucket] of configuration) {
    for (const [name, value] of Object.entries(bucket)) {
      if (blueprint.configuration.get(id)?.parameters.get(name)?.sensitive === false) values.set(name, value);
    }
  }
  return values;
}
