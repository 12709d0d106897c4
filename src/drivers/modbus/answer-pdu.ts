// The server side of Modbus: answers from registers. Used by simulated ports, and by servers in simulations and tests.
import { itemAt } from "#core/item-at.ts";
import {
  EXCEPTION_BIT,
  MAX_READ,
  MAX_WRITE,
  packBits,
  READ_CODES,
  type ReadTable,
  WRITE_CODES,
} from "#drivers/modbus/pdu.ts";

type RegisterTable = Map<number, number>;

/** A register that is not in its table does not exist. Coils and discrete inputs hold 0 or 1. */
export interface RegisterBank {
  readonly coils: RegisterTable;
  readonly discreteInputs: RegisterTable;
  readonly holdings: RegisterTable;
  readonly inputs: RegisterTable;
  /** Called with every write before it is stored; a returned number refuses it with that exception. */
  onWrite?:
    | ((table: "coils" | "holdings", register: number, values: readonly number[]) => number | undefined)
    | undefined;
}

export function createRegisterBank(): RegisterBank {
  return { coils: new Map(), discreteInputs: new Map(), holdings: new Map(), inputs: new Map() };
}

const ILLEGAL_FUNCTION = 1;
const ILLEGAL_ADDRESS = 2;
const ILLEGAL_VALUE = 3;

export function answerPdu(bank: RegisterBank, pdu: Uint8Array): Uint8Array {
  const [code = 0] = pdu;
  const refuse = (exception: number) => Uint8Array.of(code | EXCEPTION_BIT, exception);
  const register = word(pdu, 1);
  const table = tableOf(bank, code);
  if (table !== undefined) return read(table.registers, table.name, { code, register, count: word(pdu, 3) }, refuse);
  const written = valuesOf(pdu);
  if (written === undefined) return refuse(KNOWN_WRITES.has(code) ? ILLEGAL_VALUE : ILLEGAL_FUNCTION);
  const registers = bank[written.table];
  if (written.values.some((_, at) => !registers.has(register + at))) return refuse(ILLEGAL_ADDRESS);
  const refused = bank.onWrite?.(written.table, register, written.values);
  if (refused !== undefined) return refuse(refused);
  for (const [at, value] of written.values.entries()) registers.set(register + at, value);
  return pdu.slice(0, 5);
}

const KNOWN_WRITES: ReadonlySet<number> = new Set(Object.values(WRITE_CODES));

function tableOf(bank: RegisterBank, code: number) {
  const tables: readonly { readonly name: ReadTable; readonly registers: RegisterTable }[] = [
    { name: "coils", registers: bank.coils },
    { name: "discrete_inputs", registers: bank.discreteInputs },
    { name: "holdings", registers: bank.holdings },
    { name: "inputs", registers: bank.inputs },
  ];
  return tables.find(({ name }) => READ_CODES[name] === code);
}

interface Asked {
  readonly code: number;
  readonly register: number;
  readonly count: number;
}

function read(
  registers: RegisterTable,
  name: ReadTable,
  { code, register, count }: Asked,
  refuse: (exception: number) => Uint8Array,
): Uint8Array {
  if (count < 1 || count > MAX_READ[name]) return refuse(ILLEGAL_VALUE);
  const values: number[] = [];
  for (let at = 0; at < count; at++) {
    const value = registers.get(register + at);
    if (value === undefined) return refuse(ILLEGAL_ADDRESS);
    values.push(value);
  }
  const isBits = name === "coils" || name === "discrete_inputs";
  const bytes = isBits ? packBits(values) : values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]);
  return Uint8Array.of(code, bytes.length, ...bytes);
}

/** The values of a write; undefined when its length contradicts its header. */
function valuesOf(
  pdu: Uint8Array,
): { readonly table: "coils" | "holdings"; readonly values: readonly number[] } | undefined {
  const [code = 0] = pdu;
  const value = word(pdu, 3);
  switch (code) {
    case WRITE_CODES.coil:
      return pdu.length === 5 && (value === 0 || value === 0xff00)
        ? { table: "coils", values: [value === 0 ? 0 : 1] }
        : undefined;
    case WRITE_CODES.holding:
      return pdu.length === 5 ? { table: "holdings", values: [value] } : undefined;
    case WRITE_CODES.multiple_coils: {
      const length = Math.ceil(value / 8);
      const fits = value >= 1 && value <= MAX_WRITE.multiple_coils && pdu[5] === length && pdu.length === 6 + length;
      const bit = (at: number) => (itemAt(pdu, 6 + (at >> 3)) >> (at & 7)) & 1;
      return fits ? { table: "coils", values: Array.from({ length: value }, (_, at) => bit(at)) } : undefined;
    }
    case WRITE_CODES.multiple_holdings: {
      const fits =
        value >= 1 && value <= MAX_WRITE.multiple_holdings && pdu[5] === value * 2 && pdu.length === 6 + value * 2;
      return fits
        ? { table: "holdings", values: Array.from({ length: value }, (_, at) => word(pdu, 6 + at * 2)) }
        : undefined;
    }
    default:
      return undefined;
  }
}

function word(pdu: Uint8Array, at: number): number {
  return ((pdu.at(at) ?? 0) << 8) | (pdu.at(at + 1) ?? 0);
}
