// Who gives power and who takes it, in watts. What is not measured is shown as unknown, never as zero.
import type { Kind } from "./power-readings.ts";

/** `rest` is what the meter at the grid sees and no device accounts for: the building. */
export type FlowKind = Kind | "rest";

export type Measured = { readonly kind: Kind /** Undefined: unknown. */; readonly watts: number | undefined };

export type FlowNode = {
  readonly kind: FlowKind;
  /** Never negative; undefined when at least one of its devices is unknown. */
  readonly watts: number | undefined;
  readonly role: "gives" | "takes" | "rests" | "unknown";
};

type FlowEdge = { readonly from: FlowKind; readonly to: FlowKind; readonly watts: number };

export type EnergyFlow = {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  /** More is taken than given by this much: the measurements do not fit each other. */
  readonly excess: number | undefined;
};

/** Kinds whose positive power is given to the others: production, from the grid, out of a battery. */
const GIVERS: ReadonlySet<FlowKind> = new Set(["solar", "wind", "generator", "grid", "battery"]);
const ORDER: readonly FlowKind[] = [
  "solar",
  "wind",
  "generator",
  "grid",
  "battery",
  "rest",
  "load",
  "hydrogen",
  "vehicle",
];
/** Less than this is noise of meters. */
const NOISE = 15;
/** A smaller share of all power is too thin to draw. */
const SMALLEST_SHARE = 0.004;

export function energyFlow(measured: readonly Measured[]): EnergyFlow {
  const sums = new Map<FlowKind, number | undefined>();
  for (const { kind, watts } of measured) {
    const sum = sums.has(kind) ? sums.get(kind) : 0;
    sums.set(kind, sum === undefined || watts === undefined ? undefined : sum + watts);
  }
  /** What a kind gives to the others; negative: what it takes. */
  const given = (kind: FlowKind, watts: number) => (GIVERS.has(kind) ? watts : -watts);
  const isComplete = [...sums.values()].every((watts) => watts !== undefined);
  let excess: number | undefined;
  if (sums.has("grid")) {
    const balance = isComplete
      ? [...sums].reduce((total, [kind, watts]) => total + given(kind, watts ?? 0), 0)
      : undefined;
    sums.set("rest", balance === undefined ? undefined : Math.max(0, balance));
    const throughput = [...sums].reduce((total, [kind, watts]) => total + Math.max(0, given(kind, watts ?? 0)), 0);
    // Values of several devices are not of the very same moment.
    if (balance !== undefined && -balance > Math.max(200, 0.03 * throughput)) excess = -balance;
  }
  const nodes = ORDER.filter((kind) => sums.has(kind)).map((kind): FlowNode => {
    const watts = sums.get(kind);
    if (watts === undefined) return { kind, watts, role: "unknown" };
    const flow = given(kind, watts);
    return { kind, watts: Math.abs(watts), role: Math.abs(flow) < NOISE ? "rests" : flow > 0 ? "gives" : "takes" };
  });
  return { nodes, edges: edgesBetween(nodes), excess };
}

/** Power mixes on a bus: each who gives serves each who takes, in proportion. */
function edgesBetween(nodes: readonly FlowNode[]): readonly FlowEdge[] {
  const givers = nodes.filter(({ role }) => role === "gives");
  const takers = nodes.filter(({ role }) => role === "takes");
  const sum = (list: readonly FlowNode[]) => list.reduce((total, { watts }) => total + (watts ?? 0), 0);
  const total = Math.max(sum(givers), sum(takers));
  return givers.flatMap((from) =>
    takers.flatMap((to) => {
      const watts = ((from.watts ?? 0) * (to.watts ?? 0)) / total;
      return watts < Math.max(NOISE / 2, total * SMALLEST_SHARE) ? [] : [{ from: from.kind, to: to.kind, watts }];
    }),
  );
}
