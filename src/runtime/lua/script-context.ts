import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Payload } from "#core/command/execution.ts";
import { luaValueOf } from "#drivers/lua-value.ts";
import type { DeviceConfiguration } from "#service/ports/carrier.ts";
import type { BucketValues } from "./pool-messages.ts";

/** What a script reads of a bucket: values with defaults, and whether nothing required is missing. */
export function bucketValues(blueprint: Blueprint, bucket: string, values: Payload): BucketValues {
  const parameters = blueprint.configuration.get(bucket)?.parameters ?? new Map();
  const isMissing = (name: string) =>
    !Object.hasOwn(values, name) || values[name] === undefined || values[name] === null;
  const lua = luaValueOf(values);
  return {
    // An object without any member is a list to Lua.
    values: lua instanceof Map ? lua : new Map(),
    isAllRequiredSet: [...parameters.values()].every(({ id, required }) => !required || !isMissing(id)),
  };
}

/** Required parameters of all buckets that have no value, as `bucket.parameter`. */
export function missingValues(blueprint: Blueprint, configuration: DeviceConfiguration): readonly string[] {
  return [...blueprint.configuration.values()].flatMap(({ id: bucket, parameters }) => {
    const values = configuration.get(bucket) ?? {};
    return [...parameters.values()]
      .filter(({ id, required }) => required && (!Object.hasOwn(values, id) || (values[id] ?? null) === null))
      .map(({ id }) => `${bucket}.${id}`);
  });
}

export function allBuckets(
  blueprint: Blueprint,
  configuration: DeviceConfiguration,
): ReadonlyMap<string, BucketValues> {
  return new Map([...configuration].map(([bucket, values]) => [bucket, bucketValues(blueprint, bucket, values)]));
}
