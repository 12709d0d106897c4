import type { Command } from "commander";
import { addListCommand } from "#cli/add-list-command.ts";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand, requireId } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { confirmTimezoneCommand } from "#cli/confirm-timezone.ts";
import { findSite } from "#cli/find-site.ts";
import { isForPeople } from "#cli/output-format.ts";
import { printAnswer, printRecord, remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Location, Site } from "#client/resources.ts";

type SiteFlags = ClientFlags & {
  readonly siteId?: string;
  readonly name?: string;
  readonly timezone?: string;
  /** False: none. */
  readonly location?: string | false;
  readonly yes?: boolean;
};

export function addSiteCommands(site: Command, cli: Cli): void {
  addExamples(site, "site list", 'site create "Plant 1" --timezone Europe/Berlin --location "Hamburg,53.55,9.99"');

  addListCommand(site, cli, {
    about: "List the sites you can see.",
    key: "sites",
    fetchPage: (client, window) => client.sites.list(window),
    columns: COLUMNS,
  });

  withSite(clientCommand(site, "get [site]", "Show one site.")).action(
    async (argument: string | undefined, flags: SiteFlags) => {
      const { id, client, wait } = await openSite(cli, argument, flags);
      await printSite(cli, flags, await wait(client.sites.get(id)));
    },
  );

  const create = clientCommand(site, "create [name]", "Create a site.");
  withFields(create).action(async (argument: string | undefined, flags: SiteFlags) => {
    const name = requireId("name", argument, flags.name);
    const { client, wait } = await openSession(cli, flags);
    await printSite(cli, flags, await wait(client.sites.create({ ...fieldsOf(flags), name })));
  });
  addExamples(create, 'site create "Plant 1" -t Europe/Berlin -l "Hamburg,53.55,9.99"');

  const update = withSite(clientCommand(site, "update [site]", "Change a site's name, time zone or location."));
  withFields(update)
    .option("--no-location", "remove the location of the site")
    .action(async (argument: string | undefined, flags: SiteFlags) => {
      const change = fieldsOf(flags);
      if (Object.keys(change).length === 0)
        throw new UsageError("nothing to change: give --name, --timezone, --location or --no-location");
      const { id, client, wait } = await openSite(cli, argument, flags);
      await printSite(cli, flags, await wait(client.sites.update(id, change)));
    });
  addExamples(update, 'site update SITE_ID --name "Plant 2"');

  withSite(clientCommand(site, "delete [site]", "Delete a site."))
    .option("-y, --yes", "do not ask")
    .action(async (argument: string | undefined, flags: SiteFlags) => {
      const { id, client, wait } = await openSite(cli, argument, flags);
      const found = await wait(client.sites.get(id));
      await confirm(cli, flags, `Delete the site "${found.site.name}" (${found.site.id})?`);
      await printAnswer(cli, flags, await wait(client.sites.delete(id)), () => `deleted ${found.site.id}`);
    });
}

/** The site that the command is about, by its id or name. */
async function openSite(cli: Cli, argument: string | undefined, flags: SiteFlags) {
  const given = requireId("site", argument, flags.siteId);
  const session = await openSession(cli, flags);
  return { ...session, id: await findSite(session, given) };
}

const COLUMNS = {
  ID: (site: Site) => site.id,
  NAME: (site: Site) => site.name,
  "TIME ZONE": (site: Site) => site.timezone,
  LOCATION: (site: Site) => renderLocation(site.location),
  "YOUR ROLE": (site: Site) => site.authorized_role,
};

async function printSite(cli: Cli, flags: ClientFlags, answer: { readonly site: Site }): Promise<void> {
  const { site } = answer;
  const isAssumed = site.timezone_assumed === true;
  await printRecord(cli, flags, {
    answer,
    fields: {
      id: site.id,
      name: site.name,
      "time zone": `${site.timezone}${isAssumed ? " (nobody has confirmed it)" : ""}`,
      location: renderLocation(site.location),
      "your role": site.authorized_role,
      created: site.created_at,
      updated: site.updated_at,
    },
  });
  if (isAssumed && isForPeople(flags.output)) {
    remark(cli, `the days of the site begin at midnight of ${site.timezone}; say which time zone it is in:`);
    remark(cli, `  ${confirmTimezoneCommand(site)}`);
  }
}

function withSite(command: Command): Command {
  return command.option("-s, --site-id <site>", "the site by id or name, if not given as argument");
}

function withFields(command: Command): Command {
  return command
    .option("-n, --name <name>", "name of the site")
    .option("-t, --timezone <zone>", "time zone, such as Europe/Berlin: its days begin at midnight there")
    .option("-l, --location <place>", 'place as "NAME,LATITUDE,LONGITUDE" or "NAME"');
}

function fieldsOf({ name, timezone, location }: SiteFlags) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(typeof location === "string" && { location: parseLocation(location) }),
    ...(location === false && { clear: ["location"] as const }),
  };
}

/** The name may hold commas itself: the last two parts are the coordinates if both are numbers. */
function parseLocation(text: string): Location {
  const [, name = text, latitude, longitude] =
    /^(.*),\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text) ?? [];
  if (name.trim() === "")
    throw new UsageError(`the location "${text}" has no name; write it like "Hamburg,53.55,9.99"`);
  return latitude === undefined
    ? { name: name.trim() }
    : { name: name.trim(), latitude: Number(latitude), longitude: Number(longitude) };
}

function renderLocation(location: Location | null | undefined): string | undefined {
  if (!location) return undefined;
  const { name, latitude, longitude } = location;
  return latitude == null || longitude == null ? name : `${name} (${latitude}, ${longitude})`;
}
