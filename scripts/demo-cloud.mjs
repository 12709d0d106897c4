// `npm run demo:cloud`: a cloud of two nodes on PostgreSQL, and the demo gateway joined to it over a line that can be cut,
// as processes of this machine. docs/demo.md says what to try. `npm run demo:cloud -- --port 9000` chooses the first port.
import { join } from "node:path";
import { buildPage } from "./build-page.mjs";
import { runAttached } from "./run-attached.mjs";
import { nodePath, root, setUp } from "./setup.mjs";

setUp();
buildPage();
runAttached(nodePath(), [join(root, "scripts/demo-cloud/run.ts"), ...process.argv.slice(2)]);
