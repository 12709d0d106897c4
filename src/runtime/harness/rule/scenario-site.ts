// The site of a scenario: devices that measure what the scenario says, variables, calendars, and claims of others.
import { createCalendarBook } from "#core/calendar/calendar-book.ts";
import { type Claim, FOREVER, rankOf } from "#core/control/claim.ts";
import { type Resolution, resolveClaims } from "#core/control/resolve-claims.ts";
import type { ClaimBand } from "#core/rule/claim-bands.ts";
import { samplesBetween } from "#core/rule/replay-gap.ts";
import type { PlainValue } from "#core/rule/rule.ts";
import type { RuleHistory, RuleSample, RuleVariable, RuleWorld } from "#core/rule/rule-world.ts";
import type { RuleScenario } from "#manifest/rule-scenario/parse-rule-scenarios.ts";
import type { GivenTariff } from "#manifest/rule-scenario/prices.ts";
import type { DeclaredDevice, DeviceChange, GivenCalendar, Measured } from "#manifest/rule-scenario/site.ts";
import type { RuleStep } from "#manifest/rule-scenario/steps.ts";
import { conversionOf } from "#manifest/unit-conversion.ts";
import type { AskedPrices } from "#service/rule/price-answers.ts";
import { cronTimes } from "#service/schedule/next-time.ts";
import type { ScenarioClock } from "./scenario-clock.ts";
import { createScenarioPrices, type ScenarioPrices } from "./scenario-prices.ts";
import { ScriptedRequests } from "./scripted-requests.ts";

/** What the tested rule claims now. */
export type ClaimedByRule = (now: number) => readonly (Omit<ClaimBand, "to"> & { readonly leaseUntil: number })[];

interface SiteDevice {
  readonly declared: DeclaredDevice;
  readonly measures: Map<string, Measured>;
  readonly stored: Map<string, RuleSample[]>;
  readonly properties: Map<string, unknown>;
  readonly ends: Map<string, "success" | "error">;
  alerts: readonly string[];
  everyMs: number;
  /** Elapsed. */
  nextAt: number;
  condition: "silent" | "offline" | "well";
}

type StepClaims = RuleStep["claim"] extends ReadonlyMap<string, ReadonlyMap<string, infer One>> ? One : never;

const EVERY_MS = 10_000;
/** Of all attributes together. */
const MOST_SAMPLES = 1_000_000;
const TESTED = "rule:tested";
const LIMITS = { safe: "max", step: undefined, fallback: undefined } as const;

export class TooMuchHappens extends Error {}

export class ScenarioSite {
  readonly #scenario: RuleScenario;
  readonly #clock: ScenarioClock;
  readonly #claimed: ClaimedByRule;
  readonly #devices = new Map<string, SiteDevice>();
  readonly #variables = new Map<string, RuleVariable>();
  readonly #calendars: Map<string, GivenCalendar>;
  readonly #prices: ScenarioPrices;
  readonly requests = new ScriptedRequests();
  readonly #book: ReturnType<typeof createCalendarBook>;
  readonly #cron = new Map<string, ReturnType<typeof cronTimes>>();
  #others: readonly Claim[] = [];
  #lastId = 0;
  #samples = 0;

  constructor(scenario: RuleScenario, clock: ScenarioClock, claimed: ClaimedByRule) {
    this.#scenario = scenario;
    this.#clock = clock;
    this.#claimed = claimed;
    for (const [name, declared] of scenario.devices) this.#devices.set(name, newDevice(declared));
    for (const [name, change] of scenario.set) this.change(name, change);
    for (const [name, value] of scenario.variables) this.setVariable(name, value);
    this.#prices = createScenarioPrices(scenario.timezone, scenario.tariff);
    this.requests.change(scenario.http);
    this.#calendars = new Map(scenario.calendars);
    const plans = [...scenario.calendars].flatMap(([name, given]) =>
      given.kind === "weekly"
        ? [{ name, except: [], timezone: scenario.timezone, kind: "weekly" as const, plan: given.plan }]
        : [],
    );
    this.#book = createCalendarBook(plans);
    this.send();
  }

