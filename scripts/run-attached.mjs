// Runs a program that belongs to this terminal until it ends, and ends with its exit code.
// Plain JavaScript that works on Node 20: `npm start` uses it.
import { spawn } from "node:child_process";
import { root } from "./setup.mjs";

export function runAttached(program, args) {
  const child = spawn(program, args, { cwd: root, stdio: "inherit" });
  // A terminal's Ctrl-C reaches both processes; a signal sent only to this one is passed on. Either way wait for a clean stop.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (!process.stdin.isTTY || signal !== "SIGINT") child.kill(signal);
    });
  }
  // npm hands a signal to its shell, and that one dies of it without a word to us: a new parent means that we should stop.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), 500).unref();
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
