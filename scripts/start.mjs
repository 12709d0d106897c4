// `npm start`: installs what is missing, builds the web page when it is not up to date, then runs the demo site on the
// embedded defaults.
// `npm start -- --port 9000` passes flags on to `busbar serve`.
import { join } from "node:path";
import { buildPage } from "./build-page.mjs";
import { runAttached } from "./run-attached.mjs";
import { root, setUp } from "./setup.mjs";

setUp();
// Without its page, Busbar still serves the interface, and says how to build it.
buildPage();
// The script sets what Node needs, and then becomes it.
runAttached(join(root, "bin", "busbar"), ["serve", "--demo", ...process.argv.slice(2)]);
