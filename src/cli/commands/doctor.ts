import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { examine } from "#cli/doctor/examine.ts";
import type { Finding } from "#cli/doctor/finding.ts";
import { EXIT } from "#cli/exit-code.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { printAnswer } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import type { ClientFlags } from "#cli/session.ts";
import { printable } from "#core/text/printable.ts";

const ABOUT = `
Looks at the installation of this machine by its configuration, whether or not Busbar runs: configuration, Node, data
folder and permissions, disk, clock, server and what is degraded, time zones of sites, ports, certificates, broker,
database, link and last backup.
Fails when something does not work; a warning alone is no failure.`;

export function addDoctorCommand(doctor: Command, cli: Cli): void {
  addConnectionOptions(addOutputOption(doctor))
    .addHelpText("after", ABOUT)
    .action(async (flags: ClientFlags) => {
      const findings = await examine(cli, flags);
      await printAnswer(cli, flags, { findings }, () => findings.map(render).join("\n"));
      if (findings.some(({ result }) => result === "failed")) throw new QuietFailure(EXIT.failure);
    });
  addExamples(doctor, "doctor", "doctor -o json");
}

function render({ check, result, found, advice }: Finding): string {
  const line = `${result.padEnd(8)}${check.padEnd(15)}${printable(found)}`;
  return advice === undefined ? line : `${line}\n${" ".repeat(23)}${printable(advice)}`;
}
