import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, requireId, type WindowFlags } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { printAnswer, printTable, remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import type { Gateway, Uplink } from "#client/resources.ts";

/** On a gateway: join, status, leave. In a cloud: code, list, revoke. */
export function addGatewayCommands(gateway: Command, cli: Cli): void {
  addExamples(
    gateway,
    "gateway code --name North",
    "gateway join https://cloud.example CODE",
    "gateway status",
    "gateway list",
  );
  addCloudCommands(gateway, cli);

  const join = clientCommand(gateway, "join <url> <code>", "On a gateway: join a cloud.").action(
    async (url: string, code: string, flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.uplink.join({ url, code }));
      await printAnswer(cli, flags, answer, () => `joined ${answer.url} as ${answer.gateway_id}`);
    },
  );
  addExamples(join, "gateway join https://cloud.example CODE");

  clientCommand(gateway, "status", "On a gateway: how the link to the cloud does.").action(
    async (flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.uplink.get());
      await printAnswer(cli, flags, answer, () => describe(answer));
    },
  );

  clientCommand(gateway, "leave", "On a gateway: leave the cloud. The gateway goes on by itself.")
    .option("-y, --yes", "do not ask")
    .action(async (flags: ClientFlags & { yes?: boolean }) => {
      await confirm(cli, flags, "Leave the cloud?");
      const { client, wait } = await openSession(cli, flags);
      await printAnswer(cli, flags, await wait(client.uplink.leave()), () => "left the cloud");
    });
}

function addCloudCommands(gateway: Command, cli: Cli): void {
  const code = clientCommand(gateway, "code", "In a cloud: make a code with which one gateway joins.")
    .option("-n, --name <name>", "what the gateway is called; without it as its first site")
    .option("--expires-in <duration>", "how long the code is valid, at most 30d; without it 1h")
    .action(async (flags: ClientFlags & { name?: string; expiresIn?: string }) => {
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(
        client.gateways.createJoinCode({
          ...(flags.name !== undefined && { name: flags.name }),
          ...(flags.expiresIn !== undefined && { expires_in: flags.expiresIn }),
        }),
      );
      await printAnswer(cli, flags, answer, () => answer.code);
      remark(cli, `This is the code, shown this once. It works once, until ${answer.expires_at}.`);
    });
  addExamples(code, "gateway code --name North --expires-in 2h");

  addWindowOptions(clientCommand(gateway, "list", "In a cloud: list the gateways that have joined.")).action(
    async (flags: ClientFlags & WindowFlags) => {
      const { client, wait } = await openSession(cli, flags);
      await printTable(cli, flags, {
        ...(await wait(fetchList("gateways", client.gateways.list, flags))),
        columns: COLUMNS,
      });
    },
  );

  clientCommand(gateway, "revoke [gateway]", "In a cloud: end a gateway's access. Its sites stay as they were.")
    .option("--gateway-id <id>", "the gateway, if not given as argument")
    .option("-y, --yes", "do not ask")
    .action(async (argument: string | undefined, flags: ClientFlags & { gatewayId?: string; yes?: boolean }) => {
      const id = requireId("gateway", argument, flags.gatewayId);
      await confirm(cli, flags, `Revoke the gateway ${id}?`);
      const { client, wait } = await openSession(cli, flags);
      await printAnswer(cli, flags, await wait(client.gateways.revoke(id)), () => `revoked ${id}`);
    });
}

function describe({ url, gateway_id, connected, since, backlog, telemetry, last_error }: Uplink): string {
  const state = connected ? "connected" : "not connected";
  return [
    `${state} to ${url} since ${since}`,
    `gateway ${gateway_id}, ${backlog} changes to tell, ${describeTelemetry(telemetry)}`,
    ...(last_error === null ? [] : [`last error: ${last_error}`]),
  ].join("\n");
}

const stateOf = ({ revoked_at, connected }: Gateway) =>
  revoked_at !== null ? "revoked" : connected ? "connected" : "away";

const COLUMNS = {
  ID: (gateway: Gateway) => gateway.id,
  NAME: (gateway: Gateway) => gateway.name,
  STATE: stateOf,
  VERSION: (gateway: Gateway) => gateway.version,
  SITES: (gateway: Gateway) => String(gateway.site_ids.length),
  "LAST SEEN": (gateway: Gateway) => gateway.last_seen_at ?? "never",
};

function describeTelemetry({ messages, hours, history_before }: Uplink["telemetry"]): string {
  const parts = [`${messages} messages of telemetry`];
  if (hours > 0) parts.push(`${hours} hours`);
  if (history_before !== null) parts.push(`the history before ${history_before}`);
  return parts.join(", ");
}
