// Makes a change that was asked for in the cloud, on the gateway. Its audit entry has the id of the change and is stored
// together with it, so a change that comes again is known: it is made once, and its outcome is reported again. Heartbeats have no
// entry: they may be made twice.
import type { AuditEntry } from "#core/access/audit-entry.ts";
import { AppError, type ErrorCode, type Refusal, refuse } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import type { AskedChange, ChangeOutcome } from "#core/link/asked-change.ts";
import { interlockKey, type LinkedKey, ruleKey, variableKey } from "#core/link/linked-key.ts";
import type { LinkedItem } from "#core/link/messages.ts";
import { parseOutcome } from "#core/link/parse-change.ts";
import { overruledFields } from "#core/link/who-wins.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { type UploadNeeds, uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import { type KnownNeeds, knownValues, rulesOf, wantedValues } from "#service/link/known-values.ts";
import { type ReadLinkedNeeds, readItem } from "#service/link/read-linked.ts";
import type { CarriedChange } from "#service/operation/operation.ts";
import type { Operations } from "#service/operation/perform.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface TakeChangeNeeds extends UploadNeeds, KnownNeeds, ReadLinkedNeeds, Pick<Needs, "audit"> {
  readonly operations: Pick<Operations, "perform" | "carried" | "asked">;
  readonly log: { warn(about: object, text: string): void };
}

interface Asked {
  readonly change: AskedChange;
  /** The time by the clock of the cloud, as far as it has said it. */
  readonly cloudNow: () => number | undefined;
  readonly isLate: boolean;
  /** Gets a package of the cloud. */
  readonly fetchPackage: (digest: string) => Promise<Uint8Array>;
}

/** The connection has ended before the package came. The change is not settled: it comes again. */
export class LineLost extends Error {}

export interface Taken {
  readonly outcome: ChangeOutcome;
  /** The records that the change is about, as they are now. */
  readonly items: readonly LinkedItem[];
}

export async function takeChange(needs: TakeChangeNeeds, asked: Asked): Promise<Taken> {
  const { change } = asked;
  const known = await needs.audit.find(change.id);
  const carried = await needs.operations.carried(change.operation);
  const outcome = known === undefined ? await make(needs, asked, carried) : knownOutcome(known, change);
  return { outcome, items: await itemsOf(needs, change, { outcome, compares: carried?.compares ?? "nothing" }) };
}

/** A cloud may ask for those operations alone that are declared to be carried to gateways. */
async function make(
  needs: TakeChangeNeeds,
  { change, isLate, fetchPackage, cloudNow }: Asked,
  carried: CarriedChange | undefined,
): Promise<ChangeOutcome> {
  try {
    if (carried === undefined) {
      throw refuse("not_available", `this gateway does not know ${change.operation.slice(0, 80)}`);
    }
    const { waits, compares } = carried;
    if (isLate && !waits) {
      throw refuse("gateway_unreachable", "the change reached the gateway after its deadline and was not applied");
    }
    // While somebody waits for the answer, it is a call like any other, and the later one wins.
    const isCompared = isLate && compares !== "nothing";
    const current = isCompared ? await knownValues(needs, change, compares) : {};
    const wanted = wantedValues(change, compares);
    const fields = isCompared ? overruledFields({ base: change.base, current, wanted }) : [];
    if (fields.length > 0) return await note(needs, change, { state: "OVERRULED", fields });
    const body = await withOwnBlueprint(needs, change, fetchPackage);
    const leaseUntil = carried.lease === undefined ? undefined : leaseOf(needs, change, cloudNow());
    const call = { ...callOf(change), leaseUntil };
    const headers = change.expected === undefined ? {} : { "if-match": String(change.expected) };
    const answer = await needs.operations.perform(call, change.operation, { params: change.params, body, headers });
    return { state: "DONE", answer: answer as Payload };
  } catch (error) {
    if (error instanceof LineLost) throw error;
    if (!(error instanceof AppError)) {
      needs.log.warn({ changeId: change.id, operation: change.operation, err: error }, "a change of the cloud failed");
    }
    return await note(needs, change, { state: "REFUSED", errors: refusalsOf(error) });
  }
}

/**
 * The end of the lease by the clock of this gateway: the two clocks may differ, and the change may have waited. It is never later
 * than the cloud has fixed it.
 */
function leaseOf({ now }: Pick<Needs, "now">, { leaseUntil }: AskedChange, cloudNow: number | undefined): number {
  if (leaseUntil === undefined || cloudNow === undefined) {
    throw refuse("invalid_request", "a claim of a cloud says when its lease ends, and the cloud what time it is");
  }
  const left = leaseUntil - cloudNow;
  if (left < 1) throw refuse("conflict", "the lease was over before the gateway got the claim; nothing was claimed");
  return Math.floor(now() + left);
}

