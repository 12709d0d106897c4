// Values of one device that belong together fit together. Each attribute has its own model; here the ones that depend on
// others are derived from them: what is disconnected or does not work carries nothing, direct current feeds alternating
// current with some loss, phases add up to their total, and a current is its power by its voltage.
//
// A value that somebody holds is never changed; the others follow it.
import { explicitRoleOf, PV_WORDS, type Role } from "./flow-model.ts";
import type { NumberFacts } from "./number-facts.ts";
import { saysApart, saysIdle } from "./status-words.ts";
import { hasWord } from "./words.ts";

/** Of direct current that becomes alternating current. */
const EFFICIENCY = 0.965;

interface StatedAttribute {
  readonly id: string;
  readonly words: readonly string[];
}

interface Agreeing {
  /** The attributes that are numbers. */
  readonly numbers: readonly NumberFacts[];
  /** The attributes that are words, codes and flags. */
  readonly states: readonly StatedAttribute[];
}

/** Changes values so that they agree. */
type Agreement = (values: Map<string, unknown>, isHeld: (id: string) => boolean) => void;

export function agreementOf({ numbers, states }: Agreeing): Agreement {
  const flows = numbers.filter(({ kind }) => kind === "flow");
  const readers = states.map(({ id, words }) => ({ id, read: idleReader(words) }));
  const circuits = circuitsOf(numbers);
  const total = circuits.find((one) => one.power !== undefined && one.isAlternating && !one.isPhase);
  const phases = circuits.filter(({ isPhase }) => isPhase);
  const sources = circuits.filter((one) => one.isDirect && !one.isPhase && one.key !== total?.key);
  const main = circuits.find(({ isPhase, power }) => power !== undefined && !isPhase);
  const perPhase = phases.length > 1 ? phases.length : 1;
  const efficiency = numbers.find(({ words, quantity }) => quantity === "ratio" && hasWord(words, "efficiency"));
  const factor = numbers.find(({ words }) => hasWord(words, "factor"));

  return (values, isHeld) => {
    const read = (facts: NumberFacts | undefined) => facts?.read(values.get(facts.id));
    const write = (facts: NumberFacts | undefined, value: number) => {
      if (facts !== undefined && !isHeld(facts.id)) values.set(facts.id, facts.write(value));
    };
    const idle = idleRoles(readers, values);
    for (const one of flows) if (idle.has("all") || idle.has(one.role)) write(one, 0);
    if (total?.power !== undefined && isByItself(total.power, sources) && !isHeld(total.power.id))
      write(total.power, EFFICIENCY * powerOf(sources, read));
    const fedPower = read(total?.power);
    if (fedPower !== undefined && sources.length > 0) feed(sources, fedPower, { read, write });
    if (efficiency !== undefined && fedPower !== undefined && fedPower > 0 && sources.length > 0)
      write(efficiency, EFFICIENCY * 100);
    const wholePower = fedPower ?? read(main?.power);
    if (wholePower !== undefined && perPhase > 1) share(phases, wholePower, { read, write });
    for (const circuit of circuits) settleCircuit(circuit, { read, write, wholePower, perPhase, factor });
  };
}

interface Circuit {
  /** Which wires it is about: its words without those of the quantity. */
  readonly key: string;
  readonly words: readonly string[];
  readonly isPhase: boolean;
  readonly isAlternating: boolean;
  readonly isDirect: boolean;
  /** One of several alike, such as pv1. */
  readonly isPart: boolean;
  readonly power: NumberFacts | undefined;
  readonly voltage: NumberFacts | undefined;
  readonly current: NumberFacts | undefined;
  readonly apparent: NumberFacts | undefined;
  readonly reactive: NumberFacts | undefined;
}

interface Access {
  readonly read: (facts: NumberFacts | undefined) => number | undefined;
  readonly write: (facts: NumberFacts | undefined, value: number) => void;
}

const QUANTITY_WORDS = "power voltage current active apparent reactive total value measured actual output rms";

function circuitsOf(numbers: readonly NumberFacts[]): readonly Circuit[] {
  const found = new Map<string, { -readonly [field in keyof Circuit]: Circuit[field] }>();
  for (const facts of numbers) {
    const slot = slotOf(facts);
    if (slot === undefined) continue;
    const words = facts.ownWords.filter((word) => !hasWord([word], QUANTITY_WORDS));
    const key = words.join(" ");
    const circuit = found.get(key) ?? {
      ...{ key, words, isPhase: hasPhase(words), isAlternating: isAlternating(words), isDirect: isDirect(words) },
      isPart: words.some((word) => /\d$/.test(word)),
      ...{ power: undefined, voltage: undefined, current: undefined },
      ...{ apparent: undefined, reactive: undefined },
    };
    circuit[slot] ??= facts;
    found.set(key, circuit);
  }
  return [...found.values()];
}

function slotOf({
  quantity,
  kind,
  words,
}: NumberFacts): "power" | "voltage" | "current" | "apparent" | "reactive" | undefined {
  if (quantity === "voltage")
    return kind === "level" && !hasWord(words, "min max minimum maximum cell cells") ? "voltage" : undefined;
  if (kind !== "flow") return undefined;
  if (quantity === "current") return "current";
  if (quantity !== "power") return undefined;
  return hasWord(words, "apparent") ? "apparent" : hasWord(words, "reactive") ? "reactive" : "power";
}

