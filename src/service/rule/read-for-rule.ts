// What scripts of rules read of devices. Each value has an age: an old one is unknown unless the script says otherwise.
import type { Device } from "#core/device/device.ts";
import { itemAt } from "#core/item-at.ts";
import { columnKind, type ResolvedAggregation, resolveAggregation } from "#core/telemetry/aggregation.ts";
import type { BlockColumn } from "#core/telemetry/row-block.ts";
import { fineTime } from "#core/time/instant.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { deviceStatus, type StatusNeeds } from "#service/device/device-status.ts";
import { readProperties } from "#service/device/read-properties.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { Attribute } from "#service/telemetry/attributes.ts";
import { deviceAttributes, findAttribute, type NowNeeds, readNow } from "#service/telemetry/read-now.ts";
import { nameAt, optionsAt, RuleProblem, windowOf } from "./rule-arguments.ts";
import type { RuleFunction, RuleWatch } from "./rule-function.ts";
import type { UsualIntervals } from "./usual-intervals.ts";

export interface ReadForRuleNeeds extends NowNeeds, StatusNeeds, Pick<Needs, "now" | "alerts"> {
  readonly usualIntervals: UsualIntervals;
}

const MOST_DEVICES = 1_000;
const MOST_POINTS = 1_000;

export function readingFunctions(needs: ReadForRuleNeeds): Readonly<Record<string, RuleFunction>> {
  return {
    device: async (call, args) => [await about(needs, await deviceAt(needs, call, args))],
    async devices(call) {
      const page = await needs.devices.list({ scope: call.caller.sites }, { limit: MOST_DEVICES, offset: 0 });
      return [await Promise.all(page.items.map((device) => about(needs, device)))];
    },
    async online(call, args, { watch }) {
      const device = await deviceAt(needs, call, args);
      const isOnline = deviceStatus(needs, device) === "ONLINE";
      watch.saw({ subject: `${device.slug} online`, value: isOnline, ageMs: undefined });
      return [isOnline];
    },
    async alerts(call, args, { watch }) {
      const device = await deviceAt(needs, call, args);
      const active = await needs.alerts.active(device.id);
      // While nobody confirms an alert, nobody knows whether it is still there.
      if (active.some(({ notConfirmedSince }) => notConfirmedSince !== undefined)) return [null, "unknown"];
      const names = active.map(({ alertId }) => alertId);
      watch.saw({ subject: `alerts of ${device.slug}`, value: names.join(", ") || "none", ageMs: undefined });
      return [names];
    },
    async property(call, args) {
      const device = await deviceAt(needs, call, args);
      const name = nameAt(args, 1, "the name of a property");
      const values = (await readProperties(needs, call, [device])).get(device.id) ?? {};
      if (Object.hasOwn(values, name)) return [values[name]];
      throw new RuleProblem(`device ${device.slug} has no property ${name}`);
    },
    async now(call, args, { watch }) {
      const { device, attribute, at, value } = await newest(needs, call, args);
      const age = needs.now() - at;
      watch.saw({ subject: `${device.slug}.${attribute.id}`, value, ageMs: age });
      if (age <= (await oldestAllowed(needs, args[2], { device, attribute, at }))) return [value];
      return [null, "stale"];
    },
    async last(call, args, { watch }) {
      const { device, attribute, at, value } = await newest(needs, call, args);
      watch.saw({ subject: `${device.slug}.${attribute.id}`, value, ageMs: needs.now() - at });
      return [value, at / 1000];
    },
    age: async (call, args) => [(needs.now() - (await newest(needs, call, args)).at) / 1000],
    avg: (call, args, { watch }) => aggregate(needs, call, { args, aggregation: "avg", watch }),
    min: (call, args, { watch }) => aggregate(needs, call, { args, aggregation: "min", watch }),
    max: (call, args, { watch }) => aggregate(needs, call, { args, aggregation: "max", watch }),
    series: (call, args) => series(needs, call, args),
  };
}

const deviceAt = (needs: ReadForRuleNeeds, call: Call, args: readonly unknown[]) =>
  visibleDevice(needs, call, nameAt(args, 0, "a device"));

async function about(needs: ReadForRuleNeeds, device: Device) {
  const profiles = (await deviceBlueprint(needs, device))?.implements ?? [];
  return { id: device.id, slug: device.slug, name: device.name, implements: profiles };
}

async function newest(needs: ReadForRuleNeeds, call: Call, args: readonly unknown[]) {
  const { device, attribute, name } = await attributeAt(needs, call, args);
  const { devices, errors } = await readNow(needs, call, new Map([[device.id, [name]]]));
  const found = devices.get(device.id)?.get(name);
  if (found === undefined) throw new RuleProblem(errors[0]?.message ?? `${name} has no value yet`);
  return { device, attribute, at: found.at, value: found.value };
}

