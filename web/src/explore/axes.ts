// Axes of a chart: values that can be measured in one unit share one.
import { areCompatible, convert, parseUnit } from "#manifest/units.ts";
import { scaleValue } from "#web/data/show-value.ts";

export type Measured = {
  readonly unit: string | undefined;
  /** Units in which the manifest wants it shown. */
  readonly autoScale: readonly string[];
  /** The greatest absolute value. */
  readonly size: number;
};

export type Axis = {
  readonly unit: string | undefined;
  /** Indices of the values on it. */
  readonly members: readonly number[];
};

/** A value on its axis is `offset + factor * value`. */
export type Conversion = { readonly factor: number; readonly offset: number };

const AS_IT_IS: Conversion = { factor: 1, offset: 0 };

/** Axes in the order in which the values need them. */
export function axesOf(measured: readonly Measured[]): readonly Axis[] {
  const groups: { unit: string | undefined; members: number[] }[] = [];
  for (const [index, { unit }] of measured.entries()) {
    const group = groups.find((one) => shareUnit(one.unit, unit));
    if (group === undefined) groups.push({ unit, members: [index] });
    else group.members.push(index);
  }
  return groups.map(({ unit, members }) => ({
    unit: unitOf(
      unit,
      members.flatMap((index) => measured[index] ?? []),
    ),
    members,
  }));
}

function shareUnit(one: string | undefined, other: string | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined || !areCompatible(one, other)) return false;
  // A share and a factor are both plain numbers, and W, VA and var measure different things: converted they would mislead.
  return parseUnit(one)?.dimension !== "" && kindOfPower(one) === kindOfPower(other);
}

const kindOfPower = (unit: string) =>
  unit.includes("{reactive}") ? "reactive" : unit.includes("V.A") ? "apparent" : "active";

/** The unit in which the greatest value of the axis reads best, of those that a manifest names. */
function unitOf(unit: string | undefined, members: readonly Measured[]): string | undefined {
  const scale = members.find(({ autoScale }) => autoScale.length > 0)?.autoScale ?? [];
  const sizes = members.map((member) => {
    const { factor, offset } = conversionTo(member.unit, unit);
    return Math.abs(offset + factor * member.size);
  });
  return scaleValue(Math.max(0, ...sizes), unit, scale).unit;
}

export function conversionTo(from: string | undefined, to: string | undefined): Conversion {
  if (from === undefined || to === undefined || from === to) return AS_IT_IS;
  const offset = convert(0, from, to);
  const one = convert(1, from, to);
  return offset === undefined || one === undefined ? AS_IT_IS : { factor: one - offset, offset };
}

/** So many digits after the point distinguish values within this span. */
export function digitsFor(span: number): number {
  if (!Number.isFinite(span) || span <= 0) return 2;
  return Math.min(Math.max(Math.ceil(-Math.log10(span)) + 2, 0), 6);
}
