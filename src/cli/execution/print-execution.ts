import type { Cli } from "#cli/cli.ts";
import { renderPayload } from "#cli/execution/render-payload.ts";
import { printAnswer } from "#cli/print.ts";
import { renderValue } from "#cli/render-value.ts";
import type { ClientFlags } from "#cli/session.ts";
import { renderRecord, renderTable } from "#cli/table.ts";
import type { CommandResponse, Execution } from "#client/resources.ts";

/** One execution: what was asked for, where it stands, and what the device answered, a line for each field. */
export function printExecution(
  cli: Cli,
  flags: Pick<ClientFlags, "output">,
  answer: { readonly execution: Execution },
): Promise<void> {
  const { execution } = answer;
  return printAnswer(cli, flags, answer, (colour) => {
    const parts = [
      renderRecord(factsOf(execution), colour),
      renderFields(execution.response, colour),
      execution.log === undefined ? "" : renderTable(LOG, execution.log, { colour }),
    ];
    return parts.filter((part) => part !== "").join("\n\n");
  });
}

function factsOf(execution: Execution): Readonly<Record<string, string | undefined>> {
  const { name, manifest_name: declared } = execution.request;
  const values = Object.entries(execution.request.arguments);
  return {
    execution: execution.id,
    device: execution.device_id,
    command: name === declared ? name : `${name} (${declared})`,
    ...(values.length === 0
      ? {}
      : { arguments: values.map(([key, value]) => `${key}=${renderValue(value)}`).join(" ") }),
    state: execution.state,
    created: execution.created_at,
    ...(execution.requested_by === undefined ? {} : { by: requester(execution.requested_by) }),
    ...(execution.response === undefined ? {} : { answered: execution.response.received_at }),
    ...(execution.ephemeral ? { ephemeral: "yes, deleted 24 h after creation" } : {}),
  };
}

const requester = ({ name, door }: NonNullable<Execution["requested_by"]>): string =>
  door === undefined ? name : `${name} (${door})`;

function renderFields(response: CommandResponse | undefined, colour: boolean): string {
  const rows = Object.entries(response?.payload ?? {});
  if (rows.length === 0) return "";
  const columns = {
    ANSWER: ([name]: [string, unknown]) => name,
    VALUE: ([, value]: [string, unknown]) => renderValue(value),
  };
  return renderTable(columns, rows, { colour });
}

const LOG = {
  TIME: (response: CommandResponse) => response.received_at,
  STATE: (response: CommandResponse) => response.state,
  PAYLOAD: (response: CommandResponse) => renderPayload(response.payload),
};
