// Looks for what a device has: units that answer, registers that can be read, SunSpec models.
import { findModels, type ModelChain } from "#core/sunspec/find-models.ts";
import { MAX_SPAN, type RegisterKind, type Span } from "./modbus-map.ts";
import { type AccessFailure, isFailure, type RegisterAccess } from "./register-access.ts";

interface ScanPlan {
  readonly units: readonly number[];
  readonly kinds: readonly RegisterKind[];
  /** The first and the last register to look at. */
  readonly first: number;
  readonly last: number;
}

interface ScanNeeds {
  readonly access: Pick<RegisterAccess, "read">;
  /** Whether the time is over. What is found until then is the result. */
  readonly isOver: () => boolean;
  readonly onStep: (what: string) => void;
}

interface ScannedUnit {
  readonly unit: number;
  readonly sunspec: ModelChain | undefined;
  /** Registers that can be read, in order. */
  readonly ranges: readonly Span[];
}

export interface Scan {
  readonly units: readonly ScannedUnit[];
  /** Where the scan ended early; undefined when it is complete. */
  readonly stoppedAt: string | undefined;
  /** Why nothing could be asked at all. */
  readonly failure: AccessFailure | undefined;
}

/** A gateway says by these exceptions that it has no such unit. */
const NO_SUCH_UNIT: readonly (number | undefined)[] = [10, 11];
const ILLEGAL_FUNCTION = 1;

export async function scanDevice(needs: ScanNeeds, plan: ScanPlan): Promise<Scan> {
  const found: ScannedUnit[] = [];
  const ended = (stoppedAt?: string, failure?: AccessFailure): Scan => ({ units: found, stoppedAt, failure });
  const present: number[] = [];
  for (const unit of plan.units) {
    if (needs.isOver()) return ended(`unit ${unit}`);
    needs.onStep(`looking for unit ${unit}`);
    const answer = await needs.access.read({ unit, kind: "holding", address: plan.first, count: 1 });
    if (isFailure(answer) && answer.kind === "unreachable") return ended(undefined, answer);
    const isThere = !isFailure(answer) || (answer.kind === "exception" && !NO_SUCH_UNIT.includes(answer.exception));
    if (isThere) present.push(unit);
  }
  for (const unit of present) {
    needs.onStep(`unit ${unit}: looking for SunSpec`);
    const chain = await findModels(needs.access, unit);
    const ranges: Span[] = [];
    found.push({ unit, sunspec: chain !== undefined && !("failure" in chain) ? chain : undefined, ranges });
    for (const kind of plan.kinds) {
      const stoppedAt = await scanTable(needs, { unit, kind, plan }, ranges);
      if (stoppedAt !== undefined) return ended(`unit ${unit}, ${kind} ${stoppedAt}`);
    }
  }
  return ended();
}

interface Table {
  readonly unit: number;
  readonly kind: RegisterKind;
  readonly plan: ScanPlan;
}

/**
 * Blocks as large as a request may be; one that is refused is halved until the readable registers are found. Returns the
 * register at which the time was over.
 */
async function scanTable(needs: ScanNeeds, { unit, kind, plan }: Table, ranges: Span[]): Promise<number | undefined> {
  const waiting: (readonly [address: number, count: number])[] = [];
  for (let at = plan.first; at <= plan.last; at += MAX_SPAN[kind])
    waiting.push([at, Math.min(MAX_SPAN[kind], plan.last + 1 - at)]);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [address, count] = next;
    if (needs.isOver()) return address;
    needs.onStep(`unit ${unit}: ${kind} ${address} of ${plan.last}`);
    const answer = await needs.access.read({ unit, kind, address, count });
    if (!isFailure(answer)) add(ranges, { unit, kind, address, count });
    else if (answer.exception === ILLEGAL_FUNCTION) return undefined;
    else if (count > 1) {
      const half = count >> 1;
      waiting.unshift([address, half], [address + half, count - half]);
    }
  }
  return undefined;
}

/** Joined with the range before where the two touch. */
function add(ranges: Span[], span: Span): void {
  const last = ranges.at(-1);
  if (last !== undefined && last.kind === span.kind && last.address + last.count === span.address)
    ranges[ranges.length - 1] = { ...last, count: last.count + span.count };
  else ranges.push(span);
}
