// What an interlock demands, as it is stored and reported to a cloud. Only the gateway evaluates it.
import type { Problem } from "#core/text/document-reader.ts";
import { MOST_LIMITS, MOST_LOADS } from "./interlock.ts";
import type { InterlockState, Outcome } from "./outcome.ts";

export interface ReportedLimit {
  readonly deviceId: string;
  /** Its id. */
  readonly control: string;
  readonly unit: string | undefined;
  readonly kind: "min" | "max";
  readonly value: number;
  readonly isHolding: boolean;
}

/** What it measures; the values travel as telemetry. */
export interface ReportedSource {
  readonly deviceId: string;
  readonly attribute: string;
  /** In which it is compared. */
  readonly unit: string | undefined;
}

export interface InterlockReport {
  readonly state: InterlockState;
  readonly since: number;
  readonly why: string;
  readonly limits: readonly ReportedLimit[];
  readonly measured: readonly ReportedSource[];
  readonly problems: readonly Problem[];
}

/** Both limits of each control, of the limits and of the failsafe. */
export const MOST_REPORTED_LIMITS = 4 * Math.max(MOST_LIMITS, MOST_LOADS);
export const MOST_REPORTED_SOURCES = 200;
export const LONGEST_WHY = 1_000;
/** How often other values of the same limits are reported. */
const VALUES_EVERY_MS = 10_000;

export function reportOf(outcome: Outcome, problems: readonly Problem[]): InterlockReport {
  const { state, since, why, limits, measured } = outcome;
  return {
    // Earlier versions of a cloud do not know that it waits. It is over in a moment.
    state: state === "waiting" ? "blind" : state,
    since,
    why: why.slice(0, LONGEST_WHY),
    limits: strictestLimits(limits).slice(0, MOST_REPORTED_LIMITS),
    measured: measured
      .slice(0, MOST_REPORTED_SOURCES)
      .map(({ source: { deviceId, attribute, unit } }) => ({ deviceId, attribute, unit })),
    problems,
  };
}

/** One of each kind of a control: a device may be named by its id and by its slug. */
export function strictestLimits(limits: Outcome["limits"]): readonly ReportedLimit[] {
  const found = new Map<string, ReportedLimit>();
  for (const { deviceId, control, kind, value, isHolding } of limits) {
    const key = JSON.stringify([deviceId, control.id, kind]);
    const other = found.get(key);
    const values = [value, ...(other === undefined ? [] : [other.value])];
    found.set(key, {
      deviceId,
      control: control.id,
      unit: control.unit,
      kind,
      value: kind === "max" ? Math.min(...values) : Math.max(...values),
      isHolding: isHolding || other?.isHolding === true,
    });
  }
  return [...found.values()];
}

interface Reported {
  readonly report: InterlockReport;
  readonly at: number;
}

/**
 * Whether it is reported again. The limits of a connection follow its meter, every second: such a change alone waits, so that it
 * costs a write and a message every few seconds at most.
 */
export function isReportDue(last: Reported | undefined, report: InterlockReport, now: number): boolean {
  if (last === undefined || headOf(last.report) !== headOf(report)) return true;
  const hasWaited = now < last.at || now - last.at >= VALUES_EVERY_MS;
  return hasWaited && JSON.stringify(last.report.limits) !== JSON.stringify(report.limits);
}

/** All of it but the values of its limits. */
const headOf = ({ limits, ...rest }: InterlockReport): string =>
  JSON.stringify([
    { ...rest, limits: undefined },
    limits.map(({ deviceId, control, kind, isHolding }) => [deviceId, control, kind, isHolding]),
  ]);
