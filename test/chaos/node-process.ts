// A node of its own process, started to be killed: `node node-process.ts <settings as JSON>`.
import { flushCompileCache } from "node:module";
import { type NodeOptions, openNode } from "../support/nodes.ts";

const node = await openNode(JSON.parse(process.argv[2] ?? "{}") as NodeOptions);
process.stdout.write(`${JSON.stringify({ url: node.url, mqttPort: node.mqttPort })}\n`);
// Node keeps compiled code when a process ends in order, which this one may never do.
flushCompileCache();
process.once("SIGTERM", () => {
  node.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