function hasPhase(words: readonly string[]): boolean {
  return words.some((word) => /^(?:l|phase|ph)[123]$|^[123]$|^[abc]$/.test(word));
}

function isAlternating(words: readonly string[]): boolean {
  return hasWord(words, "ac inverter output");
}

function isDirect(words: readonly string[]): boolean {
  return (
    (hasWord(words, `dc input ${PV_WORDS}`) || words.some((word) => /^(?:dc|pv|mppt|string)\d+$/.test(word))) &&
    !hasWord(words, "ac battery bat")
  );
}

/** The sun decides what its modules give, whatever the device does otherwise. */
function isByItself(fed: NumberFacts, sources: readonly Circuit[]): boolean {
  return fed.role !== "sun" && sources.some(({ power }) => power?.role === "sun");
}

/** The total of the direct side, or its parts together. */
function powerOf(sources: readonly Circuit[], read: Access["read"]): number {
  const whole = sources.find(({ power, isPart }) => power !== undefined && !isPart);
  if (whole !== undefined) return read(whole.power) ?? 0;
  return sources.reduce((sum, { power }) => sum + (read(power) ?? 0), 0);
}

/** What feeds the alternating current: the total of the direct side, and its parts, which share it by their own models. */
function feed(sources: readonly Circuit[], fedPower: number, { read, write }: Access): void {
  const needed = Math.max(fedPower, 0) / EFFICIENCY;
  const whole = sources.filter(({ isPart }) => !isPart);
  const parts = sources.filter(({ isPart }) => isPart);
  for (const { power } of whole) write(power, needed);
  // Parts of each naming, such as pv1 and pv2 beside string_1, are the whole again.
  const kinds = new Set(parts.map(({ words }) => words.map((word) => word.replace(/\d+$/, "")).join(" ")));
  for (const kind of kinds) {
    const group = parts.filter(({ words }) => words.map((word) => word.replace(/\d+$/, "")).join(" ") === kind);
    for (const [place, { power, voltage, current }] of group.entries()) {
      const part = (needed / group.length) * unevenness(place, group.length);
      write(power, part);
      if (power === undefined) write(current, byVoltage(part, read(voltage)));
    }
  }
}

/** About 1, and 1 on the average. */
function unevenness(place: number, count: number): number {
  return 1 + 0.04 * (place - (count - 1) / 2);
}

function share(phases: readonly Circuit[], wholePower: number, { write }: Access): void {
  for (const [place, { power }] of phases.entries())
    write(power, (wholePower / phases.length) * unevenness(place, phases.length));
}

interface Settling extends Access {
  readonly wholePower: number | undefined;
  readonly perPhase: number;
  readonly factor: NumberFacts | undefined;
}

function settleCircuit(circuit: Circuit, { read, write, wholePower, perPhase, factor }: Settling): void {
  const { isPhase, power, voltage, current, apparent, reactive } = circuit;
  const watts = read(power) ?? (isPhase && wholePower !== undefined ? wholePower / perPhase : undefined);
  if (watts !== undefined && current !== undefined && (power !== undefined || isPhase)) {
    const wires = isPhase || circuit.isDirect ? 1 : perPhase;
    const amps = byVoltage(watts, read(voltage)) / wires;
    if (voltage !== undefined) write(current, circuit.isAlternating || isPhase ? Math.abs(amps) : amps);
    else if (watts === 0) write(current, 0);
  }
  const real = watts ?? (isPhase ? undefined : wholePower);
  if (real === undefined) return;
  const cosine = Math.min(Math.max(Math.abs(read(factor) ?? 0.97), 0.1), 1);
  write(apparent, Math.abs(real) / cosine);
  write(reactive, Math.abs(real) * Math.sqrt(1 / cosine ** 2 - 1));
}

function byVoltage(watts: number, volts: number | undefined): number {
  return volts === undefined || Math.abs(volts) < 1e-9 ? 0 : watts / volts;
}

/** Whose flows are zero when an attribute has a value; undefined: nobody's. */
type Reader = (value: unknown) => Role | "all" | undefined;

/** Words are looked up once per value, not once per message. */
function idleReader(words: readonly string[]): Reader {
  const role = explicitRoleOf(words);
  const isSwitch = hasWord(words, "contactor breaker relay switch status state");
  const isStatus = hasWord(words, "status state");
  const known = new Map<unknown, Role | "all" | undefined>();
  return (value) => {
    if (typeof value !== "string" && typeof value !== "boolean") return undefined;
    if (known.has(value)) return known.get(value);
    const isApart = saysApart(words, value) && (role !== undefined || isSwitch);
    const found = isApart || (isStatus && saysIdle(value)) ? (role ?? "all") : undefined;
    if (known.size < MAX_KNOWN_VALUES) known.set(value, found);
    return found;
  };
}

const MAX_KNOWN_VALUES = 100;

function idleRoles(
  states: readonly { readonly id: string; readonly read: Reader }[],
  values: ReadonlyMap<string, unknown>,
): ReadonlySet<Role | "all"> {
  const idle = new Set<Role | "all">();
  for (const { id, read } of states) {
    const role = read(values.get(id));
    if (role !== undefined) idle.add(role);
  }
  return idle;
}
