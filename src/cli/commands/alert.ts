import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand } from "#cli/client-command.ts";
import { printAnswer } from "#cli/print.ts";
import { renderAlertDetails } from "#cli/render-alert-details.ts";
import { renderValue } from "#cli/render-value.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { suggestDevice } from "#cli/suggest-device.ts";
import { renderRecord } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import { listAll } from "#client/list-all.ts";
import type { Alert } from "#client/resources.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { printable } from "#core/text/printable.ts";

interface AcknowledgeFlags {
  readonly comment?: string;
  readonly undo?: true;
}

export function addAlertCommands(alert: Command, cli: Cli): void {
  clientCommand(
    alert,
    "show <device> <alert>",
    "Explain an alert: what it means, what to do, what the device measures.",
  ).action(async (device: string, id: string, flags: ClientFlags) => {
    const { client, wait } = await openSession(cli, flags);
    const found = await wait(suggestDevice(client, device, client.devices.get(device)));
    const { id: deviceId } = found.device;
    const active = await wait(
      Array.fromAsync(listAll("alerts", (page) => client.alerts.list(deviceId, { active: true, ...page }))),
    );
    const past = await wait(client.alerts.list(deviceId, { active: false, limit: 1_000 }));
    const one = active.find((each) => each.id === id) ?? past.alerts.find((each) => each.id === id);
    if (one === undefined) throw noSuchAlert(id, device, [...active, ...past.alerts]);
    const asked = one.telemetry ?? [];
    const now = asked.length === 0 ? undefined : await wait(client.telemetry.now({ [deviceId]: [...asked] }));
    const values = now?.devices[deviceId] ?? {};
    await printAnswer(cli, flags, { alert: one, telemetry: values }, (colour) => {
      const measured = Object.entries(values).map(([name, { value }]) => `  ${name}  ${renderValue(value)}`);
      return [
        renderRecord(fieldsOf(one, found.device.name), colour),
        ...steps(one),
        ...section("Measured now:", measured),
      ].join("\n");
    });
  });
  clientCommand(alert, "acknowledge <device> <alert>", "Say that you take care of an alert.")
    .option("-m, --comment <text>", "what is done about it, for the others")
    .option("--undo", "take the acknowledgement back")
    .action(async (device: string, id: string, flags: ClientFlags & AcknowledgeFlags) => {
      if (flags.undo && flags.comment !== undefined) throw new UsageError("--undo takes no --comment");
      const { client, wait } = await openSession(cli, flags);
      const { id: deviceId } = (await wait(suggestDevice(client, device, client.devices.get(device)))).device;
      const body = flags.comment === undefined ? {} : { comment: flags.comment };
      const answer = await wait(
        flags.undo ? client.alerts.unacknowledge(deviceId, id) : client.alerts.acknowledge(deviceId, id, body),
      );
      await printAnswer(cli, flags, answer, () =>
        flags.undo ? `nobody takes care of ${id} any more` : `${id} is acknowledged`,
      );
    });
  addExamples(
    alert,
    "alert show battery-1 overheated",
    "alert show battery-1 overheated -o json",
    'alert acknowledge battery-1 overheated --comment "I clean the filter today"',
  );
}

function acknowledgedBy({ at, by, comment, door }: NonNullable<Alert["acknowledgement"]>): string {
  return printable(
    `${at} by ${by.name}${(door ?? null) === null ? "" : ` (${door})`}${comment === null ? "" : `: ${comment}`}`,
  );
}

function fieldsOf(alert: Alert, device: string) {
  return {
    alert: `${alert.display_name} (${alert.id})`,
    device,
    severity: alert.severity,
    state: alert.state,
    raised: alert.raised_at,
    ...(alert.cleared_at !== undefined && { cleared: alert.cleared_at }),
    ...(alert.not_confirmed_since !== undefined && { "not confirmed since": alert.not_confirmed_since }),
    ...(alert.acknowledgement !== undefined && { acknowledged: acknowledgedBy(alert.acknowledgement) }),
    ...(alert.silenced_until !== undefined && { "silenced until": alert.silenced_until }),
    ...(alert.code !== undefined && { code: alert.code }),
    ...(alert.details !== undefined && { details: renderAlertDetails(alert) }),
    ...(alert.components !== undefined && { components: alert.components.join(", ") }),
    ...(alert.description !== undefined && { meaning: alert.description }),
  };
}

function steps({ troubleshooting = [], conditions = [] }: Alert): readonly string[] {
  return [
    ...section(
      "Raised when:",
      conditions.map((text) => `  - ${text}`),
    ),
    ...section(
      "What to do:",
      troubleshooting.map((text, index) => `  ${index + 1}. ${text}`),
    ),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map(printable)];
}

function noSuchAlert(id: string, device: string, known: readonly Alert[]): UsageError {
  const ids = [...new Set(known.map((alert) => alert.id))];
  const close = nearestOf(id, ids);
  const hint = close === undefined ? "" : `; did you mean ${close}?`;
  return new UsageError(
    `"${device}" has no alert "${id}", active or past${hint}\n  busbar alerts ${device} shows them`,
  );
}
