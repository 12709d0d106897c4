// Reads an interlock as people write it, and reports everything that is wrong with it at once. The same reader serves the
// interface, the command line and stored rows. What devices there are is checked by `resolveInterlock`.
import { DocumentReader, type Fields, type Problem } from "#core/text/document-reader.ts";
import {
  AFTER_FAILSAFE,
  type AttributeName,
  type Circuit,
  type CircuitLoad,
  type CircuitsInterlock,
  type ConditionInterlock,
  type ConnectionInterlock,
  EFFECTS,
  type GridSignalInterlock,
  INTERLOCK_KINDS,
  INTERLOCK_NAME,
  type Interlock,
  LARGEST_LIMIT,
  LONGEST_INTERLOCK_TEXT,
  type Load,
  MOST_CIRCUITS,
  MOST_LIMITS,
  MOST_LOADS,
  type NamedLimit,
  PHASES,
  SHARINGS,
  type Test,
  WHEN_UNKNOWN,
} from "./interlock.ts";

const COMMON = ["kind", "display_name", "stale_after", "when_unknown", "keep_for"];
const FIELDS = {
  connection: ["unit", "meter", "max_import", "max_export", "sharing", "release_after", "margin", "loads"],
  circuits: ["circuits", "sharing", "release_after", "margin", "loads"],
  condition: ["when", "hold_for", "limits"],
  grid_signal: ["from", "heartbeat", "failsafe_for", "after_failsafe", "limits", "failsafe"],
} as const;
const LOAD = ["device", "control", "effect", "per_unit", "draws", "safe", "least"];
const ANY: readonly [number, number] = [-LARGEST_LIMIT, LARGEST_LIMIT];
const POSITIVE: readonly [number, number] = [0, LARGEST_LIMIT];

/** The interlock is undefined where there are problems. */
export function parseInterlock(document: unknown): {
  readonly interlock: Interlock | undefined;
  readonly problems: readonly Problem[];
} {
  const reader = new DocumentReader();
  const any = reader.object(document, [...COMMON, ...new Set(Object.values(FIELDS).flat())]);
  const kind = any.at("kind").word(any.get("kind"), INTERLOCK_KINDS);
  // Nobody knows what else it should have.
  if (any.get("kind") !== kind) return { interlock: undefined, problems: reader.problems };
  any.refuseOthers([...COMMON, ...FIELDS[kind]], kind);
  const interlock = READERS[kind](any);
  return { interlock: reader.problems.length === 0 ? interlock : undefined, problems: reader.problems };
}

const READERS = {
  connection: readConnection,
  circuits: readCircuits,
  condition: readCondition,
  grid_signal: readGridSignal,
} as const;

function common(fields: Fields) {
  return {
    displayName: fields.optional("display_name", name),
    staleMs: fields.optional("stale_after", (at, given) => at.duration(given, ["1s", "1d"])) ?? 30_000,
    whenUnknown: fields.optional("when_unknown", (at, given) => at.word(given, WHEN_UNKNOWN)) ?? WHEN_UNKNOWN[0],
    keepMs: fields.optional("keep_for", (at, given) => at.duration(given, ["1s", "1d"])) ?? 300_000,
  };
}

function shared(fields: Fields) {
  return {
    sharing: fields.optional("sharing", (at, given) => at.word(given, SHARINGS)) ?? SHARINGS[0],
    releaseMs: fields.optional("release_after", (at, given) => at.duration(given, ["1s", "1d"])) ?? 60_000,
    margin: fields.optional("margin", (at, given) => at.number(given, [0, 0.5])) ?? 0.02,
  };
}

const name = (at: DocumentReader, given: unknown) => at.name(given, LONGEST_INTERLOCK_TEXT);

function attribute(fields: Fields): AttributeName {
  return {
    device: name(fields.at("device"), fields.get("device")),
    attribute: name(fields.at("attribute"), fields.get("attribute")),
  };
}

function readConnection(fields: Fields): ConnectionInterlock {
  const meter = fields.at("meter").object(fields.get("meter"), ["device", "attribute", "positive"]);
  const maximum = (key: string) => fields.optional(key, (at, given) => at.number(given, POSITIVE));
  const [maxImport, maxExport] = [maximum("max_import"), maximum("max_export")];
  if (maxImport === undefined && maxExport === undefined) fields.at("max_import").report("or max_export is needed");
  return {
    kind: "connection",
    ...common(fields),
    ...shared(fields),
    unit: fields.optional("unit", name) ?? "W",
    meter: {
      ...attribute(meter),
      positive: meter.optional("positive", (at, given) => at.word(given, ["import", "export"])) ?? "import",
    },
    maxImport,
    maxExport,
    loads: readLoads(fields, LOAD, (load) => load),
  };
}

