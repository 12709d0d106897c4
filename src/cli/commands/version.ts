import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { printAnswer } from "#cli/print.ts";
import { version } from "#version";

export function addVersionCommand(command: Command, cli: Cli): void {
  command
    .option("-o, --output <format>", "how to print: table, json or yaml", "table")
    .action((flags: { readonly output: string }) => {
      const answer = {
        busbar: version(),
        node: process.versions.node,
        platform: `${process.platform}-${process.arch}`,
      };
      return printAnswer(cli, flags, answer, () => `busbar ${answer.busbar} (Node ${answer.node}, ${answer.platform})`);
    });
}
