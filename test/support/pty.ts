// A pair of pseudo terminals: a script's host opens one end as a serial line, the test has the other end as bytes.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const PYTHON = "/usr/bin/python3";
export const hasPty = existsSync(PYTHON);

/** Holds both ends open, so that the line stays when one side closes it; passes bytes to and from its own streams. */
const PROGRAM = `
import os, pty, select, sys, tty
far, near = pty.openpty()
tty.setraw(far)
tty.setraw(near)
sys.stderr.write(os.ttyname(near) + "\\n")
sys.stderr.flush()
while True:
    for source in select.select([0, far], [], [])[0]:
        data = os.read(source, 4096)
        if not data:
            sys.exit(0)
        os.write(far if source == 0 else 1, data)
`;

export interface Pty {
  /** What a program opens. */
  readonly path: string;
  write(bytes: Uint8Array): void;
  onData(listener: (bytes: Buffer) => void): void;
  /** The line goes away, as an adapter that is unplugged. */
  unplug(): void;
}

export async function openPty(): Promise<Pty> {
  const helper = spawn(PYTHON, ["-c", PROGRAM], { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => void helper.kill());
  const path = await new Promise<string>((resolve) => {
    createInterface({ input: helper.stderr }).once("line", resolve);
  });
  return {
    path,
    write: (bytes) => void helper.stdin.write(bytes),
    onData: (listener) => void helper.stdout.on("data", listener),
    unplug: () => void helper.kill(),
  };
}