function refusalsOf(error: unknown): readonly Refusal[] {
  if (error instanceof AppError) return error.refusals;
  return [{ code: "internal", message: "a fault on the gateway; its log has the details" }];
}

/** These pass. The change is not noted as refused: it may be asked for again. */
const PASSING: ReadonlySet<ErrorCode> = new Set(["overloaded", "storage_full", "storage_unavailable", "shutting_down"]);

/** Stores an outcome without a change, so that it is the same when the change comes again. */
async function note(
  needs: Pick<Needs, "audit" | "now" | "newId">,
  change: AskedChange,
  outcome: Extract<ChangeOutcome, { state: "REFUSED" | "OVERRULED" }>,
): Promise<ChangeOutcome> {
  const code = outcome.state === "OVERRULED" ? "overruled" : outcome.errors[0]?.code;
  if (code !== undefined && PASSING.has(code)) return outcome;
  const { siteId, deviceId } = change;
  const trail = auditTrail(needs, callOf(change), {
    target: { siteId, ...(deviceId !== undefined && { deviceId }) },
    details: { outcome },
  });
  await needs.audit.append([{ ...trail, outcome: "REFUSED", code }]);
  return outcome;
}

function knownOutcome({ outcome, details, target }: AuditEntry, { operation }: AskedChange): ChangeOutcome {
  if (outcome === "REFUSED") return parseOutcome(details["outcome"]);
  const answer = operation.startsWith("provision") ? { device_id: target.deviceId ?? "" } : undefined;
  return { state: "DONE", answer };
}

/** The body with this side's id of the blueprint. A package that is missing here is fetched and stored. */
async function withOwnBlueprint(
  needs: TakeChangeNeeds,
  change: AskedChange,
  fetchPackage: Asked["fetchPackage"],
): Promise<Payload | undefined> {
  const { blueprintDigest: digest, body } = change;
  if (digest === undefined) return body;
  const stored = await needs.blueprints.findByDigest(digest);
  const blueprint = stored ?? (await upload(needs, change, await fetchPackage(digest)));
  return { ...body, blueprint_id: blueprint.id };
}

async function upload(needs: TakeChangeNeeds, change: AskedChange, content: Uint8Array) {
  const { auditId: _, ...call } = callOf(change);
  return (await uploadBlueprint(needs, { ...call, operation: "uploadBlueprint" }, content)).blueprint;
}

async function itemsOf(
  needs: ReadLinkedNeeds,
  { siteId, deviceId, params, body }: AskedChange,
  { outcome, compares }: { readonly outcome: ChangeOutcome; readonly compares: CarriedChange["compares"] },
): Promise<readonly LinkedItem[]> {
  const made = outcome.state === "DONE" ? outcome.answer?.["device_id"] : undefined;
  const key = typeof made === "string" ? made : deviceId;
  const keys: LinkedKey[] = [];
  if (compares === "tariff" || compares === "price_source") keys.push({ kind: "tariff", key: siteId });
  else if (compares === "interlock") {
    keys.push({ kind: "interlock", key: interlockKey({ siteId, name: params["interlock"] ?? "" }) });
  } else if (compares === "rule_engine") keys.push({ kind: "rule_engine", key: siteId });
  else if (compares === "variable") {
    keys.push({ kind: "variable", key: variableKey({ siteId, name: params["variable"] ?? "" }) });
  } else if (compares === "rule") {
    for (const id of new Set([...rulesOf({ params, body }), ...idsOf(outcome)])) {
      keys.push({ kind: "rule", key: ruleKey({ siteId, id }) });
    }
  } else if (key === undefined) keys.push({ kind: "site", key: siteId });
  else {
    keys.push({ kind: "device", key });
    if (compares === "configuration") keys.push({ kind: "configuration", key });
    if (compares === "controls") keys.push({ kind: "controls", key });
  }
  return await Promise.all(keys.map((one) => readItem(needs, one)));
}

/** The rule that a change has made. */
function idsOf(outcome: ChangeOutcome): readonly string[] {
  const rule: unknown = outcome.state === "DONE" ? outcome.answer?.["rule"] : undefined;
  const id: unknown = typeof rule === "object" && rule !== null && "id" in rule ? rule.id : undefined;
  return typeof id === "string" ? [id] : [];
}

function callOf({ id, operation, asker, requestId }: AskedChange): Call & { readonly auditId: string } {
  const { tokenId, tokenName, level, sites } = asker;
  return {
    caller: { tokenId, tokenName, level, sites: sites === "all" ? "all" : new Set(sites) },
    operation,
    requestId,
    remoteAddress: "cloud",
    door: "cloud",
    auditId: id,
  };
}
