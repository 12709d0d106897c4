import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples } from "#cli/client-command.ts";
import { remark } from "#cli/print.ts";
import { UsageError } from "#cli/usage-error.ts";

const ABOUT = `
Records and telemetry are copied as they are and compared with the source by counts and checksums. The source stays as
it is, except that its open hours are sealed. No Busbar may run on either side. A move that was cut off continues when the
same command is run again, and no Busbar starts on a target that is not complete.

Keys stay in the data folder: seal.key, admin.token, and the certificates of the broker. Give each node of a database the
same seal.key, or sealed values cannot be read.`;

export function addMigrateCommand(migrate: Command, cli: Cli): void {
  migrate
    .requiredOption("--from <place>", "a data folder, or the address of a PostgreSQL database")
    .requiredOption("--to <place>", "the other one")
    .addHelpText("after", ABOUT)
    .action(async ({ from, to }: { readonly from: string; readonly to: string }) => {
      const isDatabase = (place: string) => /^postgres(?:ql)?:\/\//.test(place);
      if (isDatabase(from) === isDatabase(to)) {
        throw new UsageError("one of --from and --to is a data folder, the other one begins with postgres://");
      }
      const { telemetry, records } = await cli.migrate({ from, to, say: (text) => remark(cli, text) });
      const rows = [...records.values()].reduce((sum, one) => sum + one, 0);
      const { devices, chunks, points } = telemetry;
      cli.stdout.write(
        `moved ${rows} records of ${records.size} tables, and ${points} points of ${devices} devices in ${chunks} chunks; all compared\n`,
      );
    });
  addExamples(
    migrate,
    "migrate --from .busbar --to postgres://busbar@db/busbar",
    "migrate --from postgres://busbar@db/busbar --to /var/lib/busbar",
  );
}
