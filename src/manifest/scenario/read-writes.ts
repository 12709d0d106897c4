import type { ExpectedWrite, Placed } from "#core/scenario/scenario.ts";
import { type ExpectedRegisters, expectedCoils, expectedRegisters } from "./read-registers.ts";
import { mapReader, type PeerHint, type Reader, withDefault } from "./reader.ts";
import { object, textRecord } from "./reader-shapes.ts";

type Table = ReadonlyMap<number, Placed<ExpectedRegisters>>;
type Tables = { readonly holdings: Table; readonly coils: Table };

function tables({ words }: PeerHint) {
  return {
    holdings: withDefault(expectedRegisters(words), new Map(), "Holding registers that were written, by number."),
    coils: withDefault(expectedCoils, new Map(), "Coils that were written, by number."),
  };
}

/** What a script is expected to write to a Modbus peer. */
export function expectedWrites(hint: PeerHint): Reader<readonly Placed<ExpectedWrite>[]> {
  const unit = object("unit", tables(hint));
  const fields = object("expectation of writes", {
    ...tables(hint),
    units: withDefault(textRecord("unit", unit), new Map(), "The same by unit."),
  });
  return mapReader(fields, ({ units, ...own }) => [
    ...writesOf(undefined, own),
    ...[...units].flatMap(([number, one]) => writesOf(Number(number), one)),
  ]);
}

function writesOf(unit: number | undefined, given: Tables): readonly Placed<ExpectedWrite>[] {
  return (["holdings", "coils"] as const).flatMap((table) =>
    [...given[table]].map(([first, { place, value }]) => ({ place, value: { unit, table, first, ...value } })),
  );
}
