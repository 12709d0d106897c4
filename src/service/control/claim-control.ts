// Claims of callers: who may make, renew and release them.
import { allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { type Claim, type ClaimClass, type ClaimKind, type ClaimValue, sourceOfCaller } from "#core/control/claim.ts";
import type { Control } from "#core/control/control.ts";
import type { Device } from "#core/device/device.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Call, Needs } from "#service/ports.ts";
import { parseLease } from "./control-wire.ts";
import type { Controls } from "./controls.ts";

export interface ClaimNeeds extends Pick<Needs, "devices" | "now" | "newId"> {
  readonly catalog: BlueprintCatalog;
  readonly controlling: Pick<Controls, "controlsOfDevice" | "place" | "release" | "view">;
}

export interface ClaimInput {
  readonly kind: ClaimKind;
  readonly value: ClaimValue;
  readonly class: ClaimClass;
  readonly reason: string;
  readonly lease: string | undefined;
  readonly takesOver: boolean;
}

export interface FoundControl {
  readonly device: Device;
  readonly blueprint: Blueprint;
  readonly control: Control;
}

const DAY_MS = 86_400_000;
const LEASES = { person: { usual: 3_600_000, longest: 7 * DAY_MS }, others: { usual: 60_000, longest: DAY_MS } };

export async function findControl(needs: ClaimNeeds, call: Call, place: ControlPlace): Promise<FoundControl> {
  const device = await visibleDevice(needs, call, place.device);
  const blueprint = await deviceBlueprint(needs, device);
  const control = (await needs.controlling.controlsOfDevice(device)).get(place.control);
  if (blueprint === undefined || control === undefined) {
    throw refuse("not_found", `device ${device.slug} has no control ${JSON.stringify(place.control.slice(0, 80))}`);
  }
  return { device, blueprint, control };
}

export interface ControlPlace {
  /** Id or slug. */
  readonly device: string;
  readonly control: string;
}

/** Refuses a claim that the caller may not make, or that the control cannot have. */
export async function requireClaim(
  needs: ClaimNeeds,
  call: Call,
  { place, input }: { place: ControlPlace; input: ClaimInput },
): Promise<FoundControl> {
  const found = await findControl(needs, call, place);
  requireLevel(call, found, input.class);
  requireValue(found.control, input);
  return found;
}

export async function claimControl(
  needs: ClaimNeeds,
  call: Call,
  { place, input }: { place: ControlPlace; input: ClaimInput },
) {
  const found = await requireClaim(needs, call, { place, input });
  const now = needs.now();
  const former = await formerClaim(needs, found, { source: sourceOf(call), ...input });
  const claim: Claim = {
    id: former?.id ?? needs.newId(),
    deviceId: found.device.id,
    control: found.control.id,
    kind: input.kind,
    value: input.value,
    class: input.class,
    source: sourceOf(call),
    reason: input.reason,
    leaseUntil: leaseEnd(call, now, input),
    createdAt: former?.createdAt ?? now,
    cause: undefined,
    door: call.door,
  };
  const isRenewal = former?.value === claim.value && former.reason === claim.reason;
  // A heartbeat says nothing new, and would fill the audit log. One of a cloud may come twice: its entry is the proof that it came.
  const isAudited = !isRenewal || call.auditId !== undefined;
  await store(needs, call, { claim, found, takesOver: input.takesOver, isAudited });
  return found;
}

/**
 * The claim that a new one changes, which keeps its id and its age. Otherwise two programs that claim again and again would take
 * turns, each the oldest for a moment.
 */
async function formerClaim(
  { controlling }: ClaimNeeds,
  { device, control }: FoundControl,
  wanted: Pick<Claim, "source" | "kind" | "class">,
): Promise<Claim | undefined> {
  const { claims } = await controlling.view(device.id, control);
  return claims.find((one) => one.source === wanted.source && one.kind === wanted.kind && one.class === wanted.class);
}

interface NamedClaim {
  readonly place: ControlPlace;
  readonly claimId: string;
}

/** The claim, if the caller may renew it. */
export async function requireRenewable(needs: ClaimNeeds, call: Call, { place, claimId }: NamedClaim) {
  const found = await findControl(needs, call, place);
  const claim = await findClaim(needs, found, claimId);
  requireLevel(call, found, claim.class);
  if (claim.source !== sourceOf(call)) throw refuse("forbidden", "only who made a claim renews it");
  return { found, claim };
}

/** The claim, if the caller may release it. */
export async function requireReleasable(needs: ClaimNeeds, call: Call, { place, claimId }: NamedClaim) {
  const found = await findControl(needs, call, place);
  const claim = await findClaim(needs, found, claimId);
  requireLevel(call, found, claim.class);
  if (claim.source !== sourceOf(call) && !allows(call.caller.level, "owner")) {
    throw refuse("forbidden", "claims of others take access level owner", { needed: "owner" });
  }
  return { found, claim };
}

/** The same claim for longer: it keeps its age. One of a cloud may come twice; the end of its lease is fixed, so that does no harm. */
export async function renewClaim(
  needs: ClaimNeeds,
  call: Call,
  { place, claimId, lease }: { place: ControlPlace; claimId: string; lease: string | undefined },
) {
  const { found, claim } = await requireRenewable(needs, call, { place, claimId });
  const leaseUntil = leaseEnd(call, needs.now(), { class: claim.class, lease });
  await store(needs, call, { claim: { ...claim, leaseUntil }, found, takesOver: false, isAudited: false });
  return found;
}

export async function releaseClaim(
  needs: ClaimNeeds,
  call: Call,
  { place, claimId }: { place: ControlPlace; claimId: string },
) {
  const { found, claim } = await requireReleasable(needs, call, { place, claimId });
  const trail = auditTrail(needs, call, {
    target: targetOf(found),
    details: { control: claim.control, claim_id: claim.id },
  });
  if (!(await needs.controlling.release(claim, trail))) throw gone(claimId);
  return found;
}

async function findClaim({ controlling }: ClaimNeeds, { device, control }: FoundControl, id: string): Promise<Claim> {
  const { claims } = await controlling.view(device.id, control);
  const claim = claims.find((one) => one.id === id);
  if (claim === undefined) throw gone(id);
  return claim;
}

async function store(
  needs: ClaimNeeds,
  call: Call,
  { claim, found, takesOver, isAudited }: { claim: Claim; found: FoundControl; takesOver: boolean; isAudited: boolean },
): Promise<void> {
  const details = {
    control: claim.control,
    claim_id: claim.id,
    kind: claim.kind,
    value: claim.value,
    class: claim.class,
  };
  const trail = isAudited ? auditTrail(needs, call, { target: targetOf(found), details }) : undefined;
  await needs.controlling.place(claim, { takesOver, trail });
}

const sourceOf = ({ caller }: Call): string => sourceOfCaller(caller.tokenId);
const targetOf = ({ device }: FoundControl) => ({ siteId: device.siteId, deviceId: device.id });
const gone = (id: string) => refuse("not_found", `the control has no claim ${id.slice(0, 80)}`);

/** Who may claim is who may execute the command. */
function requireLevel({ caller }: Call, { blueprint, control }: FoundControl, claimClass: ClaimClass): void {
  const needed = blueprint.commands.get(control.command)?.accessLevel ?? "system";
  if (!allows(caller.level, needed)) {
    throw refuse("forbidden", `${control.id} takes access level ${needed}; the token has ${caller.level}`, { needed });
  }
  if (claimClass === "grid" && !allows(caller.level, "installer")) {
    throw refuse("forbidden", "claims of class grid take access level installer", { needed: "installer" });
  }
}

function requireValue(control: Control, { kind, value, class: claimClass }: ClaimInput): void {
  const wrong = (message: string, pointer = "/value") => refuse("invalid_request", message, { pointer });
  if (kind === "target" && claimClass === "grid") throw wrong("a claim of class grid only limits: min or max", "/kind");
  if (kind === "target" && value === "unlimited") throw wrong("unlimited is for min and max");
  if (typeof value !== "number") return;
  if (value < control.min || value > control.max) {
    throw wrong(
      `${control.id} goes from ${control.min} to ${control.max}${control.unit === undefined ? "" : ` ${control.unit}`}`,
    );
  }
}

/** A cloud has fixed the end of the lease; what it allows is the same. */
function leaseEnd(
  { leaseUntil }: Call,
  now: number,
  { class: claimClass, lease }: Pick<ClaimInput, "class" | "lease">,
) {
  if (leaseUntil === undefined) return now + leaseOf(claimClass, lease);
  const { longest } = claimClass === "person" ? LEASES.person : LEASES.others;
  if (leaseUntil - now <= longest) return leaseUntil;
  throw refuse("invalid_request", `a lease lasts from 1s to ${longest / DAY_MS}d`, { pointer: "/lease" });
}

export function leaseOf(claimClass: ClaimClass, text: string | undefined): number {
  const { usual, longest } = claimClass === "person" ? LEASES.person : LEASES.others;
  if (text === undefined) return usual;
  const lease = parseLease(text);
  if (typeof lease === "string") throw refuse("invalid_request", `lease: ${lease}`, { pointer: "/lease" });
  if (lease >= 1000 && lease <= longest) return lease;
  throw refuse("invalid_request", `a lease lasts from 1s to ${longest / DAY_MS}d`, { pointer: "/lease" });
}
