import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, requireId, type WindowFlags } from "#cli/client-command.ts";
import { addCodeCommands } from "#cli/commands/gateway-codes.ts";
import { confirm } from "#cli/confirm.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { findGateway } from "#cli/find-gateway.ts";
import { findSite } from "#cli/find-site.ts";
import { isForPeople } from "#cli/output-format.ts";
import { printAnswer, printTable, remark } from "#cli/print.ts";
import { describeUplink, GATEWAY_COLUMNS, printFleet, printGateway, WIDE_GATEWAY_COLUMNS } from "#cli/print-gateway.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Window } from "#client/page.ts";
import type { GatewayChange } from "#client/resources.ts";

/**
 * On a gateway: join, status, leave. In a cloud: code, codes, withdraw-code, sign-in-code, list, show, overview, changes, withdraw,
 * give-site, rotate, revoke.
 */
export function addGatewayCommands(gateway: Command, cli: Cli): void {
  addExamples(
    gateway,
    "gateway code --name North",
    "gateway join https://cloud.example CODE",
    "gateway status",
    "gateway list",
  );
  addCodeCommands(gateway, cli);
  addCloudCommands(gateway, cli);
  addTakeoverCommand(gateway, cli);
  addRotateCommand(gateway, cli);

  const join = clientCommand(gateway, "join <url> <code>", "On a gateway: join a cloud.").action(
    async (url: string, code: string, flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.uplink.join({ url, code }));
      await printAnswer(cli, flags, answer, () => `joined ${answer.url} as ${answer.gateway_id}`);
    },
  );
  addExamples(join, "gateway join https://cloud.example CODE");

  clientCommand(gateway, "status", "On a gateway: show the state of the link to its cloud.").action(
    async (flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.uplink.get());
      await printAnswer(cli, flags, answer, () => describeUplink(answer));
    },
  );

  clientCommand(gateway, "leave", "On a gateway: leave the cloud. The gateway keeps running by itself.")
    .option("-y, --yes", "do not ask")
    .action(async (flags: ClientFlags & { yes?: boolean }) => {
      await confirm(cli, flags, "Leave the cloud?");
      const { client, wait } = await openSession(cli, flags);
      await printAnswer(cli, flags, await wait(client.uplink.leave()), () => "left the cloud");
    });
}

type ListFlags = ClientFlags & WindowFlags & { away?: true; connected?: true; gatewayVersion?: string };

function addCloudCommands(gateway: Command, cli: Cli): void {
  const list = addWindowOptions(clientCommand(gateway, "list", "In a cloud: list the gateways that have joined."))
    .option("--away", "only gateways that are not connected")
    .option("--connected", "only gateways that are connected")
    .option("--gateway-version <versions>", "only gateways that run one of these versions, separated by commas")
    .action(async (flags: ListFlags) => {
      if (flags.away && flags.connected) throw new UsageError("--away and --connected exclude each other");
      const filter = {
        ...((flags.away || flags.connected) && { connected: flags.connected === true }),
        ...(flags.gatewayVersion !== undefined && { "version.in": [flags.gatewayVersion] }),
      };
      const { client, wait } = await openSession(cli, flags);
      const fetchPage = (window: Window) => client.gateways.list({ ...window, ...filter });
      await printTable(cli, flags, {
        ...(await wait(fetchList("gateways", fetchPage, flags))),
        columns: GATEWAY_COLUMNS,
        wide: WIDE_GATEWAY_COLUMNS,
      });
    });
  addExamples(list, "gateway list --away", "gateway list -o wide");

  clientCommand(gateway, "show [gateway]", "In a cloud: show a gateway, with what it reported last.")
    .option("--gateway-id <gateway>", "the gateway by id or name, if not given as argument")
    .action(async (argument: string | undefined, flags: ClientFlags & { gatewayId?: string }) => {
      const { id, client, wait } = await openGateway(cli, argument, flags);
      await printGateway(cli, flags, await wait(client.gateways.get(id)));
    });

  clientCommand(
    gateway,
    "overview",
    "In a cloud: count the gateways by state and version, with their backlogs.",
  ).action(async (flags: ClientFlags) => {
    const { client, wait } = await openSession(cli, flags);
    await printFleet(cli, flags, await wait(client.gateways.overview()));
  });

  const changes = addWindowOptions(
    clientCommand(gateway, "changes", "In a cloud: list changes of joined sites, which their gateways make."),
  )
    .option("-d, --device-id <id>", "only changes of this device")
    .option("--pending", "only those that wait for their gateway")
    .action(async (flags: ClientFlags & WindowFlags & { deviceId?: string; pending?: boolean }) => {
      const { client, wait } = await openSession(cli, flags);
      const filter = {
        ...(flags.deviceId !== undefined && { "device_id.in": [flags.deviceId] }),
        ...(flags.pending === true && { "state.in": ["PENDING"] as const }),
      };
      const list = (window: object) => client.changes.list({ ...window, ...filter });
      const found = await wait(fetchList("changes", list, flags));
      await printTable(cli, flags, { ...found, columns: CHANGE_COLUMNS });
      if (found.rows.length === 0 && isForPeople(flags.output)) {
        remark(cli, "There are none. Only a cloud lists changes; a gateway makes its changes at once.");
      }
    });
  addExamples(changes, "gateway changes --pending");

  const withdraw = clientCommand(
    gateway,
    "withdraw <change>",
    "In a cloud: ask no longer for a change that waits for its gateway.",
  ).action(async (id: string, flags: ClientFlags) => {
    const { client, wait } = await openSession(cli, flags);
    await printAnswer(cli, flags, await wait(client.changes.withdraw(id)), () => `withdrew ${id}`);
  });
  addExamples(withdraw, "gateway withdraw 0192b8c4-7d52-7cc1-8f0e-2f1f5f0d9a11");

  clientCommand(gateway, "revoke [gateway]", "In a cloud: end a gateway's access. Its sites stay as they were.")
    .option("--gateway-id <gateway>", "the gateway by id or name, if not given as argument")
    .option("-y, --yes", "do not ask")
    .action(async (argument: string | undefined, flags: ClientFlags & { gatewayId?: string; yes?: boolean }) => {
      const { id, client, wait } = await openGateway(cli, argument, flags);
      await confirm(cli, flags, `Revoke the gateway ${id}?`);
      await printAnswer(cli, flags, await wait(client.gateways.revoke(id)), () => `revoked ${id}`);
    });
}

