// Shows that a long step goes on: on a terminal one line with the seconds, elsewhere a line every 15 s. The steps block
// this process, so another one writes the lines. Plain JavaScript that works on Node 20.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { say } from "./say.mjs";

const LINE_EVERY_S = 15;

export function withProgress(text, work) {
  say(text);
  const began = Date.now();
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), text], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  child.on("error", () => {});
  try {
    return work();
  } finally {
    child.kill();
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
    const seconds = (Date.now() - began) / 1000;
    if (seconds >= 5) say(`done after ${seconds.toFixed(0)} s`);
  }
}

function showSeconds(text) {
  const parent = process.ppid;
  let seconds = 0;
  setInterval(() => {
    // Whoever waits for the step may have been killed.
    if (process.ppid !== parent) process.exit();
    seconds++;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kbusbar: ${text}: ${seconds} s`);
    else if (seconds % LINE_EVERY_S === 0) say(`${text}: ${seconds} s so far`);
  }, 1000);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) showSeconds(process.argv[2]);
