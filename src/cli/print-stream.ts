import type { Cli } from "./cli.ts";

type Print = (item: unknown, render: (colour: boolean) => string) => void;

/** Prints things one by one as they come: a line each for people, a JSON object a line or a YAML document for programs. */
export async function createPrinter(cli: Cli, { output }: { readonly output?: string | undefined }): Promise<Print> {
  const colour = cli.stdout.hasColors?.() === true;
  if (output === "json" || output === "jsonl") return (item) => void cli.stdout.write(`${JSON.stringify(item)}\n`);
  if (output === "yaml") {
    const { stringify } = await import("yaml");
    return (item) => void cli.stdout.write(`---\n${stringify(item, { lineWidth: 0 })}`);
  }
  return (_item, render) => void cli.stdout.write(`${render(colour)}\n`);
}
