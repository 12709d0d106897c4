import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples, collect } from "#cli/client-command.ts";
import { createDeviceNames } from "#cli/device-names.ts";
import { findSites } from "#cli/find-site.ts";
import { addStreamOutputOption, isForPeople } from "#cli/output-format.ts";
import { remark } from "#cli/print.ts";
import { createPrinter } from "#cli/print-stream.ts";
import { missed, renderEvent, sourceOf } from "#cli/render-event.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { suggestDevice } from "#cli/suggest-device.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Client } from "#client/create-client.ts";
import type { EventKind } from "#client/resources.ts";

type EventFlags = ClientFlags & {
  readonly kind?: readonly string[];
  readonly deviceId?: readonly string[];
  readonly siteId?: readonly string[];
};

const KINDS: readonly EventKind[] = [
  "execution",
  "alert",
  "connectivity",
  "configuration",
  "device",
  "bulk",
  "notification",
  "rule",
  "control",
  "runtime",
  "log",
  "telemetry",
];
/** Telemetry would drown out everything else, so it is shown only on request. */
const USUAL = KINDS.filter((kind) => kind !== "telemetry");

export function addEventsCommand(events: Command, cli: Cli): void {
  addConnectionOptions(addStreamOutputOption(events))
    .option("--kind <kinds>", `only these: ${KINDS.join(", ")}; without it all but telemetry`, collect)
    .option("--device, --device-id <devices>", "only these devices, by id or slug", collect)
    .option("--site, --site-id <sites>", "only these sites, by id or name", collect)
    .action(async (flags: EventFlags) => {
      const session = await openSession(cli, flags);
      const query = {
        "kind.in": flags.kind?.map(parseKind) ?? USUAL,
        "device_id.in": await findDevices(session, flags.deviceId),
        "site_id.in": await findSites(session, flags.siteId),
      };
      await showEvents(cli, session, { flags, query });
    });
  addExamples(
    events,
    "events",
    "events --kind log,connectivity --device battery-1",
    'events --site "Plant 1" -o json | jq .execution.state',
  );
}

async function showEvents(
  cli: Cli,
  { client }: Session,
  { flags, query }: { readonly flags: ClientFlags; readonly query: Parameters<Client["events"]>[0] },
): Promise<void> {
  const nameOf = createDeviceNames(client);
  const print = await createPrinter(cli, flags);
  const isTable = isForPeople(flags.output);
  for await (const event of client.events(query)) {
    if (event.kind === "open") remark(cli, "listening; Ctrl-C ends it");
    else if (event.kind === "lost") remark(cli, "the connection is lost; trying again");
    else if (event.kind === "gap") remark(cli, missed(event));
    else {
      const name = "device_id" in event ? (isTable ? await nameOf(event.device_id) : event.device_id) : sourceOf(event);
      print(event, (colour) => renderEvent(event, name, colour));
    }
  }
}

function parseKind(text: string): EventKind {
  const kind = KINDS.find((one) => one === text.toLowerCase());
  if (kind === undefined) throw new UsageError(`"${text}" is not a kind of event; they are ${KINDS.join(", ")}`);
  return kind;
}

/** The server would take slugs too, and be silent for ever about one that is misspelt. */
async function findDevices({ client, wait }: Session, given: readonly string[] | undefined) {
  if (given === undefined) return undefined;
  return wait(
    Promise.all(given.map(async (one) => (await suggestDevice(client, one, client.devices.get(one))).device.id)),
  );
}
