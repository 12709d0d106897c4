// `npm start`: installs what is missing, builds the web page when it is not up to date, then runs the demo site on the
// embedded defaults.
// `npm start -- --port 9000` passes flags on to `busbar serve`.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { buildPage } from "./build-page.mjs";
import { root, setUp } from "./setup.mjs";

setUp();
// Without its page, Busbar still serves the interface, and says how to build it.
buildPage();
// The script sets what Node needs, and then becomes it.
const args = ["serve", "--demo", ...process.argv.slice(2)];
const busbar = spawn(join(root, "bin", "busbar"), args, { cwd: root, stdio: "inherit" });
// A terminal's Ctrl-C reaches both processes; a signal sent only to this one is passed on. Either way wait for a clean stop.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (!process.stdin.isTTY || signal !== "SIGINT") busbar.kill(signal);
  });
}
// npm hands a signal to its shell, and that one dies of it without a word to us: a new parent means that we should stop.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && busbar.kill("SIGTERM"), 500).unref();
busbar.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
