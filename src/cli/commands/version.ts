import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { printAnswer } from "#cli/print.ts";
import { version } from "#version";

export function addVersionCommand(command: Command, cli: Cli): void {
  addOutputOption(command).action((flags: { readonly output: string }) => {
    const answer = {
      busbar: version(),
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    };
    return printAnswer(cli, flags, answer, () => `busbar ${answer.busbar} (Node ${answer.node}, ${answer.platform})`);
  });
}
