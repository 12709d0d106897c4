// The tariff of a site, and the prices that it may follow.
import { promises } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { findSite } from "#cli/find-site.ts";
import { parseTime, TIME_WORDS } from "#cli/parse-time.ts";
import { printAnswer, printTable, remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { readDocument } from "#cli/tariff/read-document.ts";
import { readPriceFile } from "#cli/tariff/read-price-file.ts";
import { addSourceCommands } from "#cli/tariff/source-commands.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { NewTariff, Prices } from "#client/resources.ts";
import { parseTariff } from "#core/energy/parse-tariff.ts";
import { PRICE_KINDS, type PriceKind } from "#core/energy/price-days.ts";

const HELP = `
A tariff is a JSON or YAML file:
    currency: EUR
    versions:
      - valid_from: "2026-01-01"        # a change of tariff is one more version
        import:                         # what energy from the grid costs, for a kWh
          type: time_of_use             # or fixed with a price, or prices with add and factor
          rates:
            - {name: night, price: 0.24, from: "22:00", to: "06:00"}
            - {name: weekend, price: 0.27, weekdays: [sat, sun]}
          default: {name: day, price: 0.32}
        export: {type: fixed, price: 0.08}
        base: {amount: 12.50, per: month}
        peak: {amount: 9, per: month}   # for each kW of the highest quarter of an hour
        co2: {type: fixed, grams: 380}
`;

export function addTariffCommands(tariff: Command, cli: Cli): void {
  tariff.addHelpText("after", HELP);
  addExamples(
    tariff,
    "tariff check tariff.yml",
    'tariff set "Demo site" tariff.yml',
    'tariff show "Demo site"',
    'tariff prices import "Demo site" prices.csv --time 0 --price 1 --duration 1h',
  );
  clientCommand(tariff, "show <site>", "Show the tariff of a site.").action(
    async (site: string, flags: ClientFlags) => {
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.sites.tariff(await findSite(session, site)));
      await printAnswer(cli, flags, answer, () =>
        answer.tariff === null ? "The site has no tariff." : JSON.stringify(answer.tariff, undefined, 2),
      );
    },
  );
  clientCommand(tariff, "set <site> <file>", "Set the tariff of a site. It replaces the one that there is.").action(
    async (site: string, file: string, flags: ClientFlags) => {
      const body = await readTariffFile(file);
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.sites.putTariff(await findSite(session, site), body));
      await printAnswer(cli, flags, answer, () => `set the tariff; busbar energy SITE --costs shows what energy costs`);
    },
  );
  tariff
    .command("check <file>")
    .description("Check a tariff in a file, without a server.")
    .action(async (file: string) => {
      const { currency, versions } = await readTariffFile(file);
      remark(cli, `the tariff is valid: ${currency}, ${versions.length} version${versions.length === 1 ? "" : "s"}`);
    });
  clientCommand(tariff, "remove <site>", "Remove the tariff of a site. Stored prices stay.")
    .option("-y, --yes", "do not ask")
    .action(async (site: string, flags: ClientFlags & { yes?: boolean }) => {
      await confirm(cli, flags, `Remove the tariff of ${site}?`);
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.sites.deleteTariff(await findSite(session, site)));
      await printAnswer(cli, flags, answer, () => "removed the tariff");
    });
  addSourceCommands(
    tariff.command("source").description("Where prices are fetched from: show, set, try, remove."),
    cli,
  );
  addPriceCommands(tariff.command("prices").description("Stored prices of a site: import, show."), cli);
}

/** Refuses with everything that is wrong with it. */
async function readTariffFile(file: string): Promise<NewTariff> {
  const document = await readDocument(file);
  const { problems } = parseTariff(document);
  if (problems.length > 0) {
    const lines = problems.map(({ pointer, message }) => `  ${pointer === "" ? "the tariff" : pointer} ${message}`);
    throw new UsageError(`${file} is no tariff:\n${lines.join("\n")}`);
  }
  return document as NewTariff;
}

type ImportFlags = ClientFlags & {
  readonly kind: PriceKind;
  readonly time: string;
  readonly price: string;
  readonly duration: string;
  readonly scale: number;
  readonly timeFormat: "rfc3339" | "s" | "ms";
};

const kindOption = () =>
  new Option("--kind <kind>", "prices of import, of export (feed-in), or grams of CO2")
    .choices(PRICE_KINDS)
    .default("import");

/** Rows of one call. */
const ROWS_AT_ONCE = 4_000;

function addPriceCommands(prices: Command, cli: Cli): void {
  const importing = clientCommand(prices, "import <site> <file>", "Store prices from a CSV file with a header.")
    .addOption(kindOption())
    .requiredOption("--time <column>", "name or number (from 0) of the column with the start of each price")
    .requiredOption("--price <column>", "name or number of the column with the price")
    .option("--duration <duration>", "how long each price holds, such as 15m or 1h", "1h")
    .option("--scale <factor>", "multiplied with each price: 0.001 for prices of a MWh, 0.01 for cents", parseScale, 1)
    .addOption(
      new Option("--time-format <format>", "how times are written: RFC 3339, or Unix seconds or milliseconds")
        .choices(["rfc3339", "s", "ms"])
        .default("rfc3339"),
    )
    .action(async (site: string, file: string, flags: ImportFlags) => {
      const rows = readPriceFile(await promises.readFile(file, "utf8"), flags);
      const session = await openSession(cli, flags);
      const siteId = await findSite(session, site);
      let stored = 0;
      for (let n = 0; n < rows.length; n += ROWS_AT_ONCE) {
        const body = { duration: flags.duration, prices: rows.slice(n, n + ROWS_AT_ONCE) };
        stored += (await session.wait(session.client.sites.putPrices(siteId, flags.kind, body))).stored;
      }
      await printAnswer(cli, flags, { stored }, () => `stored ${stored} prices`);
    });
  addExamples(
    importing,
    'tariff prices import "Demo site" spot.csv --time start --price "EUR/MWh" --scale 0.001 --duration 15m',
    'tariff prices import "Demo site" co2.csv --kind co2 --time 0 --price 1',
  );
  clientCommand(prices, "show <site>", "Show stored prices: yesterday to tomorrow unless said otherwise.")
    .addOption(kindOption())
    .option("--from <time>", `start: ${TIME_WORDS}`)
    .option("--to <time>", "end, not included")
    .action(async (site: string, flags: ClientFlags & { kind: PriceKind; from?: string; to?: string }) => {
      const session = await openSession(cli, flags);
      const siteId = await findSite(session, site);
      const moment = (flag: string, text: string) => new Date(parseTime(flag, text, Date.now())).toISOString();
      const query = {
        ...(flags.from !== undefined && { from: moment("--from", flags.from) }),
        ...(flags.to !== undefined && { to: moment("--to", flags.to) }),
      };
      const answer = await session.wait(session.client.sites.prices(siteId, flags.kind, query));
      type Row = Prices["prices"][number];
      const columns = { FROM: ({ from }: Row) => from, TO: ({ to }: Row) => to, PRICE: ({ price }: Row) => price };
      await printTable(cli, flags, { answer, rows: answer.prices.prices, columns });
    });
}

function parseScale(text: string): number {
  const scale = Number(text);
  if (!Number.isFinite(scale) || scale === 0) throw new InvalidArgumentError("It must be a number other than 0.");
  return scale;
}
