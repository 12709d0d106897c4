// `busbar` for shell scripts of a test: the command runs in the process of the test, which saves most of its start.
import { chmodSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { runBusbar } from "./run-busbar.ts";

/** Puts `busbar` into the folder, and serves it until the server is closed. */
export async function serveBusbarShim(folder: string, env: Readonly<Record<string, string>>): Promise<Server> {
  const socketPath = join(folder, "busbar.sock");
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { argv, cwd } = JSON.parse(await text(request)) as { readonly argv: readonly string[]; readonly cwd: string };
    response.end(JSON.stringify(await runBusbar(argv, { cwd, env })));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  writeFileSync(
    join(folder, "busbar"),
    `#!${process.execPath}
const { request } = require("node:http");
request({ socketPath: ${JSON.stringify(socketPath)}, method: "POST" }, async (answer) => {
  let text = "";
  for await (const piece of answer.setEncoding("utf8")) text += piece;
  const { code, out, err } = JSON.parse(text);
  process.stdout.write(Buffer.from(out, "latin1"));
  process.stderr.write(Buffer.from(err, "latin1"));
  process.exitCode = code;
}).end(JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd() }));
`,
  );
  chmodSync(join(folder, "busbar"), 0o755);
  return server;
}
