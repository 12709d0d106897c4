// Devices of type SIMULATED. Each is a model of its blueprint that sends through the same inbox as every other device;
// only this folder knows that it is simulated.
import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Control } from "#core/control/control.ts";
import type { Device } from "#core/device/device.ts";
import {
  type AdjustmentChange,
  type Adjustments,
  adjust,
  fitting,
  simulatedTime,
  untouched,
} from "#core/simulator/adjustments.ts";
import type { DeviceModel } from "#core/simulator/device-model.ts";
import { seedOf } from "#core/simulator/noise.ts";
import type { Instant } from "#core/time/instant.ts";
import { parseUnit } from "#manifest/units.ts";
import type { Background } from "#service/background.ts";
import { INTERRUPTED } from "#service/command/end-interrupted.ts";
import { failureWords } from "#service/device/failure-words.ts";
import type { Carrier, DeviceConfiguration } from "#service/ports/carrier.ts";
import type { DeviceHost, HostedStatus } from "#service/ports/device-host.ts";
import type { DeviceInbox } from "#service/ports/device-inbox.ts";
import type { SimulationStore } from "#service/ports/simulation-store.ts";
import type { Simulation, Simulator } from "#service/ports/simulator.ts";
import { createAgenda } from "./agenda.ts";
import type { SimulatedDevice } from "./simulated-device.ts";

export interface SimulatorNeeds {
  readonly inbox: DeviceInbox;
  readonly simulations: SimulationStore;
  readonly background: Background;
  readonly now: () => Instant;
  readonly elapsed: () => number;
  readonly after: (ms: number, callback: () => void) => () => void;
  /** Undefined for a device that has none. */
  readonly blueprintOf: (device: Device) => Promise<Blueprint | undefined>;
  readonly controlsOf: (blueprint: Blueprint) => ReadonlyMap<string, Control>;
  readonly configurationOf: (deviceId: string) => Promise<DeviceConfiguration>;
  /** From UTC to the clock of the device's site, in milliseconds. */
  readonly offsetOf: (device: Device) => Promise<number>;
}

export interface Simulators extends Simulator {
  readonly host: DeviceHost;
  readonly carrier: Carrier;
  stop(): void;
}

interface Hosted {
  readonly device: Device;
  readonly running: SimulatedDevice | undefined;
  readonly status: HostedStatus;
}

export function createSimulator(needs: SimulatorNeeds): Simulators {
  const agenda = createAgenda(needs);
  const hosted = new Map<string, Hosted>();
  /** The last pending task of each device: tasks of a device run one after the other. */
  const turns = new Map<string, Promise<unknown>>();

  function inTurn<Result>(deviceId: string, task: () => Promise<Result>): Promise<Result> {
    const turn = (turns.get(deviceId) ?? Promise.resolve()).then(task, task);
    turns.set(deviceId, turn);
    const forget = () => {
      if (turns.get(deviceId) === turn) turns.delete(deviceId);
    };
    turn.then(forget, forget);
    return turn;
  }

  async function start(device: Device): Promise<void> {
    const former = hosted.get(device.id);
    former?.running?.stop(INTERRUPTED);
    const startCount = (former?.status.startCount ?? 0) + 1;
    const status = { since: needs.now(), startCount, restartAt: undefined, memoryBytes: undefined, overrun: undefined };
    try {
      const running = await open(device);
      hosted.set(device.id, { device, running, status: { ...status, state: "RUNNING", lastError: undefined } });
      running.start();
    } catch (error) {
      const message = failureWords(needs, error, "the simulation could not be started");
      const lastError = { message, file: undefined, line: undefined, at: needs.now() };
      hosted.set(device.id, { device, running: undefined, status: { ...status, state: "FAILED", lastError } });
    }
  }

  async function open(device: Device): Promise<SimulatedDevice> {
    const blueprint = await needs.blueprintOf(device);
    if (blueprint === undefined) throw refuse("conflict", "the device has no blueprint to simulate");
    // Loaded with the first simulated device, so that a start without one is shorter.
    const { createDeviceModel } = await import("#core/simulator/device-model.ts");
    const { createSimulatedDevice } = await import("./simulated-device.ts");
    const offsetMs = await needs.offsetOf(device);
    const stored = await needs.simulations.get(device.id);
    const adjustments = fitting(blueprint, stored ?? untouched(seedOf(0, device.id), needs.now()));
    const controls = needs.controlsOf(blueprint);
    const modelOf = (seed: number) => createDeviceModel({ blueprint, controls, seed, offsetMs, readUnit: parseUnit });
    const running = createSimulatedDevice(
      {
        ...needs,
        agenda,
        modelOf,
        keep: (next) => needs.simulations.put(device.id, next, undefined),
        inTurn: (task) => inTurn(device.id, task),
      },
      device.id,
      adjustments,
    );
    running.configure(await needs.configurationOf(device.id));
    return running;
  }

  function viewOf(running: SimulatedDevice): Simulation {
    const { model, adjustments, effective } = running.state();
    return { ...lookAt(model, effective, needs.now()), adjustments };
  }

  return {
    look(deviceId) {
      const running = hosted.get(deviceId)?.running;
      return running && viewOf(running);
    },
    adjust: (deviceId: string, change: AdjustmentChange, trail: AuditEntry) =>
      inTurn(deviceId, async () => {
        const running = hosted.get(deviceId)?.running;
        if (running === undefined) return undefined;
        const { model, adjustments: before } = running.state();
        const context = { blueprint: model.blueprint, now: needs.now() };
        const { adjustments, problems, moreProblems } = adjust(context, before, change);
        if (problems.length > 0) return { problems: { listed: problems, more: moreProblems } };
        if (!(await needs.simulations.put(deviceId, adjustments, trail))) return undefined;
        running.become(adjustments);
        return { simulation: viewOf(running) };
      }),
    host: {
      hosts: (type) => type === "SIMULATED",
      start: (device) => inTurn(device.id, () => start(device)),
      stop: (deviceId) =>
        inTurn(deviceId, async () => {
          hosted.get(deviceId)?.running?.stop(undefined);
          hosted.delete(deviceId);
        }),
      restart: (deviceId) =>
        inTurn(deviceId, async () => {
          const former = hosted.get(deviceId);
          if (former !== undefined) await start(former.device);
        }),
      status: (deviceId) => hosted.get(deviceId)?.status,
      overruns: () => 0,
      states: () => [...hosted.values()].map(({ status }) => status.state),
    },
    carrier: {
      isReady: (deviceId) => hosted.get(deviceId)?.running?.isReachable() === true,
      send: (deviceId, command) =>
        inTurn(deviceId, async () => {
          const running = hosted.get(deviceId)?.running;
          if (running?.isReachable() !== true) return "not_sent";
          await running.take(command);
          return "handed_over";
        }),
      sendConfiguration: async (deviceId, configuration) => {
        hosted.get(deviceId)?.running?.configure(configuration);
      },
      // It has no connection to close: the host stops a deleted device.
      disconnect: () => {},
    },
    stop() {
      for (const { running } of hosted.values()) running?.stop(undefined);
      agenda.stop();
    },
  };
}

function lookAt(model: DeviceModel, adjustments: Adjustments, now: Instant): Omit<Simulation, "adjustments"> {
  const simulatedAt = simulatedTime(adjustments, now);
  return {
    simulatedAt,
    telemetry: model.telemetry(simulatedAt, adjustments),
    properties: model.properties(adjustments),
    activeAlerts: model.activeAlerts(simulatedAt, adjustments),
  };
}