async function attributeAt(needs: ReadForRuleNeeds, call: Call, args: readonly unknown[]) {
  const device = await deviceAt(needs, call, args);
  const name = nameAt(args, 1, "the name of an attribute");
  const attribute = findAttribute(await deviceAttributes(needs, device), call, {
    device: device.slug,
    attribute: name,
  });
  if ("code" in attribute) throw new RuleProblem(attribute.message);
  return { device, attribute, name };
}

interface Newest {
  readonly device: Device;
  readonly attribute: Attribute;
  readonly at: number;
}

/** `{relevance_interval = "1m"}`; `max_age` is the same in our words. A plain duration in its place counts, too. */
async function oldestAllowed(needs: ReadForRuleNeeds, given: unknown, { device, attribute, at }: Newest) {
  const chosen = chosenAge(given);
  if (chosen === undefined) return await needs.usualIntervals.staleAfter(device, attribute, at);
  return windowOf(chosen, "relevance_interval");
}

function chosenAge(given: unknown): unknown {
  const options = optionsAt([given], 0);
  const chosen = options["relevance_interval"] ?? options["max_age"] ?? (typeof given === "object" ? undefined : given);
  return chosen ?? undefined;
}

interface Aggregated {
  readonly args: readonly unknown[];
  readonly aggregation: ResolvedAggregation;
  readonly watch: RuleWatch;
}

/** Buckets have fixed places in time, so a window touches two of its own length. Each counts by its points. */
async function aggregate(needs: ReadForRuleNeeds, call: Call, { args, aggregation, watch }: Aggregated) {
  const windowMs = windowOf(args[2], "the window");
  const { device, attribute, name } = await attributeAt(needs, call, args);
  if (resolveAggregation(aggregation, attribute.type).length === 0) {
    throw new RuleProblem(`${name} is of type ${attribute.type}, which has no ${aggregation}`);
  }
  if (isOld(needs, args[3], await newestOf(needs, call, args, args[3]))) return [null, "stale"];
  const base = { deviceId: device.id, attribute: attribute.id, kind: "number", lookAroundMs: undefined } as const;
  const items = [aggregation, "count" as const].map((one) => ({ ...base, aggregation: one, granularityMs: windowMs }));
  let [count, sum, least, most] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const now = needs.now();
  const range = { from: fineTime(now - windowMs), to: fineTime(now + 1) };
  for await (const { piece } of await needs.telemetry.query({ requester: "rules", ...range, items })) {
    const [values, counts] = piece.columns;
    for (let row = 0; row < piece.count; row++) {
      const value = cellOf(values, row);
      const points = Number(cellOf(counts, row) ?? 0);
      if (typeof value !== "number") continue;
      count += points;
      sum += value * points;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  if (count === 0) return [null, "no values"];
  const value = aggregation === "avg" ? sum / count : aggregation === "min" ? least : most;
  watch.saw({ subject: `${aggregation} of ${device.slug}.${attribute.id}`, value, ageMs: undefined });
  return [value];
}

/** Undefined: nobody asks how old it is. */
async function newestOf(needs: ReadForRuleNeeds, call: Call, args: readonly unknown[], options: unknown) {
  return chosenAge(options) === undefined ? undefined : (await newest(needs, call, args)).at;
}

function isOld(needs: ReadForRuleNeeds, options: unknown, newestAt: number | undefined): boolean {
  const chosen = chosenAge(options);
  return newestAt !== undefined && needs.now() - newestAt > windowOf(chosen, "relevance_interval");
}

function cellOf(column: BlockColumn | undefined, row: number): number | boolean | string | undefined {
  if (column === undefined || column.presence[row] !== 1) return undefined;
  const value = column.values[row];
  return column.kind === "boolean" ? value === 1 : value;
}

/** `{{time, value}, ...}`: for each step its average, or the last value of what is no number. */
async function series(needs: ReadForRuleNeeds, call: Call, args: readonly unknown[]) {
  const windowMs = windowOf(args[2], "the window");
  const stepMs = args[3] === undefined || args[3] === null ? windowMs / 100 : windowOf(args[3], "the step");
  const granularityMs = Math.max(1000, Math.ceil(stepMs / 1000) * 1000);
  if (windowMs / granularityMs > MOST_POINTS) throw new RuleProblem(`a series has at most ${MOST_POINTS} points`);
  const { device, attribute } = await attributeAt(needs, call, args);
  const kind = columnKind(attribute.type);
  const aggregation = kind === "number" ? ("avg" as const) : ("last" as const);
  const item = { deviceId: device.id, attribute: attribute.id, kind, aggregation, granularityMs };
  const now = needs.now();
  const range = { from: fineTime(now - windowMs), to: fineTime(now + 1) };
  const request = { requester: "rules", ...range, items: [{ ...item, lookAroundMs: undefined }] };
  const points: (readonly [number, unknown])[] = [];
  for await (const { piece } of await needs.telemetry.query(request)) {
    for (let row = 0; row < piece.count; row++) {
      const value = cellOf(piece.columns[0], row);
      if (value !== undefined) points.push([itemAt(piece.times, row) / 1000, value]);
    }
  }
  return [points];
}
