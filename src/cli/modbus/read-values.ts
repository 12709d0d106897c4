import type { Cli } from "#cli/cli.ts";
import { printTable } from "#cli/print.ts";
import { UsageError } from "#cli/usage-error.ts";
import { itemAt } from "#core/item-at.ts";
import { convert, valueIn } from "#core/modbus/convert-value.ts";
import { isBitKind, type PointValue, type Span } from "#core/modbus/modbus-map.ts";
import { planReads } from "#core/modbus/plan-reads.ts";
import { wordsOf } from "#core/modbus/read-map.ts";
import { isFailure } from "#core/modbus/register-access.ts";
import { registerCount } from "#core/modbus/register-value.ts";
import { failModbus } from "./modbus-failure.ts";
import { openDevice } from "./open-device.ts";
import { parseRange } from "./parse-registers.ts";
import type { ReadFlags } from "./read-flags.ts";

interface Row {
  readonly register: number;
  readonly value: PointValue | null;
  /** The registers as they were read, in hexadecimal. */
  readonly raw: string;
}

const MOST_VALUES = 10_000;

/** Reads typed values and prints them. */
export async function readValues(
  cli: Cli,
  flags: ReadFlags,
  { address, registers }: { readonly address: string; readonly registers: readonly string[] },
): Promise<void> {
  const wanted = spansOf(flags, registers);
  const device = openDevice(address, flags.timeout);
  try {
    const rows: Row[] = [];
    for (const request of planReads(wanted, 0)) {
      const answer = await device.read(request);
      if (isFailure(answer)) failModbus(cli, `${device.name}, ${wordsOf(request)}`, answer);
      for (const span of request.wanted) {
        const own = answer.slice(span.address - request.address, span.address - request.address + span.count);
        rows.push({ register: span.address, ...render(flags, own) });
      }
    }
    const columns = {
      REGISTER: (row: Row) => row.register,
      VALUE: (row: Row) => row.value,
      RAW: (row: Row) => row.raw,
    };
    await printTable(cli, flags, { answer: { values: rows }, rows, columns });
  } finally {
    device.close();
  }
}

function spansOf({ unit, kind, type, count }: ReadFlags, registers: readonly string[]): readonly Span[] {
  const isText = type === "string" && !isBitKind(kind);
  if (isText && count === undefined) throw new UsageError("a string needs --count, its registers");
  const width = isBitKind(kind) ? 1 : registerCount({ type, count: count ?? 1 });
  const found = registers.flatMap((text) => {
    const { first, last } = parseRange(text);
    const values = isText ? 1 : Math.max(count ?? 1, Math.ceil((last - first + 1) / width));
    return Array.from({ length: values }, (_, at) => ({ unit, kind, address: first + at * width, count: width }));
  });
  if (found.length > MOST_VALUES) throw new UsageError(`at most ${MOST_VALUES} values are read at once`);
  if (found.some(({ address }) => address + width > 65_536)) throw new UsageError("there is no register beyond 65535");
  return found;
}

function render(flags: ReadFlags, registers: readonly number[]): Omit<Row, "register"> {
  const { kind, type, scale } = flags;
  const layout = { type, words: flags.wordOrder, bytes: flags.byteOrder, scale: 1, count: registers.length };
  const none = { offset: 0, absent: [], bits: undefined, isBoolean: isBitKind(kind), names: undefined };
  const value = isBitKind(kind)
    ? convert({ ...none, scale }, itemAt(registers, 0))
    : valueIn({ kind, layout }, { ...none, scale }, registers);
  return { value: value ?? null, raw: registers.map((one) => one.toString(16).padStart(4, "0")).join(" ") };
}
