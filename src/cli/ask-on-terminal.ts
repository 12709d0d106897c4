/** Asks on stderr, so that stdout stays an answer. An end of input counts as an empty answer. */
export async function askOnTerminal(question: string): Promise<string> {
  const { promises } = await import("node:readline");
  const terminal = promises.createInterface({ input: process.stdin, output: process.stderr });
  return answerOf(terminal, question);
}

/** The same without showing what is typed. */
export async function askSecretOnTerminal(question: string): Promise<string> {
  const { promises } = await import("node:readline");
  const { Writable } = await import("node:stream");
  process.stderr.write(question);
  // The line editor echoes by writing to its output: this one swallows it.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = promises.createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await answerOf(terminal, "");
  } finally {
    process.stderr.write("\n");
  }
}

type Terminal = import("node:readline/promises").Interface;

async function answerOf(terminal: Terminal, question: string): Promise<string> {
  try {
    const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}
