import { expect, test } from "vitest";
import { alertKey } from "#core/link/linked-key.ts";
import { instant } from "#core/time/instant.ts";
import type { AlertRecord } from "#service/ports/alert-store.ts";
import { type CopyAlertNeeds, copyAlert } from "./copy-alert.ts";

const NOW = instant(9_000_000_000_000);

/** A cloud that has this alert. `heard` lists what listeners and webhooks get. */
function prepare(clearedAt: AlertRecord["clearedAt"]) {
  const stored: AlertRecord = {
    deviceId: "own",
    siteId: "here",
    source: "faults",
    alertId: "hot",
    readLevel: "readonly",
    blueprintId: undefined,
    severity: "error",
    raisedAt: instant(1),
    hardensAt: instant(1),
    isHard: true,
    notConfirmedSince: undefined,
    details: undefined,
    clearedAt,
    acknowledgement: undefined,
  };
  const [heard, copied]: [string[], AlertRecord[]] = [[], []];
  const needs = {
    now: () => NOW,
    alerts: { find: async () => stored },
    prepareEvent: (event: { change: string; at: number }) => event,
    webhookDispatcher: {
      noticesOf: (events: readonly { change: string; at: number }[]) =>
        events.map(({ change, at }) => heard.push(`${change} ${at}`)),
      wake: () => heard.push("wake"),
    },
    copies: { alert: async (_id: string, alert: AlertRecord) => copied.push(alert) },
  } as unknown as CopyAlertNeeds;
  const source = { gatewayId: "g", devices: new Map([["own", "here"]]) };
  const gone = () => copyAlert(needs, source, { key: alertKey(stored), value: null });
  return { stored, heard, copied, gone };
}

test("an active alert that its gateway no longer has is over, and whoever heard of it hears that", async () => {
  const { stored, heard, copied, gone } = prepare(undefined);
  await gone();
  expect(copied).toEqual([{ ...stored, clearedAt: NOW }]);
  expect(heard).toEqual([`cleared ${NOW}`, "wake"]);
});

test("an alert in the history stays there when its gateway no longer has it", async () => {
  const { heard, copied, gone } = prepare(instant(5));
  await gone();
  expect([copied, heard]).toEqual([[], []]);
});
