import { renderValue } from "#cli/render-value.ts";
import { renderRecord } from "#cli/table.ts";
import type { CommandDryRun } from "#client/resources.ts";

export function renderDryRun(run: CommandDryRun, device: string, colour: boolean): string {
  const values = Object.entries(run.arguments).map(([name, value]) => `${name}=${renderValue(value)}`);
  const facts = {
    device,
    command: run.manifest_name,
    arguments: values.join(" ") || "none",
    "would be sent": run.is_reachable ? "at once" : "when the device is back, if that is soon enough",
    ...Object.fromEntries(run.claims.map((one) => [`claims ${one.control.id}`, describe(one)])),
  };
  return `${renderRecord(facts, colour)}\n\nNothing was run.`;
}

function describe({ claim, wins, control }: CommandDryRun["claims"][number]): string {
  const unit = control.unit === null ? "" : ` ${control.unit}`;
  const wanted = `${String(claim.value)}${unit} until ${claim.lease_until}`;
  if (!wins) {
    const { winner } = control;
    return `${wanted}, but ${winner?.class ?? "nobody"} wins${winner === null ? "" : `: ${winner.reason}`}`;
  }
  const limits = control.limited_by.map((one) => `${one.class}: ${one.reason}`).join(", ");
  return control.value === claim.value
    ? `${wanted}, and wins`
    : `${wanted}, limited to ${control.value}${unit} by ${limits}`;
}
