/** Asks on stderr, so that stdout stays an answer. An end of input counts as an empty answer. */
export async function askOnTerminal(question: string): Promise<string> {
  const { promises } = await import("node:readline");
  const terminal = promises.createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}
