// The one place that owns ports which several devices share: serial lines, CAN buses, contacts. Devices run on several
// threads; each reaches the hub through a session, directly or over `port-bridge.ts`.

import { type HardwarePort, isPortName } from "#core/hardware/hardware-port.ts";
import { parseLineSettings } from "#core/hardware/line-settings.ts";
import { itemAt } from "#core/item-at.ts";
import { type ByteBudget, type ByteBudgets, createByteBudgets } from "#core/share/byte-budgets.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { READ_CODES } from "./modbus/pdu.ts";
import { FrameLog, type FrameRoom, FrameStore } from "./port/can-bus.ts";
import { type HubPort, openHardwarePort, openSimulatedPort } from "./port/hub-port.ts";
import type { LevelPort } from "./port/level-port.ts";
import { loadSerialPort } from "./port/open-serial-line.ts";
import { PortQueue } from "./port/port-queue.ts";
import type { PortAnswer, PortRequest, PortSession, PortUse } from "./port/port-request.ts";
import { createSimulatedPorts, type SimulatedPorts } from "./simulated-ports.ts";
import { realTimers, type Timers } from "./timers.ts";

export interface PortHub {
  session(device: PortDevice): PortSession;
  close(): void;
}

export interface PortDevice {
  readonly id: string;
  readonly slug: string;
}

interface HubNeeds {
  readonly machine: readonly HardwarePort[];
  readonly simulated: SimulatedPorts;
  readonly timers?: Timers;
  readonly budgets?: Pick<ByteBudgets, "open">;
}

/** What all devices share. */
interface Shared {
  readonly find: (name: string, device: PortDevice) => Owned;
  readonly timers: Timers;
  /** Bytes that calls under way send or may receive. */
  readonly calls: ByteBudget;
  /** CAN frames that nobody has taken yet. */
  readonly frames: ByteBudget;
}

interface Owned {
  readonly name: string;
  readonly port: HubPort;
  readonly queue: PortQueue;
  /** Ends the running impulse. */
  impulse: (() => void) | undefined;
}

const MAX_PORTS = 1024;
const MAX_CALLS = 16;
/** The longest time for which one call has a shared line to itself, whatever the script requests. */
const MAX_TURN_MS = 5000;
/** Scripts make new listeners and forget the old ones: beyond this many the oldest is closed. */
const MAX_LISTENERS = 32;
const CALL_BYTES = 8 * 1024 * 1024;
/** What a call holds besides its data, about. */
const CALL_SELF_BYTES = 256;
const FRAMES_BYTES = 8 * 1024 * 1024;
/** A frame holds at most 8 bytes, but the object around them this much. */
const FRAME_BYTES = 128;
/** A quarter of the room, so that one device does not leave the others without. */
const MAX_FRAMES_PER_DEVICE = FRAMES_BYTES / FRAME_BYTES / 4;

const NEEDED: Readonly<Record<PortUse, "modbus" | "line" | "can" | "level">> = {
  modbus: "modbus",
  serial: "line",
  can: "can",
  relay: "level",
  digitalin: "level",
  digitalout: "level",
  analogin: "level",
  analogout: "level",
};

export function createPortHub(needs: HubNeeds): PortHub {
  const { machine, simulated, timers = realTimers, budgets = createByteBudgets() } = needs;
  if (machine.some(({ kind }) => kind === "serial")) loadSerialPort();
  /** By the port of the machine, or by the name of a simulated one. */
  const owned = new Map<HardwarePort | string, Owned>();
  const sessions = new Set<HubSession>();
  const find = (name: string, device: PortDevice): Owned => {
    const described = portFor(machine, name, device);
    const known = owned.get(described ?? name);
    if (known !== undefined) return known;
    if (!isPortName(name)) throw new ConnectionError("invalid", `"${name.slice(0, 80)}" is no name of a port`);
    if (owned.size >= MAX_PORTS) throw new ConnectionError("busy", `there are ${MAX_PORTS} ports already`);
    if (described === undefined && !simulated.names().includes(name))
      throw new ConnectionError("missing", missingWords(name, namesFor(device)));
    const port =
      described === undefined || described.kind === "simulated"
        ? openSimulatedPort(simulatedFor(name, described), described?.devices ?? [], timers)
        : openHardwarePort(described, timers);
    const made: Owned = { name, port, queue: new PortQueue(timers), impulse: undefined };
    owned.set(described ?? name, made);
    return made;
  };
  const namesFor = (device: PortDevice): readonly string[] => {
    const own = machine.filter(({ devices }) => devices.length === 0 || isAmong(devices, device));
    return [...new Set([...own.map(({ name }) => name), ...simulated.names()])].sort();
  };
  /** What the installer asked for is apart from what a plant feeds, and never offered to other devices. */
  const simulatedFor = (name: string, described: HardwarePort | undefined) =>
    described === undefined ? simulated.port(name) : createSimulatedPorts().port(name);
  const shared: Shared = {
    find,
    timers,
    calls: budgets.open("port_calls", CALL_BYTES),
    frames: budgets.open("can_frames", FRAMES_BYTES),
  };
  return {
    session(device) {
      const session: HubSession = new HubSession(shared, device, () => sessions.delete(session));
      sessions.add(session);
      return session;
    },
    close() {
      for (const session of sessions) session.close();
      for (const { port } of owned.values()) {
        port.line?.close();
        port.can?.close();
      }
    },
  };
}

