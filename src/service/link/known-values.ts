// The values that are compared to find out whether both sides have changed the same thing.
import { DEVICE_FIELDS } from "#core/device/device.ts";
import { PRICE_KINDS } from "#core/energy/price-days.ts";
import type { AskedChange, ComparedRecord, KnownValues } from "#core/link/asked-change.ts";
import type { Location } from "#core/site/site.ts";
import type { Needs } from "#service/ports.ts";

export type KnownNeeds = Pick<
  Needs,
  "sites" | "devices" | "blueprints" | "configurations" | "tariffs" | "priceSources" | "interlocks" | "rules"
>;
type Named = Pick<AskedChange, "siteId" | "deviceId" | "params" | "body">;

/** What this side has, of what the change is about. */
export async function knownValues(needs: KnownNeeds, change: Named, compares: ComparedRecord): Promise<KnownValues> {
  const { siteId, deviceId = "", body = {} } = change;
  switch (compares) {
    case "configuration": {
      const stored = new Map((await needs.configurations.get(deviceId)).map((one) => [one.bucket, one.updatedAt]));
      return Object.fromEntries(bucketsOf(change).map((bucket) => [bucket, stored.get(bucket) ?? null]));
    }
    case "blueprint": {
      const blueprintId = (await needs.devices.find(deviceId))?.blueprintId;
      const blueprint = blueprintId === undefined ? undefined : await needs.blueprints.find(blueprintId);
      return { blueprint: blueprint?.digest ?? null };
    }
    case "device": {
      const device = await needs.devices.find(deviceId);
      const values = DEVICE_FIELDS.filter(([, { canChange }]) => canChange).map(
        ([field, { column }]) => [column, device?.[field]] as const,
      );
      return pick(Object.fromEntries(values), Object.keys(body));
    }
    case "site": {
      const { name, timezone, location } = (await needs.sites.find(siteId)) ?? {};
      const fields = [...Object.keys(body), ...("clear" in body ? ["location"] : [])];
      return pick({ name, timezone, location: location && textOf(location) }, fields);
    }
    case "tariff":
      return { tariff: (await needs.tariffs.find(siteId))?.updatedAt ?? null };
    case "price_source": {
      const kind = PRICE_KINDS.find((one) => one === change.params["kind"]);
      const source = kind && (await needs.priceSources.find(siteId, kind));
      return { price_source: source?.updatedAt ?? null };
    }
    case "interlock": {
      const all = await needs.interlocks.ofSite(siteId);
      return { interlock: all.find(({ name }) => name === change.params["interlock"])?.revision ?? null };
    }
    case "rule":
      return Object.fromEntries(
        await Promise.all(
          rulesOf(change).map(async (id) => [id, (await needs.rules.find(siteId, id))?.revision ?? null] as const),
        ),
      );
    case "rule_engine":
      return { state: await needs.rules.engineState(siteId) };
    case "variable": {
      const name = change.params["variable"];
      const found = (await needs.rules.variables(siteId)).find((one) => one.name === name);
      return { variable: found?.updatedAt ?? null };
    }
    case "controls":
    case "nothing":
      return {};
  }
}

/** The rules that a change names: in the path, or several in the body. */
export function rulesOf({ params, body = {} }: Pick<Named, "params" | "body">): readonly string[] {
  const { rule_ids: several } = body;
  const { rule } = params;
  if (Array.isArray(several)) return several.filter((one) => typeof one === "string");
  return rule === undefined ? [] : [rule];
}

/** What is asked for, as far as it can be compared. */
export function wantedValues({ body = {}, blueprintDigest }: AskedChange, compares: ComparedRecord): KnownValues {
  switch (compares) {
    case "blueprint":
      return { blueprint: blueprintDigest };
    case "device":
    case "site":
      return pick(body, ["name", "slug", "timezone"]);
    case "configuration":
    case "tariff":
    case "price_source":
    case "interlock":
    case "rule":
    case "rule_engine":
    case "variable":
    case "controls":
    case "nothing":
      return {};
  }
}

function bucketsOf({ params, body = {} }: Named): readonly string[] {
  const { bucket } = params;
  return bucket === undefined ? Object.keys(body) : [bucket];
}

function pick(values: KnownValues, fields: readonly string[]): KnownValues {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(values, field)).map((field) => [field, values[field] ?? null]),
  );
}

function textOf({ name, latitude, longitude }: Location): string {
  return JSON.stringify([name, latitude ?? null, longitude ?? null]);
}
