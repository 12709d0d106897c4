// Ports that exist only inside the process, where somebody asked for them: the demo plant, a test, or the installer for a
// device. They hold one end, and scripts the other: registers, bytes, frames and levels by the name of the port.
import { createRegisterBank, type RegisterBank } from "#drivers/modbus/answer-pdu.ts";
import type { CanFrame } from "./port/can-bus.ts";
import type { Quantity } from "./port/port-request.ts";

export interface SimulatedPorts {
  /** Created on first use: whoever calls this asks for a simulation. */
  port(name: string): SimulatedPort;
  /** Those that scripts of any device may use. */
  names(): readonly string[];
}

export interface SimulatedPort {
  /** Units that answer Modbus requests; one that is not there is silent. */
  readonly units: Map<number, RegisterBank>;
  /** The registers of a unit; creates the unit. */
  unit(id: number): RegisterBank;
  readonly serial: SimulatedEnd<Uint8Array>;
  readonly can: SimulatedEnd<CanFrame>;
  readonly levels: SimulatedLevels;
}

/** One end of a line. */
interface SimulatedEnd<T> {
  /** Gives it to the scripts that listen. */
  emit(item: T): void;
  /** Receives what scripts send from now on; the returned function ends that. */
  onSent(listener: (item: T) => void): () => void;
  /** The other end, for the hub: hears what is emitted. */
  onEmitted(listener: (item: T) => void): () => void;
  send(item: T): void;
}

interface SimulatedLevels {
  /** 0 for what nobody has set. */
  get(quantity: Quantity): number;
  /** A state that goes from 0 to 1 counts as an impulse. */
  set(quantity: Quantity, value: number): void;
  /** Hears what scripts set. */
  onWritten(listener: (quantity: Quantity, value: number) => void): () => void;
  /** Acts as a script would. */
  write(quantity: Quantity, value: number): void;
}

export function createSimulatedPorts(): SimulatedPorts {
  const ports = new Map<string, SimulatedPort>();
  return {
    port(name) {
      const port = ports.get(name) ?? createSimulatedPort();
      ports.set(name, port);
      return port;
    },
    names: () => [...ports.keys()],
  };
}

function createSimulatedPort(): SimulatedPort {
  const units = new Map<number, RegisterBank>();
  return {
    units,
    unit(id) {
      const bank = units.get(id) ?? createRegisterBank();
      units.set(id, bank);
      return bank;
    },
    serial: createEnd(),
    can: createEnd(),
    levels: createLevels(),
  };
}

function createEnd<T>(): SimulatedEnd<T> {
  const sent = new Set<(item: T) => void>();
  const emitted = new Set<(item: T) => void>();
  const join = (listeners: typeof sent) => (listener: (item: T) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    emit: (item) => {
      for (const listener of emitted) listener(item);
    },
    send: (item) => {
      for (const listener of sent) listener(item);
    },
    onSent: join(sent),
    onEmitted: join(emitted),
  };
}

function createLevels(): SimulatedLevels {
  const values = new Map<Quantity, number>();
  const listeners = new Set<(quantity: Quantity, value: number) => void>();
  const get = (quantity: Quantity) => values.get(quantity) ?? 0;
  const set = (quantity: Quantity, value: number) => {
    if (quantity === "state" && get("state") === 0 && value !== 0) values.set("counter", get("counter") + 1);
    values.set(quantity, value);
  };
  return {
    get,
    set,
    onWritten(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    write(quantity, value) {
      set(quantity, value);
      for (const listener of listeners) listener(quantity, value);
    },
  };
}
