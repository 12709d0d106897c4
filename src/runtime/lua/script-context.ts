import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Payload } from "#core/command/execution.ts";
import type { DeviceConfiguration } from "#service/ports/carrier.ts";
import { luaValueOf } from "./lua-value.ts";
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

export function allBuckets(
  blueprint: Blueprint,
  configuration: DeviceConfiguration,
): ReadonlyMap<string, BucketValues> {
  return new Map([...configuration].map(([bucket, values]) => [bucket, bucketValues(blueprint, bucket, values)]));
}
