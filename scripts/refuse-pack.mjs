// `npm pack` in a checkout: Node runs no TypeScript below node_modules, so a tarball of the sources could not run.
import { fail } from "./setup.mjs";

fail(
  "npm pack would make a tarball that cannot run: it holds sources. Run: npm run package (build/busbar-VERSION.tgz)",
);