  change(name: string, { telemetry, properties, alerts, every, commands, becomes }: DeviceChange): void {
    const device = this.#devices.get(name);
    if (device === undefined) return;
    for (const [attribute, value] of telemetry) device.measures.set(attribute, value);
    for (const [property, value] of properties) device.properties.set(property, value);
    for (const [command, end] of commands) device.ends.set(command, end);
    device.alerts = alerts ?? device.alerts;
    device.everyMs = every ?? device.everyMs;
    device.condition = becomes ?? device.condition;
    // A change is measured at once.
    if (telemetry.size > 0 || becomes === "well") device.nextAt = this.#clock.elapsed();
  }

  setVariable(name: string, value: PlainValue, causes: readonly string[] = []): void {
    this.#variables.set(name, { value, at: this.#clock.now(), causes });
  }

  variable(name: string): RuleVariable | undefined {
    return this.#variables.get(name);
  }

  setCalendar(name: string, state: GivenCalendar): void {
    this.#calendars.set(name, state);
  }

  /** For scripts; a scenario names no rates. */
  get prices(): AskedPrices {
    return { currency: "EUR", priceAt: this.#prices.at, rateAt: () => "" };
  }

  setPrices(tariff: GivenTariff): void {
    this.#prices.set(tariff);
  }

  claim(device: string, control: string, { class: claimClass, values, leaseMs }: StepClaims): void {
    const now = this.#clock.now();
    for (const { kind, value } of values) {
      this.#lastId += 1;
      const id = `claim-${String(this.#lastId).padStart(6, "0")}`;
      const leaseUntil = leaseMs === undefined ? FOREVER : now + leaseMs;
      const about = { id, deviceId: device, control, kind, value, class: claimClass, source: claimClass };
      this.release(device, control, (one) => one.class === claimClass && one.kind === kind);
      this.#others = [...this.#others, { ...about, reason: "scenario", leaseUntil, createdAt: now, cause: undefined }];
    }
  }

  release(device: string, control: string, isMeant: (claim: Claim) => boolean = () => true): void {
    this.#others = this.#others.filter((one) => one.deviceId !== device || one.control !== control || !isMeant(one));
  }

  /** How a command of a device ends. */
  endOf(device: string, command: string): "success" | "error" {
    return this.#devices.get(device)?.ends.get(command) ?? "success";
  }

  device(name: string): SiteDevice | undefined {
    return this.#devices.get(name);
  }

  get deviceNames(): readonly string[] {
    return [...this.#devices.keys()];
  }

  /** Elapsed: when a device sends, or a claim of somebody else ends. */
  nextDue(): number {
    const sending = [...this.#devices.values()].filter(({ condition }) => condition === "well");
    return Math.min(
      ...sending.map(({ nextAt }) => nextAt),
      ...this.#others
        .map(({ leaseUntil }) => this.#clock.elapsedAt(leaseUntil))
        .filter((at) => at > this.#clock.elapsed()),
      Number.POSITIVE_INFINITY,
    );
  }

  /** What is due now. */
  send(): void {
    const elapsed = this.#clock.elapsed();
    for (const [name, device] of this.#devices) {
      if (device.condition !== "well" || device.nextAt > elapsed) continue;
      device.nextAt = elapsed + device.everyMs;
      for (const [attribute, measured] of device.measures) {
        const value = this.#valueOf(name, measured);
        if (value !== undefined) this.#store(device, attribute, value);
      }
    }
  }

  /** A clock that is set back makes the future of what was stored unknown. */
  clockSet(): void {
    const now = this.#clock.now();
    for (const { stored } of this.#devices.values())
      for (const samples of stored.values()) {
        while ((samples.at(-1)?.at ?? now) > now) samples.pop();
      }
  }

  #valueOf(device: string, measured: Measured): PlainValue | undefined {
    if (measured.kind === "value") return measured.value;
    if (measured.kind === "absent") return undefined;
    if (measured.kind === "sum")
      return [...measured.adds].reduce((sum, [name, one]) => sum + this.#latest(name, one), measured.value);
    const { winner, bounds, value } = this.resolution(device, measured.control);
    if (winner !== undefined && value !== undefined) return value * measured.times;
    return Math.min(Math.max(measured.otherwise, bounds.min * measured.times), bounds.max * measured.times);
  }

  #latest(name: string, attribute: string): number {
    const value = this.#devices.get(name)?.stored.get(attribute)?.at(-1)?.value;
    return typeof value === "number" ? value : 0;
  }

  #store(device: SiteDevice, attribute: string, value: PlainValue): void {
    const at = this.#clock.now();
    const samples = this.samplesOf(device, attribute);
    if (samples.at(-1)?.at === at) samples.pop();
    else this.#samples += 1;
    if (this.#samples > MOST_SAMPLES)
      throw new TooMuchHappens(
        "the devices send too many values; let them send less often with every, or for a shorter time",
      );
    samples.push({ at, value });
  }

  /** They grow as time passes. */
  samplesOf(device: SiteDevice, attribute: string): RuleSample[] {
    const samples = device.stored.get(attribute) ?? [];
    device.stored.set(attribute, samples);
    return samples;
  }

  resolution(device: string, control: string): Resolution {
    const now = this.#clock.now();
    const own = this.#claimed(now)
      .filter((band) => band.device === device && band.control === control)
      .map(
        (band): Claim => ({
          ...{ id: TESTED, deviceId: device, control, kind: band.claim, value: band.value, class: "rule" },
          ...{ source: TESTED, reason: "", leaseUntil: band.leaseUntil, createdAt: band.from, cause: undefined },
        }),
      );
    const others = this.#others.filter((one) => one.deviceId === device && one.control === control);
    const { min = -Infinity, max = Infinity } = this.#devices.get(device)?.declared.controls.get(control) ?? {};
    return resolveClaims({ ...LIMITS, min, max }, [...others, ...own], now);
  }

  world(): RuleWorld {
    const now = this.#clock.now();
    const { timezone, location } = this.#scenario;
    return {
      now,
      timezone,
      location,
      reading: (name, attribute, unit) => {
        const device = this.#devices.get(name);
        const last = device?.stored.get(attribute)?.at(-1);
        if (device === undefined || last === undefined) return undefined;
        return { at: last.at, value: inUnit(device, attribute, unit)(last.value), usualMs: device.everyMs };
      },
      samples: (name, attribute, { unit, from }) => {
        const device = this.#devices.get(name);
        const samples = device?.stored.get(attribute);
        return samples && device && samplesBetween(samples, from, now).map(converted(inUnit(device, attribute, unit)));
      },
      isOnline: (name) => {
        const device = this.#devices.get(name);
        return device && device.condition !== "offline";
      },
      alerts: (name) => this.#devices.get(name)?.alerts,
      variable: (name) => this.#variables.get(name),
      control: (device, control) => {
        const { value, winner, bounds } = this.resolution(device, control);
        const holders = [winner, bounds.minBy, bounds.maxBy].flatMap((one) => one ?? []);
        const holder = [...holders].sort((a, b) => rankOf(a) - rankOf(b))[0];
        return { value, holder: winner?.class ?? holder?.class, at: holder?.createdAt ?? now, causes: [] };
      },
      calendar: (name, at) => {
        const given = this.#calendars.get(name);
        if (given?.kind !== "state") return this.#book.stateAt(name, at);
        return { isOn: given.isOn, value: given.value, title: undefined, until: undefined };
      },
      price: this.#prices.at,
      nextCron: (expression, after) => {
        const times = this.#cron.get(expression) ?? cronTimes(expression, timezone);
        this.#cron.set(expression, times);
        return times(after);
      },
    };
  }

  readonly history: RuleHistory = ({ device: name, attribute, unit }, from, to) => {
    const device = this.#devices.get(name);
    const samples = device?.stored.get(attribute)?.filter(({ at }) => at >= from && at <= to);
    return device && samples?.map(converted(inUnit(device, attribute, unit)));
  };
}

function newDevice(declared: DeclaredDevice): SiteDevice {
  return {
    declared,
    measures: new Map(declared.telemetry),
    stored: new Map(),
    properties: new Map(declared.properties),
    ends: new Map(declared.commands),
    alerts: declared.alerts ?? [],
    everyMs: declared.every ?? EVERY_MS,
    nextAt: 0,
    condition: "well",
  };
}

const converted =
  (convert: (value: unknown) => unknown) =>
  ({ at, value }: RuleSample): RuleSample => ({ at, value: convert(value) });

/** What does not fit is unknown. */
function inUnit({ declared }: SiteDevice, attribute: string, unit: string | undefined): (value: unknown) => unknown {
  const conversion = conversionOf(declared.units.get(attribute), unit);
  if (conversion === undefined) return () => undefined;
  const { factor, offset } = conversion;
  return (value) => (typeof value === "number" && unit !== undefined ? value * factor + offset : value);
}
