// Corrections of doubtful steps: made, listed and withdrawn. Only a step that the server finds by itself can be corrected,
// and its values are those of the stored points.
import { allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { type CounterCorrection, newStartProblem } from "#core/energy/counter-correction.ts";
import { type Instant, instant, renderInstant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { findDoubtful } from "#service/energy/find-doubtful.ts";
import { type SourceNeeds, sourcesOfDevice } from "#service/energy/find-sources.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";

export type CorrectionNeeds = SourceNeeds & Pick<Needs, "devices" | "telemetry" | "corrections" | "now" | "newId">;

export interface CorrectionInput extends Pick<CounterCorrection, "attribute" | "at" | "kind" | "newStart" | "note"> {
  /** Id or slug. */
  readonly device: string;
}

/** The value before the step may be as old as in a list of a year. */
const LOOK_BACK_MS = 366 * 24 * 3_600_000;

export async function correctStep(
  needs: CorrectionNeeds,
  call: Call,
  { device: idOrSlug, ...input }: CorrectionInput,
): Promise<CounterCorrection> {
  const device = await visibleDevice(needs, call, idOrSlug);
  const { attribute, at, kind, newStart, note } = input;
  const step = await findStep(needs, call, { device, attribute, at });
  const problem = newStartProblem(kind, newStart, step.after.value);
  if (problem !== undefined) throw refuse("invalid_body", problem, { pointer: "/new_start" });
  const correction: CounterCorrection = {
    id: needs.newId(),
    attribute,
    beforeAt: instant(step.before.at),
    before: step.before.value,
    at,
    value: step.after.value,
    kind,
    newStart,
    note,
    author: { tokenId: call.caller.tokenId, name: call.caller.tokenName },
    createdAt: needs.now(),
  };
  await needs.corrections.insert(device.id, correction, trailOf(needs, call, { device, correction }));
  return correction;
}

async function findStep(
  needs: CorrectionNeeds,
  call: Call,
  { device, attribute, at }: { readonly device: Device; readonly attribute: string; readonly at: Instant },
) {
  const only = (counter: { readonly id: string; readonly factor: number } | undefined) =>
    counter?.id === attribute ? counter : undefined;
  const sources = (await sourcesOfDevice(needs, call, device))
    .map((source) => ({ ...source, counter: only(source.counter), counterBack: only(source.counterBack) }))
    .filter(({ counter, counterBack }) => counter !== undefined || counterBack !== undefined);
  if (sources.length === 0) {
    const message = `the device has no energy counter ${JSON.stringify(attribute.slice(0, 80))}`;
    throw refuse("not_found", message, { pointer: "/attribute" });
  }
  const range = { from: at, to: instant(at + 1) };
  const { steps } = await findDoubtful(needs, call, { sources, range, beforeMs: LOOK_BACK_MS });
  const [step] = steps;
  if (step === undefined) {
    const message = `${attribute} has no doubtful step at ${renderInstant(at)}; GET /v3/sites/{site_id}/energy lists them`;
    throw refuse("not_found", message, { pointer: "/at" });
  }
  return step;
}

export async function listCorrections(
  needs: CorrectionNeeds,
  call: Call,
  { device: idOrSlug, page }: { readonly device: string; readonly page: PageRequest },
): Promise<Page<CounterCorrection>> {
  const { corrections } = await readableCorrections(needs, call, idOrSlug);
  return { items: corrections.slice(page.offset, page.offset + page.limit), total: corrections.length };
}

export async function withdrawCorrection(
  needs: CorrectionNeeds,
  call: Call,
  { device: idOrSlug, id }: { readonly device: string; readonly id: string },
): Promise<void> {
  const { device, corrections } = await readableCorrections(needs, call, idOrSlug);
  const correction = corrections.find((one) => one.id === id);
  const isGone =
    correction === undefined ||
    !(await needs.corrections.delete(device.id, id, trailOf(needs, call, { device, correction })));
  if (isGone) throw refuse("not_found", `the device has no correction ${id.slice(0, 80)}`);
}

/** Of attributes that the caller may read. */
async function readableCorrections(needs: CorrectionNeeds, call: Call, idOrSlug: string) {
  const device = await visibleDevice(needs, call, idOrSlug);
  const telemetry = (await deviceBlueprint(needs, device))?.telemetry;
  const all = (await needs.corrections.ofDevices([device.id])).get(device.id) ?? [];
  const corrections = all.filter(({ attribute }) =>
    allows(call.caller.level, telemetry?.get(attribute)?.accessLevel ?? "readonly"),
  );
  return { device, corrections };
}

function trailOf(
  needs: CorrectionNeeds,
  call: Call,
  { device, correction }: { readonly device: Device; readonly correction: CounterCorrection },
) {
  const { id, attribute, at, before, value, kind } = correction;
  return auditTrail(needs, call, {
    target: { siteId: device.siteId, deviceId: device.id },
    details: { correction_id: id, attribute, at: renderInstant(at), before, value, kind },
  });
}
