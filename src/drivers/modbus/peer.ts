import { itemAt } from "#core/item-at.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import {
  Health,
  hostKey,
  nobody,
  type PeerWorld,
  type ScriptedNeeds,
  type ScriptedPeer,
} from "#drivers/scripted-peer.ts";
import type { ModbusTables, PeerChange } from "#manifest/scenario/peers.ts";
import type { ModbusError } from "#manifest/scenario/registers.ts";
import { answerPdu, type RegisterBank } from "./answer-pdu.ts";
import { modbusCalls } from "./modbus-calls.ts";
import type { ModbusPeers } from "./modbus-connection.ts";
import { modbusMapCalls } from "./modbus-map-calls.ts";

const EXCEPTION_BIT = 0x80;
const TABLE_NAMES = ["", "coils", "discrete_inputs", "holdings", "inputs"];

/** A Modbus device by its tables. Registers that nobody listed can be written, and are there from then on. */
export class ScriptedModbus implements ScriptedPeer {
  readonly health: Health;
  readonly #world: PeerWorld;
  readonly #units = new Map<number, Unit>();
  #unlisted: number | undefined;

  constructor(world: PeerWorld) {
    this.#world = world;
    this.health = new Health(world);
  }

  change(change: PeerChange): void {
    this.health.change(change);
    if (change.unlisted !== undefined) this.#unlisted = change.unlisted ?? undefined;
    for (const [number, tables] of change.units ?? []) {
      const unit = this.#units.get(number) ?? new Unit(() => this.#unlisted);
      this.#units.set(number, unit);
      unit.set(tables);
    }
  }

  request(number: number, pdu: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const what = () => describePdu(number, pdu);
    const unit = this.#units.get(number);
    if (number === 0) return this.health.answer(what, timeoutMs, () => this.#toAll(pdu));
    if (unit === undefined) return this.#noUnit(what, number, timeoutMs);
    return this.health.answer(what, timeoutMs, () => this.#answer(number, unit, pdu));
  }

  /** A broadcast: every unit takes it, none answers. */
  #toAll(pdu: Uint8Array): Uint8Array {
    for (const [number, unit] of this.#units) this.#answer(number, unit, pdu);
    return pdu.slice(0, 5);
  }

  async #noUnit(what: () => string, number: number, timeoutMs: number): Promise<never> {
    await this.health.wait(timeoutMs);
    throw this.health.fail(
      what,
      new ConnectionError("timeout", `no answer from unit ${number} within ${timeoutMs} ms`),
    );
  }

  #answer(number: number, unit: Unit, pdu: Uint8Array): Uint8Array {
    const answer = unit.answer(pdu, (table, first, values) => {
      this.#world.happened({ kind: "write", peer: this.#world.name, unit: number, table, first, values });
    });
    const isRead = itemAt(pdu, 0) <= 4;
    const isRefused = (itemAt(answer, 0) & EXCEPTION_BIT) !== 0;
    if (isRead || isRefused) {
      const text = () => {
        const result = isRefused ? `✗ exception ${answer[1]}` : `→ ${describeAnswer(itemAt(pdu, 0), answer)}`;
        return `${this.#world.name} ← ${describePdu(number, pdu)} ${result}`;
      };
      this.#world.happened({ kind: "note", text });
    }
    return answer;
  }
}

function describePdu(unit: number, pdu: Uint8Array): string {
  const [code = 0] = pdu;
  const first = word(pdu, 1);
  if (code >= 1 && code <= 4) return `read ${TABLE_NAMES[code]} ${first}+${word(pdu, 3)} of unit ${unit}`;
  return `write ${code === 5 || code === 15 ? "coils" : "holdings"} ${first} of unit ${unit}`;
}

function describeAnswer(code: number, answer: Uint8Array): string {
  const bytes = answer.slice(2);
  if (code <= 2) return Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join(" ");
  return Array.from({ length: bytes.length / 2 }, (_, at) => word(bytes, at * 2)).join(" ");
}

type OnWrite = (table: "holdings" | "coils", first: number, values: readonly number[]) => void;

class Unit {
  readonly #bank: RegisterBank;
  readonly #errors = {
    coils: new Map<number, number>(),
    discreteInputs: new Map<number, number>(),
    holdings: new Map<number, number>(),
    inputs: new Map<number, number>(),
  };

  constructor(unlisted: () => number | undefined) {
    this.#bank = {
      coils: new OpenTable(unlisted, true),
      discreteInputs: new OpenTable(unlisted, true),
      holdings: new OpenTable(unlisted, false),
      inputs: new OpenTable(unlisted, false),
    };
  }

  set(tables: ModbusTables): void {
    for (const name of ["coils", "discreteInputs", "holdings", "inputs"] as const) {
      const listed: ReadonlyMap<number, readonly (number | boolean)[] | ModbusError> | undefined = tables[name];
      for (const [first, content] of listed ?? []) this.#setOne(name, first, content);
    }
  }

  #setOne(name: keyof ModbusTables, first: number, content: readonly (number | boolean)[] | ModbusError): void {
    if ("exception" in content) {
      this.#errors[name].set(first, content.exception);
      return;
    }
    for (const [at, value] of content.entries()) {
      this.#errors[name].delete(first + at);
      this.#bank[name].set(first + at, Number(value));
    }
  }

  answer(pdu: Uint8Array, onWrite: OnWrite): Uint8Array {
    const [code = 0] = pdu;
    const table = ({ 1: "coils", 2: "discreteInputs", 3: "holdings", 4: "inputs" } as const)[code];
    const refused = table && this.#refusal(table, word(pdu, 1), word(pdu, 3));
    if (refused !== undefined) return Uint8Array.of(code | EXCEPTION_BIT, refused);
    this.#bank.onWrite = (name, first, values) => {
      const exception = this.#refusal(name, first, values.length);
      if (exception === undefined) onWrite(name, first, values);
      return exception;
    };
    return answerPdu(this.#bank, pdu);
  }

  #refusal(name: keyof ModbusTables, first: number, count: number): number | undefined {
    for (const [register, exception] of this.#errors[name]) {
      if (register >= first && register < first + count) return exception;
    }
    return undefined;
  }
}

/** Every register of it can be written; those that nobody listed hold what the peer says. */
class OpenTable extends Map<number, number> {
  readonly #unlisted: () => number | undefined;
  readonly #isBits: boolean;

  constructor(unlisted: () => number | undefined, isBits: boolean) {
    super();
    this.#unlisted = unlisted;
    this.#isBits = isBits;
  }

  override has(): boolean {
    return true;
  }

  override get(register: number): number | undefined {
    const value = super.get(register) ?? this.#unlisted();
    return this.#isBits && value !== undefined ? Math.min(value, 1) : value;
  }
}

function word(bytes: Uint8Array, at: number): number {
  return ((bytes.at(at) ?? 0) << 8) | (bytes.at(at + 1) ?? 0);
}

export const peers = { modbus: ScriptedModbus };
export const connect = ({ find, timers, ports }: ScriptedNeeds) => {
  const scripted: ModbusPeers = {
    modbusTcp(host, port) {
      const key = hostKey(host, port);
      return {
        request: (unit, pdu, timeoutMs) =>
          find(ScriptedModbus, key)?.request(unit, pdu, timeoutMs) ?? nobody(timers, timeoutMs, key),
        close() {},
      };
    },
    ports,
  };
  return { calls: { ...modbusCalls(scripted), ...modbusMapCalls(scripted) }, close() {} };
};
