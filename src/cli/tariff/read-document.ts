import { promises } from "node:fs";
import { UsageError } from "#cli/usage-error.ts";

/** A file that is JSON or YAML. */
export async function readDocument(file: string): Promise<unknown> {
  const { parse } = await import("yaml");
  const text = await promises.readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(`cannot read ${file}: ${error.message}`);
  });
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`${file} is neither JSON nor YAML: ${(error as Error).message}`);
  }
}
