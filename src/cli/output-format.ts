import { type Command, Option } from "commander";

/** What an answer can be printed as. `wide` is a table with all columns; `jsonl` is one object a line. */
const FORMATS = ["table", "wide", "json", "jsonl", "csv", "yaml"] as const;

/** Things that are printed as they come have no columns. */
const STREAM_FORMATS = ["table", "json", "jsonl", "yaml"] as const;

export function addOutputOption(command: Command): Command {
  return command.addOption(
    new Option("-o, --output <format>", "how to print the answer").choices(FORMATS).default("table"),
  );
}

export function addStreamOutputOption(command: Command): Command {
  const about = "how to print; json and jsonl are one object a line";
  return command.addOption(new Option("-o, --output <format>", about).choices(STREAM_FORMATS).default("table"));
}

/** Whether a person reads the answer, so that remarks and names help. */
export function isForPeople(output: string | undefined): boolean {
  return output === undefined || output === "table" || output === "wide";
}
