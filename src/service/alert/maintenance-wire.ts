import {
  FARTHEST_WINDOW_MS,
  LONGEST_REASON,
  LONGEST_WINDOW_MS,
  type MaintenanceWindow,
} from "#core/alert/maintenance.ts";
import { refuse } from "#core/app-error.ts";
import { type Instant, instant, parseInstant, renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, strict, timestamp } from "#service/operation/wire.ts";

export const windowSchema = described(
  "MaintenanceWindow",
  "While it is open, alerts of its device or site are listed as always, and nobody is notified of them.",
  {
    id: id("Identifier of the window."),
    site_id: Type.String(),
    device_id: nullable(
      Type.String({ description: "With everything that is connected through it; null for the whole site." }),
    ),
    from: timestamp,
    until: timestamp,
    reason: nullable(Type.String()),
    made_by: strict("MaintenanceMadeBy", { token_id: Type.String(), name: Type.String() }),
    made_at: timestamp,
  },
);

export const newWindowSchema = strict("NewMaintenanceWindow", {
  device_id: Type.Optional(id("Only this device, and what is connected through it. Default: the whole site.")),
  from: Type.Optional(Type.String({ format: "date-time", description: "Default: now. At most a year ahead." })),
  until: Type.String({ format: "date-time", description: "At most 92 days after it begins." }),
  reason: Type.Optional(name("Why, for the others.", LONGEST_REASON)),
});

export function renderWindow(window: MaintenanceWindow): Static<typeof windowSchema> {
  const { madeBy } = window;
  return {
    id: window.id,
    site_id: window.siteId,
    device_id: window.deviceId ?? null,
    from: renderInstant(window.from),
    until: renderInstant(window.until),
    reason: window.reason ?? null,
    made_by: { token_id: madeBy.tokenId, name: madeBy.name },
    made_at: renderInstant(window.madeAt),
  };
}

/** Refuses a time that is none, lies too far away, or ends before it begins. */
export function parseWindowTimes(
  body: Static<typeof newWindowSchema>,
  now: Instant,
): { readonly from: Instant; readonly until: Instant } {
  const wrong = (field: keyof typeof body, problem: string) =>
    refuse("invalid_body", `${field} ${problem}`, { pointer: `/${field}` });
  const from = body.from === undefined ? now : parseInstant(body.from);
  const until = parseInstant(body.until);
  if (from === undefined) throw wrong("from", "is no moment in time");
  if (until === undefined) throw wrong("until", "is no moment in time");
  if (from > now + FARTHEST_WINDOW_MS) throw wrong("from", "lies more than a year ahead");
  if (until <= now) throw wrong("until", "is over already");
  if (until <= from) throw wrong("until", "must come after from");
  // What lies before now makes a window longer, and changes nothing.
  const begin = instant(Math.max(from, now));
  if (until > begin + LONGEST_WINDOW_MS) throw wrong("until", "lies more than 92 days after its beginning");
  return { from: begin, until };
}