function missingWords(name: string, names: readonly string[]): string {
  const there = names.length === 0 ? "this device has none" : `this device has ${names.join(", ")}`;
  return `there is no port ${name}: ${there}. The setting lua.ports lists the ports of this machine`;
}

/** Of several ports with one name, the one that is for this device; otherwise the one for every device. */
function portFor(machine: readonly HardwarePort[], name: string, device: PortDevice): HardwarePort | undefined {
  const named = machine.filter((port) => port.name === name);
  return (
    named.find(({ devices }) => isAmong(devices, device)) ??
    named.find(({ devices }) => devices.length === 0) ??
    named[0]
  );
}

function isAmong(devices: readonly string[], { id, slug }: PortDevice): boolean {
  return devices.includes(id) || devices.includes(slug);
}

class HubSession implements PortSession {
  readonly #shared: Shared;
  readonly #device: PortDevice;
  readonly #closed: () => void;
  readonly #used = new Set<Owned>();
  readonly #listeners = new Map<number, { readonly owned: Owned; readonly store: FrameStore | FrameLog }>();
  #lastListener = 0;
  /** Ends each running call. */
  readonly #calls = new Set<(error: ConnectionError) => void>();
  #isClosed = false;

  /** Frames that wait in all listeners of the device. */
  #frames = 0;

  constructor(shared: Shared, device: PortDevice, closed: () => void) {
    this.#shared = shared;
    this.#device = device;
    this.#closed = closed;
  }