function readLoads<Read extends Load>(
  fields: Fields,
  known: readonly string[],
  more: (load: Load, fields: Fields) => Read,
): readonly Read[] {
  const seen = new Set<string>();
  return fields
    .at("loads")
    .list(fields.get("loads"), MOST_LOADS)
    .map(({ value, at }) => {
      const own = at.object(value, known);
      const load = readLoad(own);
      const key = JSON.stringify([load.device, load.control]);
      if (seen.has(key)) at.report("has the same device and control as another load of the list", "duplicate");
      seen.add(key);
      return more(load, own);
    });
}

function readLoad(own: Fields): Load {
  const perUnit = own.optional("per_unit", (at, given) => at.number(given, POSITIVE));
  if (perUnit === 0) own.at("per_unit").report("must be above 0");
  return {
    device: name(own.at("device"), own.get("device")),
    control: name(own.at("control"), own.get("control")),
    effect: own.optional("effect", (at, given) => at.word(given, EFFECTS)) ?? EFFECTS[0],
    perUnit,
    draws: own.optional("draws", name),
    safe: own.optional("safe", (at, given) => at.number(given, ANY)),
    least: own.optional("least", (at, given) => at.number(given, POSITIVE)) ?? 0,
  };
}

function readCircuits(fields: Fields): CircuitsInterlock {
  const at = fields.at("circuits");
  const circuits = at
    .list(fields.get("circuits"), MOST_CIRCUITS)
    .map(({ value, at: place }) => readCircuit(place, value));
  checkTree(at, circuits);
  const names = new Set(circuits.map((circuit) => circuit.name));
  const loads = readLoads(fields, [...LOAD, "circuit", "phases"], (load, own): CircuitLoad => {
    const circuit = name(own.at("circuit"), own.get("circuit"));
    if (circuit !== "" && !names.has(circuit))
      own.at("circuit").report(`must be one of ${list(names)}`, "unknown_circuit");
    const phases = own.optional("phases", (place, given) => {
      const read = place.list(given, PHASES.length).map((one) => PHASES[one.at.whole(one.value, [1, 3]) - 1] ?? 1);
      if (new Set(read).size < read.length) place.report("must have each phase once", "duplicate");
      return read;
    });
    return { ...load, circuit, phases: phases ?? PHASES };
  });
  return { kind: "circuits", ...common(fields), ...shared(fields), circuits, loads };
}

function readCircuit(at: DocumentReader, value: unknown): Circuit {
  const own = at.object(value, ["name", "parent", "max_current", "meter", "unmeasured"]);
  const meter = own.optional("meter", (place, given) => {
    const fields = place.object(given, ["device", "attributes"]);
    const attributes = fields.at("attributes").list(fields.get("attributes"), PHASES.length);
    if (attributes.length === 2)
      fields.at("attributes").report("must have 3 attributes, one for each phase, or one for all");
    return {
      device: name(fields.at("device"), fields.get("device")),
      attributes: attributes.map((one) => name(one.at, one.value)),
    };
  });
  const unmeasured = own.optional("unmeasured", (place, given) => place.number(given, POSITIVE));
  if (meter !== undefined && unmeasured !== undefined)
    own.at("unmeasured").report("does not go with a meter, which measures all of it", "does_not_go_together");
  return {
    name: own.at("name").text(own.get("name"), INTERLOCK_NAME, "a name of letters a to z, digits, _ and -"),
    parent: own.optional("parent", name),
    maxCurrent: own.at("max_current").number(own.get("max_current"), POSITIVE),
    meter,
    unmeasured: unmeasured ?? 0,
  };
}

/** Every parent exists, no name is there twice, and nothing is its own ancestor. */
function checkTree(at: DocumentReader, circuits: readonly Circuit[]): void {
  const parents = new Map<string, string | undefined>();
  for (const [n, circuit] of circuits.entries()) {
    if (circuit.name !== "" && parents.has(circuit.name))
      at.at(String(n)).at("name").report("is the name of another circuit", "duplicate");
    else parents.set(circuit.name, circuit.parent);
  }
  for (const [n, { name: own, parent }] of circuits.entries()) {
    const place = at.at(String(n)).at("parent");
    if (parent === undefined) continue;
    if (!parents.has(parent)) {
      place.report(`must be one of ${list(parents.keys())}`, "unknown_circuit");
      continue;
    }
    let above: string | undefined = parent;
    for (let steps = 0; above !== undefined && above !== own && steps < circuits.length; steps += 1)
      above = parents.get(above);
    if (above === own) place.report("leads back to the circuit itself; one circuit has no parent", "cycle");
  }
}

