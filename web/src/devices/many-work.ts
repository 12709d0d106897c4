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

/** Seconds for which a command is waited for. It may go on afterwards. */
const WAIT = 20;

/** Says what came of a device, and never throws. An answer that got lost may still have been obeyed. */
export async function attemptOne(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    const isUnsure = error instanceof UnreachableError && error.reason !== "refused";
    return { state: isUnsure ? "unsure" : "failed", text: describeError(error, preferences.locale) };
  }
}

export async function runCommand(
  device: string,
  name: string,
  values: Values,
  idempotencyKey: string,
): Promise<Outcome> {
  const input = { name, arguments: values as JsonObject };
  const { execution } = await client.commands.execute(device, input, { wait: WAIT, idempotencyKey });
  if (execution.state === "SUCCESS") return { state: "done" };
  if (execution.state === "TIMEOUT") return { state: "unsure", text: t.noAnswer };
  if (execution.state !== "ERROR") return { state: "open", text: t.stillRuns };
  const { message } = execution.response?.payload ?? {};
  return { state: "failed", text: typeof message === "string" ? message : undefined };
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
