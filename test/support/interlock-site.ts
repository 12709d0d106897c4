// A small site for interlocks, without a server: a meter, a charger, a battery, a heater, a contact and a thermometer.
import type { Control } from "#core/control/control.ts";
import { evaluateInterlock, type Memory } from "#core/interlock/evaluate-interlock.ts";
import { isWorthStoring, parseMemory, recallMemory, renderMemory } from "#core/interlock/interlock-memory.ts";
import type { Inputs, Loading, Outcome, Reading } from "#core/interlock/outcome.ts";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import {
  type Resolved,
  resolveInterlock,
  type SiteDevice,
  type SiteKnowledge,
} from "#core/interlock/resolve-interlock.ts";

const BASE: Control = {
  id: "power",
  displayName: "Power",
  unit: "W",
  command: "set_power",
  argument: "power",
  argumentType: "float",
  toArgument: { factor: 1, offset: 0 },
  arguments: new Map(),
  reads: { attribute: "power", fromReading: { factor: 1, offset: 0 } },
  min: 0,
  max: 11_000,
  step: undefined,
  refreshMs: undefined,
  tolerance: undefined,
  settleMs: 30_000,
  ramp: undefined,
  intervalMs: 1000,
  safe: "zero",
  prepare: undefined,
  fallback: { kind: "value", value: 0 },
  profile: undefined,
};

const makeControl = (changes: Partial<Control> = {}): Control => ({ ...BASE, ...changes });

const attribute = (type: string, unit?: string) => ({ type, unit, accessLevel: "readonly" }) as const;
const device = (id: string, attributes: SiteDevice["attributes"], ...controls: readonly Control[]): SiteDevice => ({
  id,
  attributes,
  controls: new Map(controls.map((control) => [control.id, control])),
});

const DEVICES = [
  device(
    "meter",
    new Map([
      ["power", attribute("float", "kW")],
      ["mode", attribute("string")],
      ["current_l1", attribute("float", "A")],
      ["current_l2", attribute("float", "A")],
      ["current_l3", attribute("float", "A")],
    ]),
  ),
  device(
    "charger",
    new Map([["drawn", attribute("float", "W")]]),
    makeControl(),
    makeControl({ id: "current", unit: "A", max: 32 }),
  ),
  device("second", new Map(), makeControl(), makeControl({ id: "current", unit: "A", max: 32 })),
  device(
    "battery",
    new Map([["soc", attribute("float", "%")]]),
    makeControl({ id: "discharge", min: -5_000, max: 5_000 }),
  ),
  device("heater", new Map(), makeControl({ id: "on", unit: undefined, argumentType: "boolean", max: 1, step: 1 })),
  device("contact", new Map([["dim", attribute("boolean")]])),
  device("room", new Map([["temperature", attribute("float", "Cel")]])),
];

const FACTORS: Readonly<Record<string, readonly [kind: string, factor: number]>> = {
  W: ["power", 1],
  kW: ["power", 1000],
  A: ["current", 1],
};

export const SITE: SiteKnowledge = {
  device: (name) => DEVICES.find(({ id }) => id === name),
  conversion: (from, to) => {
    if (from === to || from === undefined || to === undefined) return { factor: 1, offset: 0 };
    const [a, b] = [FACTORS[from], FACTORS[to]];
    return a !== undefined && b !== undefined && a[0] === b[0] ? { factor: a[1] / b[1], offset: 0 } : undefined;
  },
};

function resolvedOf(document: unknown): Resolved {
  const { interlock, problems } = parseInterlock(document);
  if (interlock === undefined) throw new Error(JSON.stringify(problems));
  const found = resolveInterlock(interlock, SITE);
  if (found.problems.length > 0) throw new Error(JSON.stringify(found.problems));
  return found.resolved;
}

/** An interlock that is evaluated again and again. Readings are by `device.attribute`, loadings by `device.control`. */
export class Watched {
  readings: Record<string, Reading> = {};
  loadings: Record<string, Loading> = {};
  claims: Inputs["gridClaims"] = () => [];
  /** Of all devices. Undefined: long ago. */
  begunAt: number | undefined;
  readonly #resolved: Resolved;
  #memory: Memory | undefined;
  #stored: { readonly text: string; readonly at: number } | undefined;
  writes = 0;

  constructor(document: unknown) {
    this.#resolved = resolvedOf(document);
  }

  evaluate(now: number): Outcome {
    const nothing: Loading = { current: undefined, wanted: undefined };
    const inputs: Inputs = {
      now,
      reading: (deviceId, name) => this.readings[`${deviceId}.${name}`],
      loading: (deviceId, { id }) => this.loadings[`${deviceId}.${id}`] ?? nothing,
      begunAt: () => this.begunAt,
      gridClaims: this.claims,
    };
    const { outcome, memory } = evaluateInterlock(this.#resolved, this.#memory, inputs);
    this.#memory = memory;
    return outcome;
  }

  restart(): void {
    this.#memory = undefined;
  }

  /** As a gateway does after each evaluation. `all`: as one does that is stopped. */
  store(now: number, all = false): void {
    const memory = this.#memory;
    if (memory === undefined || memory.kind === "damaged" || this.#resolved.kind === "damaged") return;
    const before = this.#stored && parseMemory(JSON.parse(this.#stored.text));
    if (all || isWorthStoring(this.#resolved.interlock, before, memory)) {
      this.#stored = { text: JSON.stringify(renderMemory(memory)), at: now };
      this.writes += 1;
    }
    // Now and then it is said to be right.
    if (this.#stored !== undefined && now - this.#stored.at >= 60_000) this.#stored = { ...this.#stored, at: now };
  }

  /** It goes on with what was stored. */
  startAgain(now: number): void {
    const value = this.#stored && parseMemory(JSON.parse(this.#stored.text));
    this.#memory = value && this.#stored && recallMemory(value, this.#stored.at, now);
  }
}

/** Short: `charger.power<=4000!`, with an exclamation mark if it holds. */
export const limitsOf = ({ limits }: Outcome): readonly string[] =>
  limits.map(
    ({ deviceId, control, kind, value, isHolding }) =>
      `${deviceId}.${control.id}${kind === "max" ? "<=" : ">="}${Number(value.toFixed(3))}${isHolding ? "!" : ""}`,
  );
