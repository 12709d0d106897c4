// What is done with each of several devices, and how its end is put into words.
import { UnreachableError } from "#client/errors.ts";
import type { JsonObject } from "#client/resources.ts";
import { HIDDEN } from "#core/command/plan-command.ts";
import { client } from "#web/data/client.ts";
import { describeError } from "#web/data/describe-error.ts";
import { preferences } from "#web/data/preferences.svelte.ts";
import { t } from "./messages.ts";
import type { Outcome } from "./run-many.ts";

type Values = Readonly<Record<string, unknown>>;

/** Says what came of a device, and never throws. An answer that got lost may still have been obeyed. */
export async function attemptOne(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    const isUnsure = error instanceof UnreachableError && error.reason !== "refused";
    return { state: isUnsure ? "unsure" : "failed", text: describeError(error, preferences.locale) };
  }
}

export async function assignBlueprint(device: string, blueprint: string): Promise<Outcome> {
  const { pending_change } = await client.devices.assignBlueprint(device, blueprint);
  return pending_change === undefined ? { state: "done" } : { state: "open", text: t.waitsForGateway };
}

/** Only what is given changes: the rest of the bucket stays as this device has it, and so do its secrets. */
export async function changeBucket(device: string, bucket: string, values: Values): Promise<Outcome> {
  const { values: stored } = await client.devices.configuration.getBucket(device, bucket);
  const kept = Object.entries(stored).filter(([, value]) => value !== HIDDEN);
  const wanted = { ...Object.fromEntries(kept), ...values } as JsonObject;
  const { pending_change } = await client.devices.configuration.putBucket(device, bucket, wanted);
  return pending_change === undefined ? { state: "done" } : { state: "open", text: t.waitsForGateway };
}
