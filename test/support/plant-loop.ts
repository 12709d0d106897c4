// The demo's plant with rules and claims in virtual time: what devices measure goes to the real machine of rules, what rules claim is
// resolved and written as on a gateway, and the plant obeys. One process, no server; a day takes about a second.
import { readFileSync } from "node:fs";
import type { Claim } from "#core/control/claim.ts";
import { type Control, valueOfReading } from "#core/control/control.ts";
import { type ControlState, NEVER_WRITTEN, planWrite, type Write, writeEnded } from "#core/control/control-writer.ts";
import { resolveClaims } from "#core/control/resolve-claims.ts";
import { samplesBetween } from "#core/rule/replay-gap.ts";
import type { DeclarativeRule } from "#core/rule/rule.ts";
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import type { RuleSite } from "#core/rule/rule-site.ts";
import { NEW_STATE, type RuleState } from "#core/rule/rule-state.ts";
import type { RuleSample, RuleVariable, RuleWorld } from "#core/rule/rule-world.ts";
import { stepRule } from "#core/rule/step-rule.ts";
import { type DemoDevice, demoDevices } from "#demo/demo-devices.ts";
import { limitInverter } from "#demo/plant/inverter.ts";
import { newPlant, type Plant, resumePlant, stepPlant } from "#demo/plant/plant.ts";
import type { PlantSite } from "#demo/plant/site.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { cronTimes } from "#service/schedule/next-time.ts";

export const PLANT_SITE: PlantSite = { seed: 2, latitude: 40, longitude: 0 };
const MINUTE_MS = 60_000;

const blueprints = new Map(
  demoDevices(PLANT_SITE).map(({ slug, example }) => {
    const path = new URL(`../../examples/blueprints/${example}/manifest.yml`, import.meta.url);
    const { blueprint } = parseManifest(readFileSync(path, "utf8"));
    if (blueprint === undefined) throw new Error(`${example} has mistakes`);
    return [slug, { blueprint, controls: resolveControls(blueprint, starterLibrary()) }] as const;
  }),
);

/** The demo site as the parser of rules and controllers know it. */
export const DEMO_RULE_SITE: RuleSite = {
  devices: new Map(
    [...blueprints].map(([slug, { blueprint, controls }]) => {
      const { telemetry, commands, alerts } = blueprint;
      return [slug, { attributes: telemetry, commands, controls, alerts: new Set(alerts.keys()) }];
    }),
  ),
  variables: undefined,
  hasLocation: true,
};

interface LoopOptions {
  readonly from: string;
  /** Of a step of everything. */
  readonly stepMs?: number;
  readonly plant?: (plant: Plant) => Plant;
  /** Rules by id. The first one is the oldest. */
  readonly rules: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, number | string | boolean>>;
  /** What a device does not report at a time, as `device.attribute`. */
  readonly isSilent?: (name: string, at: number) => boolean;
}

interface Ruled {
  readonly id: string;
  readonly rule: DeclarativeRule;
  state: RuleState;
  switches: number;
}

interface Controlled {
  readonly device: string;
  readonly control: Control;
  claims: Claim[];
  state: ControlState;
}

/** What was measured in a quarter of an hour, on average. */
export interface Quarter {
  readonly at: number;
  readonly importW: number;
  readonly exportW: number;
  readonly carW: number;
  readonly sunW: number;
}