const list = (names: Iterable<string>): string => [...names].slice(0, 10).join(", ");

function readCondition(fields: Fields): ConditionInterlock {
  const when = fields
    .at("when")
    .object(fields.get("when"), ["device", "attribute", "unit", "above", "below", "hysteresis", "equals"]);
  return {
    kind: "condition",
    ...common(fields),
    when: { ...attribute(when), unit: when.optional("unit", name), test: readTest(fields.at("when"), when) },
    holdMs: fields.optional("hold_for", (at, given) => at.duration(given, ["0s", "7d"])) ?? 0,
    limits: readLimits(fields, "limits"),
  };
}

function readTest(at: DocumentReader, when: Fields): Test {
  const given = ["above", "below", "equals"].filter((key) => when.get(key) !== undefined && when.get(key) !== null);
  if (given.length !== 1) at.report("needs one of above, below and equals");
  const hysteresis = when.optional("hysteresis", (place, value) => place.number(value, POSITIVE)) ?? 0;
  if (given[0] !== "equals") {
    const kind = given[0] === "below" ? "below" : "above";
    return { kind, threshold: given.length === 0 ? 0 : when.at(kind).number(when.get(kind), ANY), hysteresis };
  }
  if (hysteresis > 0) when.at("hysteresis").report("does not go with equals", "does_not_go_together");
  const value = when.get("equals");
  if (typeof value === "boolean") return { kind: "equals", value };
  if (typeof value === "number") return { kind: "equals", value: when.at("equals").number(value, ANY) };
  return { kind: "equals", value: name(when.at("equals"), value) };
}

function readLimits(fields: Fields, key: string): readonly NamedLimit[] {
  const seen = new Set<string>();
  return fields
    .at(key)
    .list(fields.get(key), MOST_LIMITS)
    .map(({ value, at }) => {
      const own = at.object(value, ["device", "control", "min", "max"]);
      const bound = (side: string) => own.optional(side, (place, given) => place.number(given, ANY));
      const [min, max] = [bound("min"), bound("max")];
      if (min === undefined && max === undefined) at.report("needs min or max");
      if (min !== undefined && max !== undefined && min > max) own.at("min").report("must not be above max");
      const limit = {
        device: name(own.at("device"), own.get("device")),
        control: name(own.at("control"), own.get("control")),
        min,
        max,
      };
      const same = JSON.stringify([limit.device, limit.control]);
      if (seen.has(same)) at.report("has the same device and control as another limit of the list", "duplicate");
      seen.add(same);
      return limit;
    });
}

function readGridSignal(fields: Fields): GridSignalInterlock {
  const isClaims = fields.get("from") === "claims";
  const from = isClaims ? undefined : fields.at("from").object(fields.get("from"), ["device", "attribute", "active"]);
  if (isClaims)
    fields.refuseOthers(
      [...COMMON, ...FIELDS.grid_signal].filter((key) => key !== "limits"),
      "from: claims",
    );
  const failsafe = fields.optional("failsafe", () => readLimits(fields, "failsafe"));
  if (isClaims && failsafe === undefined) fields.at("failsafe").report("is needed with from: claims");
  const limits = isClaims ? [] : readLimits(fields, "limits");
  const active = from?.optional("active", (at, given) => {
    if (typeof given !== "boolean") at.report("must be true or false");
    return given !== false;
  });
  return {
    kind: "grid_signal",
    ...common(fields),
    from: from === undefined ? "claims" : { ...attribute(from), active: active ?? true },
    heartbeatMs: fields.optional("heartbeat", (at, given) => at.duration(given, ["1s", "1d"])) ?? 120_000,
    failsafeMs: fields.optional("failsafe_for", (at, given) => at.duration(given, ["1s", "7d"])) ?? 7_200_000,
    afterFailsafe:
      fields.optional("after_failsafe", (at, given) => at.word(given, AFTER_FAILSAFE)) ?? AFTER_FAILSAFE[0],
    limits,
    failsafe: failsafe ?? limits,
  };
}
