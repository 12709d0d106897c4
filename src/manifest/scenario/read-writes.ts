import type { ExpectedWrite, Placed } from "#core/scenario/scenario.ts";
import { entryTrail, type Trail } from "#manifest/tree.ts";
import { type ExpectedRegisters, expectedCoils, expectedRegisters } from "./read-registers.ts";
import { may, type PeerHint, placeOf, type Reader, type ScenarioContext } from "./reader.ts";
import { object, textRecord } from "./reader-shapes.ts";

interface TableExpectation {
  readonly holdings: ReadonlyMap<number, ExpectedRegisters> | undefined;
  readonly coils: ReadonlyMap<number, ExpectedRegisters> | undefined;
}

function tables({ words }: PeerHint) {
  return {
    holdings: may(expectedRegisters(words), "Holding registers that were written, by number."),
    coils: may(expectedCoils, "Coils that were written, by number."),
  };
}

/** What a script is expected to write to a Modbus peer. */
export function expectedWrites(hint: PeerHint): Reader<readonly Placed<ExpectedWrite>[]> {
  const unit = object("unit", tables(hint));
  const fields = object("expectation of writes", {
    ...tables(hint),
    units: may(textRecord("unit", unit), "The same by unit."),
  });
  return {
    schema: fields.schema,
    read: (context, trail) => {
      const given = fields.read(context, trail);
      if (given === undefined) return undefined;
      const own = writesOf(context, trail, { unit: undefined, given });
      const others = [...(given.units ?? [])].flatMap(([number, one]) =>
        writesOf(context, trail, { unit: Number(number), given: one }),
      );
      return [...own, ...others];
    },
  };
}

function writesOf(
  context: ScenarioContext,
  trail: Trail,
  { unit, given }: { readonly unit: number | undefined; readonly given: TableExpectation },
): readonly Placed<ExpectedWrite>[] {
  const base = unit === undefined ? trail : (child(child(trail, "units"), String(unit)) ?? trail);
  const of = (table: "holdings" | "coils") =>
    [...(given[table] ?? [])].map(([first, { layout, value }]) => {
      const inner = placeOfRegister(child(base, table), first);
      return { place: placeOf(context, inner ?? base ?? trail), value: { unit, table, first, layout, value } };
    });
  return [...of("holdings"), ...of("coils")];
}

function child(trail: Trail | undefined, step: string): Trail | undefined {
  const entry = trail?.node.kind === "map" ? trail.node.entries.get(step) : undefined;
  return trail && entry && entryTrail(trail, entry);
}

function placeOfRegister(trail: Trail | undefined, first: number): Trail | undefined {
  if (trail?.node.kind !== "map") return undefined;
  const entry = [...trail.node.entries.values()].find(({ key }) => Number(key) === first);
  return entry && entryTrail(trail, entry);
}