  async call(name: string, request: PortRequest): Promise<PortAnswer> {
    if (this.#isClosed) throw new ConnectionError("closed", "the device has stopped");
    if (this.#calls.size >= MAX_CALLS) throw new ConnectionError("busy", `${MAX_CALLS} calls are under way already`);
    const { find, calls } = this.#shared;
    const owned = find(name, this.#device);
    const { devices } = owned.port;
    if (devices.length > 0 && !isAmong(devices, this.#device))
      throw new ConnectionError("refused", `port ${name} is not for this device; the setting lua.ports says for which`);
    const bytes = bytesOf(request);
    if (!calls.take(bytes)) throw new ConnectionError("busy", "too many bytes wait for ports; try again in a moment");
    this.#used.add(owned);
    return await new Promise((resolve, reject) => {
      this.#calls.add(reject);
      this.#perform(owned, request)
        .then(resolve, reject)
        .finally(() => {
          this.#calls.delete(reject);
          calls.give(bytes);
        });
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { owned, store } of this.#listeners.values()) owned.port.can?.remove(store);
    this.#listeners.clear();
    for (const { queue, port } of this.#used) {
      queue.leave(this);
      port.line?.forget(this);
    }
    for (const end of this.#calls) end(new ConnectionError("closed", "the device has stopped"));
    this.#closed();
  }

  readonly #frameRoom: FrameRoom = {
    take: () => {
      if (this.#frames >= MAX_FRAMES_PER_DEVICE || !this.#shared.frames.take(FRAME_BYTES)) return false;
      this.#frames++;
      return true;
    },
    give: (frames) => {
      this.#frames -= frames;
      this.#shared.frames.give(frames * FRAME_BYTES);
    },
  };

  async #perform(owned: Owned, request: PortRequest): Promise<PortAnswer> {
    const { name, port, queue } = owned;
    const turn = <T>(work: () => Promise<T>) => queue.run(this, work);
    const line = () => part(port.line, name, port);
    if (isOfCan(request)) return await this.#performOnCan(owned, request);
    if (isOfLevel(request)) return await this.#performOnLevel(owned, request);
    switch (request.op) {
      case "open":
        return await this.#open(owned, request.use, new Map(request.parameters));
      case "modbus": {
        const modbus = part(port.modbus, name, port);
        if (request.unit === 0 && itemAt(request.pdu, 0) <= READ_CODES.inputs)
          throw new ConnectionError("invalid", "on a line unit 0 is all units: it can be written to, not read");
        return await turn(() => modbus(request.unit, request.pdu, Math.min(request.timeoutMs, MAX_TURN_MS)));
      }
      case "serial.read":
        return await turn(() => line().read(request.count, Math.min(request.timeoutMs, MAX_TURN_MS)));
      case "serial.receive":
        return await turn(() => line().receive(request.count, Math.min(request.timeoutMs, MAX_TURN_MS)));
      case "serial.write":
        await turn(() => line().write(request.data));
        return undefined;
      case "serial.flush":
        await turn(() => line().flush());
        return undefined;
      case "serial.lock":
        await queue.hold(this);
        return undefined;
      case "serial.unlock":
        queue.release(this);
        return undefined;
    }
  }

  async #performOnCan(owned: Owned, request: CanRequest): Promise<PortAnswer> {
    const can = () => part(owned.port.can, owned.name, owned.port);
    switch (request.op) {
      case "can.send":
        await can().send({ id: request.id, data: request.data }, this);
        return undefined;
      case "can.listen":
        await can().ready();
        return this.#listen(owned, new FrameStore(request.filter, this.#frameRoom));
      case "can.log":
        await can().ready();
        return this.#listen(owned, new FrameLog(request.size, this.#frameRoom));
      case "can.take_log": {
        const log = this.#listener(request.listener, FrameLog);
        await can().ready();
        return log.takeAll();
      }
      case "can.take": {
        const store = this.#listener(request.listener, FrameStore);
        await can().ready();
        return request.ids.map((id) => store.take(id));
      }
      case "can.drops":
        return this.#listener(request.listener, FrameStore).drops(request.id);
    }
  }

  async #performOnLevel(owned: Owned, request: LevelRequest): Promise<PortAnswer> {
    const level = part(owned.port.level, owned.name, owned.port);
    switch (request.op) {
      case "level.read":
        return await level.read(request.quantity);
      case "level.write":
        endImpulse(owned);
        await level.write(request.quantity, request.value);
        return undefined;
      case "level.impulse":
        await this.#impulse(owned, level, request.ms);
        return undefined;
    }
  }

  async #open({ name, port, queue }: Owned, use: PortUse, parameters: ReadonlyMap<string, string>): Promise<undefined> {
    if (port[NEEDED[use]] === undefined)
      throw new ConnectionError("unsupported", `port ${name} is ${port.what} and cannot serve ${use}`);
    const { line } = port;
    if (line === undefined || (use !== "modbus" && use !== "serial")) return undefined;
    const wanted = parseLineSettings(parameters);
    if ("problem" in wanted) throw new ConnectionError("invalid", wanted.problem);
    await queue.run(this, async () => line.agreeOn(this, wanted));
    return undefined;
  }

  #listen(owned: Owned, store: FrameStore | FrameLog): number {
    const [oldest] = this.#listeners.keys();
    if (this.#listeners.size >= MAX_LISTENERS && oldest !== undefined) {
      const gone = this.#listeners.get(oldest);
      if (gone !== undefined) gone.owned.port.can?.remove(gone.store);
      this.#listeners.delete(oldest);
    }
    owned.port.can?.add(store, this);
    this.#lastListener++;
    this.#listeners.set(this.#lastListener, { owned, store });
    return this.#lastListener;
  }

  /** Moves it to the end: the least recently used one is closed first. */
  #listener<Store extends FrameStore | FrameLog>(id: number, kind: new (...needs: never[]) => Store): Store {
    const found = this.#listeners.get(id);
    if (found === undefined || !(found.store instanceof kind))
      throw new ConnectionError(
        "closed",
        `this monitor or queue was closed, because ${MAX_LISTENERS} newer ones are in use`,
      );
    this.#listeners.delete(id);
    this.#listeners.set(id, found);
    return found.store;
  }

  /** Ends on its own even when the device has stopped: a contact must not stay switched by accident. */
  async #impulse(owned: Owned, level: LevelPort, ms: number): Promise<void> {
    endImpulse(owned);
    const before = await level.read("state");
    await level.write("state", before === 0 ? 1 : 0);
    owned.impulse = this.#shared.timers.after(ms, () => {
      owned.impulse = undefined;
      // If the port is gone by now, the next read reports it.
      level.write("state", before).catch(() => {});
    });
  }
}

type CanRequest = Extract<PortRequest, { readonly op: `can.${string}` }>;
type LevelRequest = Extract<PortRequest, { readonly op: `level.${string}` }>;
const isOfCan = (request: PortRequest): request is CanRequest => request.op.startsWith("can.");
const isOfLevel = (request: PortRequest): request is LevelRequest => request.op.startsWith("level.");

function bytesOf(request: PortRequest): number {
  const sent = "data" in request ? request.data.length : "pdu" in request ? request.pdu.length : 0;
  return CALL_SELF_BYTES + sent + ("count" in request ? request.count : 0);
}

function endImpulse(owned: Owned): void {
  owned.impulse?.();
  owned.impulse = undefined;
}

function part<T>(found: T | undefined, name: string, { what }: HubPort): T {
  if (found === undefined) throw new ConnectionError("unsupported", `port ${name} is ${what} and cannot do that`);
  return found;
}
