// Runs the shell blocks of a page as a reader would: one after the other, in a folder that also holds the files that the
// page shows.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CodeBlock } from "./code-blocks.ts";

export interface PageShell {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Changes the text of blocks and files, such as addresses that differ here. */
  readonly adapt: (text: string) => string;
  /** Runs blocks that say why they are skipped, too. */
  readonly runsAll?: boolean;
}

const SHOWN_WITHIN_MS = 60_000;

/** Rejects at the first block that ends otherwise than the page says. */
export async function runPage(blocks: readonly CodeBlock[], shell: PageShell): Promise<void> {
  const background: ChildProcess[] = [];
  try {
    for (const block of blocks) {
      const file = block.settings.get("file");
      if (file !== undefined) writeFile(shell, file, block.text);
      if (block.language !== "sh" || (block.settings.has("skip") && shell.runsAll !== true)) continue;
      if (block.settings.has("background")) background.push(await startBlock(block, shell));
      else await runUntilShown(block, shell);
    }
  } finally {
    for (const child of background) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      // The whole group: the shell and what it runs.
      if (child.pid !== undefined && ended !== undefined) process.kill(-child.pid, "SIGTERM");
      await ended;
    }
  }
}

function writeFile({ folder, adapt }: PageShell, file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), adapt(text));
}

/** A block with `shows="pattern"` is repeated until its output has this, as a reader does who waits for a value. */
async function runUntilShown(block: CodeBlock, shell: PageShell): Promise<void> {
  const wanted = new RegExp(block.settings.get("shows") ?? "");
  for (const end = Date.now() + SHOWN_WITHIN_MS; ; await sleep(500)) {
    const shown = await runBlock(block, shell);
    if (wanted.test(shown)) return;
    if (Date.now() > end) throw new Error(`${block.page} line ${block.line} never showed ${wanted}, but\n${shown}`);
  }
}

/** Resolves with what the block printed. */
function runBlock(block: CodeBlock, { folder, env, adapt }: PageShell): Promise<string> {
  // What a block exports is there for the next ones.
  const script = `[ ! -f .exported ] || . ./.exported\n${adapt(block.text)}\nexport -p > .exported`;
  const fails = block.settings.has("fails");
  return new Promise((resolve, reject) => {
    execFile("bash", ["-euc", script], { cwd: folder, env, timeout: 60_000 }, (error, out, err) => {
      if ((error !== null) === fails) resolve(out);
      else
        reject(new Error(`${block.page} line ${block.line}:\n${script}\nended with ${error?.code ?? 0}\n${out}${err}`));
    });
  });
}

/** Resolves when the address that the block names answers. */
async function startBlock(block: CodeBlock, { folder, env, adapt }: PageShell): Promise<ChildProcess> {
  const child = spawn("bash", ["-c", adapt(block.text)], { cwd: folder, env, stdio: "ignore", detached: true });
  const until = new URL(adapt(block.settings.get("until") ?? ""));
  while (!(await answers(until))) {
    if (child.exitCode !== null) throw new Error(`${block.page} line ${block.line} ended with ${child.exitCode}`);
    await sleep(50);
  }
  return child;
}

async function answers(address: URL): Promise<boolean> {
  if (address.protocol === "http:") return (await fetch(address).catch(() => undefined))?.ok === true;
  const socket = connect(Number(address.port), address.hostname);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