function addTakeoverCommand(gateway: Command, cli: Cli): void {
  const give = clientCommand(
    gateway,
    "give-site <gateway> <site>",
    "In a cloud: let a gateway take over a site of another gateway.",
  )
    .option("-y, --yes", "do not ask")
    .action(async (which: string, site: string, flags: ClientFlags & { yes?: boolean }) => {
      const session = await openSession(cli, flags);
      const [id, siteId] = [await findGateway(session, which), await findSite(session, site)];
      await confirm(cli, flags, `Let the gateway ${id} take over the site ${siteId}? Its present gateway loses it.`);
      const answer = await session.wait(session.client.gateways.giveSite(id, siteId));
      await printAnswer(cli, flags, answer, () => `${id} gets the site ${siteId} as soon as it names it`);
    });
  addExamples(give, 'gateway give-site "North 2" "My site"');
}

function addRotateCommand(gateway: Command, cli: Cli): void {
  clientCommand(gateway, "rotate [gateway]", "In a cloud: let a gateway replace its credential.")
    .option("--gateway-id <gateway>", "the gateway by id or name, if not given as argument")
    .action(async (argument: string | undefined, flags: ClientFlags & { gatewayId?: string }) => {
      const { id, client, wait } = await openGateway(cli, argument, flags);
      const answer = await wait(client.gateways.rotateCredential(id));
      await printAnswer(
        cli,
        flags,
        answer,
        () => `${id} replaces its credential, at once or when it is connected again`,
      );
    });
}

/** The gateway that the command is about, by its id or name. */
async function openGateway(
  cli: Cli,
  argument: string | undefined,
  flags: ClientFlags & { readonly gatewayId?: string },
): Promise<Session & { readonly id: string }> {
  const given = requireId("gateway", argument, flags.gatewayId);
  const session = await openSession(cli, flags);
  return { ...session, id: await findGateway(session, given) };
}

/** Why it was not made. */
const reasonOf = ({ state, errors, overruled }: GatewayChange) =>
  state === "OVERRULED"
    ? `changed on the gateway: ${overruled.join(", ")}`
    : errors.map(({ message }) => message).join("; ");

const CHANGE_COLUMNS = {
  ID: (change: GatewayChange) => change.id,
  STATE: (change: GatewayChange) => change.state,
  OPERATION: (change: GatewayChange) => change.operation,
  DEVICE: (change: GatewayChange) => change.device_id ?? "",
  BY: (change: GatewayChange) => change.asked_by.name,
  CREATED: (change: GatewayChange) => change.created_at,
  REASON: reasonOf,
};