export class PlantLoop {
  plant: Plant;
  readonly #devices: readonly DemoDevice[];
  readonly #rules: Ruled[];
  readonly #options: LoopOptions;
  readonly #stepMs: number;
  readonly #samples = new Map<string, RuleSample[]>();
  readonly #read: readonly {
    readonly key: string;
    readonly read: (plant: Plant) => unknown;
    readonly samples: RuleSample[];
  }[];
  readonly #controls = new Map<string, Controlled>();
  readonly variables = new Map<string, RuleVariable>();
  readonly effects: { at: number; rule: string; effect: RuleEffect }[] = [];
  /** `device.control=value`, each time a device was told another value. */
  readonly writes: { at: number; control: string; value: number | undefined }[] = [];
  readonly quarters: Quarter[] = [];
  isContradicted = false;
  #sum = { importWh: 0, exportWh: 0, carWh: 0, sunWh: 0 };

  constructor(options: LoopOptions) {
    const at = Date.parse(options.from);
    this.#options = options;
    this.#stepMs = options.stepMs ?? 10_000;
    const { plant: change = (plant: Plant) => plant } = options;
    this.plant = resumePlant(PLANT_SITE, change(newPlant(PLANT_SITE, at)));
    this.#devices = demoDevices(PLANT_SITE);
    this.#read = this.#attributesRead();
    for (const [name, value] of Object.entries(options.variables ?? {}))
      this.variables.set(name, { value, at, causes: [] });
    this.#rules = Object.entries(options.rules).map(([id, text]) => {
      const { rule, issues } = parseRule(text, { site: DEMO_RULE_SITE });
      if (rule === undefined) throw new Error(`${id}: ${issues.map(({ message }) => message).join("; ")}`);
      return { id, rule, state: NEW_STATE, switches: 0 };
    });
  }

  /** How often a rule turned on or off. */
  switchesOf(id: string): number {
    return this.#rules.find((one) => one.id === id)?.switches ?? 0;
  }

  /** `each` sees the plant after every step. */
  run(hours: number, each: (plant: Plant) => void = () => {}): this {
    const end = this.plant.at + hours * 3_600_000;
    while (this.plant.at < end) {
      this.#measure();
      for (const one of this.#rules) this.#stepRule(one);
      for (const one of this.#controls.values()) this.#drive(one);
      this.plant = stepPlant(PLANT_SITE, this.plant, Math.min(end, this.plant.at + this.#stepMs));
      this.#count();
      each(this.plant);
    }
    return this;
  }

  #measure(): void {
    const { at } = this.plant;
    for (const { key, read, samples } of this.#read) {
      if (this.#options.isSilent?.(key, at) === true) continue;
      const value = read(this.plant);
      if (value !== undefined) samples.push({ at, value });
      if (samples.length > 12_000) samples.splice(0, 3_000);
    }
  }

  /** Only what rules name is kept. */
  #attributesRead() {
    const texts = Object.values(this.#options.rules);
    return this.#devices.flatMap(({ slug, attributes }) =>
      Object.entries(attributes).flatMap(([name, read]) => {
        if (!texts.some((text) => text.includes(name))) return [];
        const key = `${slug}.${name}`;
        const samples: RuleSample[] = [];
        this.#samples.set(key, samples);
        return [{ key, read, samples }];
      }),
    );
  }

  #world(): RuleWorld {
    const now = this.plant.at;
    const { latitude, longitude } = PLANT_SITE;
    return {
      now,
      timezone: "UTC",
      location: { latitude, longitude },
      reading: (device, attribute) => {
        const last = this.#samples.get(`${device}.${attribute}`)?.at(-1);
        return last && { ...last, usualMs: this.#stepMs };
      },
      samples: (device, attribute, { from }) =>
        samplesBetween(this.#samples.get(`${device}.${attribute}`) ?? [], from, now),
      isOnline: () => true,
      alerts: () => [],
      variable: (name) => this.variables.get(name),
      control: () => undefined,
      calendar: () => undefined,
      price: () => undefined,
      nextCron: (expression, after) => cronTimes(expression, "UTC")(after),
    };
  }

  #stepRule(one: Ruled): void {
    const event = one.state === NEW_STATE ? { kind: "start" as const, history: undefined } : { kind: "tick" as const };
    const { state, effects } = stepRule({ id: one.id, rule: one.rule }, one.state, { world: this.#world(), event });
    if (one.state.isOn !== state.isOn) one.switches += 1;
    one.state = state;
    for (const effect of effects) this.#take(one.id, effect);
  }

  #take(rule: string, effect: RuleEffect): void {
    const { at } = this.plant;
    if (effect.kind === "claim" || effect.kind === "release") {
      const of = this.#controlOf(effect.device, effect.control);
      const before = of.claims.find(({ source, kind }) => source === rule && kind === effect.claim);
      of.claims = of.claims.filter((one) => one !== before);
      if (effect.kind === "release") return;
      const { device: deviceId, control, claim: kind, value, leaseUntil, reason } = effect;
      const isLive = before !== undefined && before.leaseUntil > at;
      const known = { id: `${rule}:${kind}`, deviceId, control, kind, value, class: "rule" as const, source: rule };
      of.claims.push({ ...known, reason, leaseUntil, createdAt: isLive ? before.createdAt : at, cause: undefined });
      return;
    }
    this.effects.push({ at, rule, effect });
    if (effect.kind === "set") this.variables.set(effect.variable, { value: effect.value, at, causes: effect.causes });
    if (effect.kind === "execute") this.plant = obeyCommand(this.plant, effect.device, effect.command);
  }

  #controlOf(device: string, name: string): Controlled {
    const key = `${device}.${name}`;
    const found = this.#controls.get(key);
    const control = blueprints.get(device)?.controls.get(name);
    if (found !== undefined || control === undefined) return found ?? raise(`no control ${key}`);
    const made = { device, control, claims: [], state: NEVER_WRITTEN };
    this.#controls.set(key, made);
    return made;
  }

  #drive(one: Controlled): void {
    const { device, control } = one;
    const now = this.plant.at;
    const { value, bounds, isContradicted } = resolveClaims(control, one.claims, now);
    this.isContradicted ||= isContradicted;
    const read = this.#devices.find(({ slug }) => slug === device)?.attributes[control.reads?.attribute ?? ""];
    const measured = valueOfReading(control, read?.(this.plant));
    const reading = measured === undefined ? undefined : { value: measured, at: now };
    const { state, write } = planWrite(control, one.state, { now, value, bounds, reading, isReachable: true });
    one.state = write === undefined ? state : writeEnded(state, true);
    one.claims = one.claims.filter(({ leaseUntil }) => leaseUntil > now);
    if (write === undefined) return;
    const told = write.kind === "value" ? write.value : undefined;
    this.writes.push({ at: now, control: `${device}.${control.id}`, value: told });
    this.plant = obey(this.plant, `${device}.${control.id}`, write);
  }

  #count(): void {
    const { meter, charger, inverter, at } = this.plant;
    const hours = this.#stepMs / 3_600_000;
    this.#sum.importWh += Math.max(meter.power, 0) * hours;
    this.#sum.exportWh += Math.max(-meter.power, 0) * hours;
    this.#sum.carWh += charger.power * hours;
    this.#sum.sunWh += inverter.acPower * hours;
    if (at % (15 * MINUTE_MS) !== 0) return;
    const { importWh, exportWh, carWh, sunWh } = this.#sum;
    this.quarters.push({ at, importW: importWh * 4, exportW: exportWh * 4, carW: carWh * 4, sunW: sunWh * 4 });
    this.#sum = { importWh: 0, exportWh: 0, carWh: 0, sunWh: 0 };
  }
}

