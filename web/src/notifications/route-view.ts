// Who is notified of what: what the form of a route asks for, what is wrong with it, and what it sends. Pure.
import type { NewNotificationRoute, NotificationRoute } from "#client/resources.ts";
import type { AlertSeverity } from "#core/alert/alert-state.ts";
import { MOST_STEPS } from "#core/notification/route.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";

type StepDraft = { readonly after: string; readonly channels: readonly string[] };
export type RouteDraft = {
  readonly name: string;
  readonly enabled: boolean;
  readonly severity: AlertSeverity;
  readonly profiles: readonly string[];
  /** Of a calendar; empty: always. */
  readonly hours: string;
  readonly rules: boolean;
  readonly group: string;
  /** Empty: nobody is reminded. */
  readonly remind: string;
  readonly over: boolean;
  readonly steps: readonly StepDraft[];
};

/** Lengths that people choose from. One that a program has set is offered besides. */
export const LENGTHS = {
  after: ["0s", "5m", "10m", "15m", "30m", "1h", "2h", "4h", "8h", "1d"],
  group: ["0s", "10s", "30s", "1m", "5m", "15m", "1h"],
  remind: ["", "10m", "15m", "30m", "1h", "2h", "4h", "8h", "1d"],
} as const;

export const withOwn = (known: readonly string[], own: string): readonly string[] =>
  known.includes(own) ? known : [...known, own];

export function msOf(length: string): number {
  const parsed = parseDuration(length);
  return parsed === undefined ? 0 : toMilliseconds(parsed);
}

const NEW_STEP: StepDraft = { after: "0s", channels: [] };
export const NEW_ROUTE: RouteDraft = {
  ...{ name: "", enabled: true, severity: "warning", profiles: [], hours: "", rules: true },
  ...{ group: "30s", remind: "", over: true, steps: [NEW_STEP] },
};

export const draftOf = (route: NotificationRoute): RouteDraft => ({
  ...{ name: route.name, enabled: route.enabled, severity: route.severity, profiles: route.profiles },
  ...{ hours: route.hours ?? "", rules: route.rules, group: route.group, remind: route.remind ?? "" },
  ...{ over: route.over, steps: route.steps },
});

/** Somebody else, a quarter of an hour after those before. */
export function withStep(draft: RouteDraft): RouteDraft {
  const before = Math.max(...draft.steps.map(({ after }) => msOf(after)));
  const after = LENGTHS.after.find((length) => msOf(length) >= before + 900_000) ?? "1d";
  return { ...draft, steps: [...draft.steps, { after, channels: [] }] };
}

export const mayAddStep = ({ steps }: RouteDraft): boolean => steps.length < MOST_STEPS;

export const changeStep = (draft: RouteDraft, index: number, change: Partial<StepDraft>): RouteDraft => ({
  ...draft,
  steps: draft.steps.map((step, at) => (at === index ? { ...step, ...change } : step)),
});

/** `name`, and `steps.0` for a step that notifies nobody. */
export function problemsOf({ name, steps }: RouteDraft): ReadonlySet<string> {
  const empty = steps.flatMap(({ channels }, index) => (channels.length === 0 ? [`steps.${index}`] : []));
  return new Set([...(name.trim() === "" ? ["name"] : []), ...empty]);
}

export function bodyOf({ name, hours, remind, steps, profiles, ...rest }: RouteDraft): NewNotificationRoute {
  return {
    ...{ ...rest, name: name.trim(), profiles: [...profiles] },
    ...(hours !== "" && { hours }),
    ...(remind !== "" && { remind }),
    steps: [...steps]
      .sort((a, b) => msOf(a.after) - msOf(b.after))
      .map(({ after, channels }) => ({ after, channels: [...channels] })),
  };
}
