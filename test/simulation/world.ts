// The real use cases and the real command dispatcher over a simulated clock, disk and network. One seed is one schedule.

import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { createSeal } from "#service/access/seal.ts";
import { createBackground } from "#service/background.ts";
import {
  type CommandDispatcher,
  createCommandDispatcher,
  type DispatcherNeeds,
} from "#service/command/command-dispatcher.ts";
import { createExecution, type ExecutionInput } from "#service/command/create-execution.ts";
import { everyOpen } from "#service/command/every-open.ts";
import { executeCommand } from "#service/command/execute-command.ts";
import type { CommandChannel } from "#service/ports/carrier.ts";
import type { ExecutionStore } from "#service/ports/execution-store.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { callBy } from "../support/calls.ts";
import { commandManifest } from "../support/command-site.ts";
import { createMemoryExecutions } from "../support/memory-executions.ts";
import { makeDevice, NOON } from "../support/records.ts";
import { Referee } from "./referee.ts";
import { SimClock } from "./sim-clock.ts";
import { SimDevice } from "./sim-device.ts";
import { createSimStore, type SimStore } from "./sim-store.ts";

export const PATIENCE_MS = 3_000;
const WAIT_LIMIT_MS = 5_000;
const SITE = "00000000-0000-7000-8000-00000000000a";
const BLUEPRINT = parseManifest(commandManifest("Simulated")).blueprint;
const CALL = callBy("system");

/** A bug put in on purpose, to see that it is found. */
export interface Bug {
  readonly name: string;
  readonly store?: (rows: ExecutionStore, world: World) => ExecutionStore;
  readonly needs?: (needs: DispatcherNeeds, world: World) => DispatcherNeeds;
  readonly dispatcher?: (dispatcher: CommandDispatcher) => CommandDispatcher;
}

interface Run {
  readonly dispatcher: CommandDispatcher;
  readonly executions: ExecutionStore;
  readonly since: number;
}

export class World {
  readonly clock = new SimClock(NOON);
  readonly random: () => number;
  readonly referee: Referee;
  readonly devices: readonly SimDevice[];
  /** As they are on disk. */
  readonly rows: ExecutionStore;
  /** For bugs that come with a crash. */
  readonly crashHooks: (() => void)[] = [];
  readonly #bug: Bug | undefined;
  readonly #store: SimStore;
  readonly #channel: CommandChannel;
  readonly #acknowledged = new Map<string, string>();
  #run: Run | undefined;
  #ids = 0;
  #runs = 0;
  #isDiskBroken = false;
  #sendFails = 0;
  #lastTrouble = -1;
  #lastJump = -1;