function raise(message: string): never {
  throw new Error(message);
}

/** As the scripts of the example blueprints do it. */
function obey(plant: Plant, control: string, write: Write): Plant {
  const value = write.kind === "value" ? write.value : undefined;
  const { at, charger, battery, electrolyser, inverter } = plant;
  switch (control) {
    case "wallbox.current_limit":
      return {
        ...plant,
        charger: { ...charger, limit: value === undefined ? 16 : value < 6 ? 0 : Math.min(value, 16) },
      };
    case "battery-rack-a.battery_power":
      return {
        ...plant,
        battery: { ...battery, setPoint: value ?? 0, orderUntil: value === undefined ? 0 : at + 5 * MINUTE_MS },
      };
    case "electrolyser.production_rate":
      return { ...plant, electrolyser: { ...electrolyser, setRate: value ?? 100 } };
    case "roof-inverter.power_limit":
      return { ...plant, inverter: limitInverter(inverter, value ?? 100, at + 10 * MINUTE_MS) };
    default:
      return raise(`the plant has no control ${control}`);
  }
}

function obeyCommand(plant: Plant, device: string, command: string): Plant {
  if (device !== "electrolyser") return raise(`nothing executes ${command} of ${device}`);
  const order = command === "start" ? ("run" as const) : ("stop" as const);
  return { ...plant, electrolyser: { ...plant.electrolyser, order } };
}
