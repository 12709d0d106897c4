// Examples are copied by people: each one that a --help shows is a command line that the program understands.
import { type Command, CommanderError } from "commander";
import { expect, test } from "vitest";
import { backupCommands } from "#role/backup-commands.ts";
import type { Cli } from "./cli.ts";
import { buildProgram, VERBS } from "./run-cli.ts";

const cli: Cli = {
  env: {},
  cwd: "/nonexistent",
  stdout: { write: () => true },
  stderr: { write: () => true },
  writeBrokerFiles: () => Promise.reject(new Error("no broker")),
  spreadDatabase: () => Promise.reject(new Error("nothing is spread here")),
  migrate: () => Promise.reject(new Error("nothing is moved here")),
  serve: () => Promise.resolve(),
  backups: backupCommands,
};

interface Example {
  readonly of: string;
  readonly line: string;
}

async function examplesOf(verb: string): Promise<readonly Example[]> {
  const program = await buildProgram([verb], cli);
  const command = program.commands.find((one) => one.name() === verb);
  return command === undefined ? [] : collect(command, verb);
}

function collect(command: Command, path: string): readonly Example[] {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  const own = [...help.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = ""]) => ({ of: path, line }));
  return [...own, ...command.commands.flatMap((inner) => collect(inner, `${path} ${inner.name()}`))];
}

const examples = (await Promise.all(Object.keys(VERBS).map(examplesOf))).flat();

test("there are many examples", () => {
  expect(examples.length).toBeGreaterThan(80);
});

test("no example has a fixed date, of which nothing is kept some day", () => {
  // The sun of a simulation shines on any date.
  const fixed = examples.filter(({ of, line }) => /\b20\d\d-\d\d/.test(line) && of !== "simulation");
  expect(fixed).toEqual([]);
});

test.each(examples)("$of: $line", async ({ line }) => {
  const calls = busbarCalls(line);
  expect(calls.length, "an example calls busbar").toBeGreaterThan(0);
  for (const words of calls) {
    const program = await buildProgram(words, cli);
    const reached = disarm(program);
    try {
      await program.parseAsync(words, { from: "user" });
    } catch (error) {
      if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
    }
    expect(reached(), "it reaches a command").toBe(true);
  }
});

/** Nothing is done: a command only notes that it was reached. */
function disarm(program: Command): () => boolean {
  let isReached = false;
  const visit = (command: Command): void => {
    if (command.commands.length === 0 || command.registeredArguments.length > 0)
      command.action(() => {
        isReached = true;
      });
    for (const inner of command.commands) visit(inner);
  };
  for (const command of program.commands) visit(command);
  return () => isReached;
}

/** The arguments of each call of busbar in a line for a shell, as the shell would split them. */
function busbarCalls(line: string): readonly (readonly string[])[] {
  const calls: string[][] = [];
  for (const part of line.split(/\||&&|\$\(|\)|>/)) {
    const words = [...part.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
    const at = words.indexOf("busbar");
    if (at !== -1) calls.push(words.slice(at + 1));
  }
  return calls;
}
