// Where the prices of a site are fetched from.
import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { EXIT } from "#cli/exit-code.ts";
import { findSite } from "#cli/find-site.ts";
import { printAnswer, printTable } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { readDocument } from "#cli/tariff/read-document.ts";
import type { NewPriceSource, PriceSource, PriceTrial } from "#client/resources.ts";
import { PRICE_KINDS, type PriceKind } from "#core/energy/price-days.ts";

const HELP = `
A source is a JSON or YAML file:
    url: https://prices.example/day-ahead?start={today}&end={tomorrow}
    header: {name: X-Api-Key, value: ...}   # optional; stored encrypted and never shown
    time: /data/*/start_timestamp           # * stands for each row
    time_format: ms                         # or s, or rfc3339 (ISO 8601 with an offset)
    price: /data/*/marketprice
    scale: 0.001                            # EUR/MWh to EUR/kWh; 0.01 for ct/kWh
    resolution: 15m                         # or 1h
    every: 1h                               # how often it is fetched
Fees and taxes are added by the tariff: add and factor of a price of type prices.
`;

type KindFlags = ClientFlags & { readonly kind: PriceKind };

const kindOption = () =>
  new Option("--kind <kind>", "prices of import, of export (feed-in), or grams of CO2")
    .choices(PRICE_KINDS)
    .default("import");

export function addSourceCommands(source: Command, cli: Cli): void {
  source.addHelpText("after", HELP);
  addExamples(
    source,
    'tariff source try "Demo site" source.yml',
    'tariff source set "Demo site" source.yml --kind export',
    'tariff source show "Demo site"',
  );
  clientCommand(source, "show <site>", "Show where prices come from, and how fetching them goes.").action(
    async (site: string, flags: ClientFlags) => {
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.sites.priceSources(await findSite(session, site)));
      const columns = {
        KIND: ({ kind }: PriceSource) => kind,
        URL: ({ url }: PriceSource) => url,
        EVERY: ({ every }: PriceSource) => every,
        "LAST SUCCESS": ({ succeeded_at }: PriceSource) => succeeded_at ?? "-",
        "LAST FAILURE": ({ failed_at }: PriceSource) => failed_at ?? "-",
        NEXT: ({ next_at }: PriceSource) => next_at,
        ERROR: ({ failures, error }: PriceSource) => (failures === 0 ? "" : (error ?? "")),
      };
      await printTable(cli, flags, { answer, rows: answer.price_sources, columns });
    },
  );
  clientCommand(source, "set <site> <file>", "Set where prices are fetched from. They are fetched at once.")
    .addOption(kindOption())
    .action(async (site: string, file: string, flags: KindFlags) => {
      const body = (await readDocument(file)) as NewPriceSource;
      const session = await openSession(cli, flags);
      const siteId = await findSite(session, site);
      const answer = await session.wait(session.client.sites.putPriceSource(siteId, flags.kind, body));
      await printAnswer(cli, flags, answer, () => "set the source; busbar tariff source show SITE shows how it goes");
    });
  clientCommand(source, "try <site> <file>", "Fetch once and show the first prices. Nothing is stored.")
    .addOption(kindOption())
    .action(async (site: string, file: string, flags: KindFlags) => {
      const body = (await readDocument(file)) as NewPriceSource;
      const session = await openSession(cli, flags);
      const siteId = await findSite(session, site);
      const answer = await session.wait(session.client.sites.tryPriceSource(siteId, flags.kind, body));
      await printAnswer(cli, flags, answer, () => trialText(answer));
      if (answer.problems.length > 0) throw new QuietFailure(EXIT.failure);
    });
  clientCommand(source, "remove <site>", "Stop fetching prices. Stored prices stay.")
    .addOption(kindOption())
    .option("-y, --yes", "do not ask")
    .action(async (site: string, flags: KindFlags & { yes?: boolean }) => {
      await confirm(cli, flags, `Stop fetching ${flags.kind} prices of ${site}?`);
      const session = await openSession(cli, flags);
      const siteId = await findSite(session, site);
      const answer = await session.wait(session.client.sites.deletePriceSource(siteId, flags.kind));
      await printAnswer(cli, flags, answer, () => "removed the source");
    });
}

function trialText({ problems, prices, total }: PriceTrial): string {
  if (problems.length > 0) return ["the prices cannot be read:", ...problems.map((one) => `  ${one}`)].join("\n");
  const rows = prices.map(({ from, price, paid }) => `  ${from}  ${price}${paid === null ? "" : `  paid: ${paid}`}`);
  return [`${total} prices; the first:`, ...rows].join("\n");
}