  constructor(random: () => number, bug?: Bug) {
    this.random = random;
    this.#bug = bug;
    const { clock } = this;
    this.devices = [1, 2].map(
      (n) =>
        new SimDevice({
          id: `00000000-0000-7000-8000-0000000000d${n}`,
          clock,
          random,
          patienceMs: PATIENCE_MS,
          onStart: (id) => this.referee.started(id),
          deliver: async (deviceId, message) => {
            const run = this.#run;
            if (run === undefined) throw new Error("nobody is there");
            await run.dispatcher.respond(deviceId, message);
            if (message.state === "SUCCEEDED" || message.state === "ERROR") {
              const { executionId } = message;
              this.referee.acknowledgedEnd(await this.rows.find(deviceId, executionId, clock.now()), executionId);
            }
          },
        }),
    );
    const world = this;
    this.referee = new Referee(clock, PATIENCE_MS, {
      get upSince() {
        return world.#run?.since;
      },
      get lastTrouble() {
        return world.#isDiskBroken || world.#sendFails > 0 ? clock.elapsed : world.#lastTrouble;
      },
      get lastJump() {
        return world.#lastJump;
      },
      readySince: (deviceId) => this.#device(deviceId)?.readySince,
    });
    const memory = createMemoryExecutions();
    this.rows = this.referee.watch(bug?.store?.(memory, this) ?? memory);
    this.#store = createSimStore({ clock, random, rows: this.rows, isBroken: () => this.#isDiskBroken });
    this.#channel = {
      isReady: (deviceId) => this.#device(deviceId)?.isConnected ?? false,
      send: async (deviceId, command) => {
        await this.referee.sent(command.id, this.rows);
        const device = this.#device(deviceId);
        const fails = this.#sendFails > 0 && this.random() < 0.5;
        const hasLeft = device?.isConnected === true && !fails;
        // A line that breaks while a command is written: it arrives or not, and nobody can know.
        const isUnknown = fails && device?.isConnected === true && this.random() < 0.5;
        this.referee.left(command.id, hasLeft || isUnknown);
        if (isUnknown && this.random() < 0.5) device.receive(command);
        if (isUnknown) return "unknown";
        if (!hasLeft) return "not_sent";
        device.receive(command);
        return "handed_over";
      },
      sendConfiguration: async () => {},
    };
  }

  #device(id: string): SimDevice | undefined {
    return this.devices.find((device) => device.id === id);
  }

  get isUp(): boolean {
    return this.#run !== undefined;
  }

  async start(): Promise<void> {
    const { clock } = this;
    const executions = this.#store.open();
    const since = clock.elapsed;
    const number = ++this.#runs;
    // A run that is over hears no timer any more.
    const after: DispatcherNeeds["after"] = (ms, callback) =>
      clock.after(ms, () => {
        if (this.#run !== undefined && this.#runs === number) callback();
      });
    const needs: DispatcherNeeds = {
      executions,
      nodes: oneNode(),
      seal: createSeal(new Uint8Array(32).fill(7)),
      now: () => clock.now(),
      channel: this.#channel,
      background: createBackground(() => {}),
      budgets: createByteBudgets(),
      after,
      responseTimeoutMs: PATIENCE_MS,
      onDropped: () => {},
    };
    const dispatcher = createCommandDispatcher(this.#bug?.needs?.(needs, this) ?? needs);
    this.#run = { dispatcher: this.#bug?.dispatcher?.(dispatcher) ?? dispatcher, executions, since };
    await this.#run.dispatcher.recover();
  }

  crash(): void {
    for (const hook of this.crashHooks) hook();
    for (const device of this.devices) device.disconnect();
    this.#store.crash();
    this.#run = undefined;
  }

  connect(device: SimDevice): void {
    if (this.#run === undefined) return;
    device.connect();
    this.#run.dispatcher.deviceReachable(device.id);
  }

  jump(ms: number): void {
    this.clock.jump(Math.floor(ms));
    this.#lastJump = this.clock.elapsed;
  }

  breakDisk(ms: number): void {
    this.#isDiskBroken = true;
    this.clock.after(ms, () => {
      this.#isDiskBroken = false;
      this.#lastTrouble = this.clock.elapsed;
    });
  }

  failSends(ms: number): void {
    this.#sendFails++;
    this.clock.after(ms, () => {
      this.#sendFails--;
      this.#lastTrouble = this.clock.elapsed;
    });
  }

  /** One call from outside; what it leads to happens as time goes on. */
  call(device: SimDevice, { waits, key }: { readonly waits: boolean; readonly key: string | undefined }): void {
    const run = this.#run;
    if (run === undefined || BLUEPRINT === undefined) return;
    const blueprint = BLUEPRINT;
    const found = { ...makeDevice(SITE, { id: device.id }), slug: "simulated", blueprintId: "b" };
    const findDevice = async () => found;
    const needs = {
      ...run,
      devices: { find: findDevice, findIn: findDevice },
      catalog: {
        get: async () => ({ blueprint, manifest: {} }),
        withProfiles: async () => [],
      },
      checkJson: async () => undefined,
      executionTraces: { begun: () => {} },
      ruleCauses: { executed: () => {} },
      commandGuard: { permit: async () => {} },
      channel: this.#channel,
      seal: createSeal(new Uint8Array(32).fill(7)),
      now: () => this.clock.now(),
      newId: () => `00000000-0000-7000-8000-${String(++this.#ids).padStart(12, "0")}`,
      responseTimeoutMs: PATIENCE_MS,
    } as unknown as Parameters<typeof createExecution>[0];
    const isSecret = this.random() < 0.3;
    const input: ExecutionInput = {
      device: device.id,
      name: isSecret ? "unlock" : "go",
      arguments: isSecret ? { pin: "1234" } : {},
      ephemeral: false,
      idempotencyKey: key === undefined ? undefined : `${key}${isSecret}`,
      withLog: false,
    };
    const began = this.clock.elapsed;
    const acknowledged = (id: string) => this.#acknowledged.set(id, device.id);
    // A call may be refused or cut off. A mistake of the program, or of this simulation, is neither.
    const failed = (error: unknown) => {
      if (error instanceof TypeError) this.referee.violations.push(String(error.stack));
    };
    if (waits) {
      const signal = new AbortController().signal;
      const wait = { input: () => input, stored: () => {}, waitMs: WAIT_LIMIT_MS, signal };
      executeCommand(needs, CALL, wait).then(async (execution) => {
        acknowledged(execution.id);
        const ms = this.clock.elapsed - began;
        const stored = await this.rows.find(device.id, execution.id, this.clock.now());
        this.referee.answered(execution, stored, { ms, limit: WAIT_LIMIT_MS });
      }, failed);
    } else {
      createExecution(needs, CALL, input).then((execution) => acknowledged(execution.id), failed);
    }
  }

  /** Time goes on; once a second somebody looks whether all is well. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.elapsed + Math.floor(ms);
    while (this.clock.elapsed < end) {
      await this.clock.runUntil(Math.min(end, this.clock.elapsed + 1_000));
      await this.referee.patrol(this.rows);
    }
  }

  /** Everything that was acknowledged is there and has ended. */
  async checkEnd(): Promise<void> {
    for (const [id, deviceId] of this.#acknowledged) {
      this.referee.acknowledgedCreate(await this.rows.find(deviceId, id, this.clock.now()), id);
    }
    for await (const { id } of everyOpen(this.rows)) {
      this.referee.violations.push(`${id} never ended`);
    }
  }
}
