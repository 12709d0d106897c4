// From an empty machine with only Node to an own Modbus device that answers a command: the package is installed from its
// tarball, and every step is copied from the guide.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { codeBlocksOf } from "../support/code-blocks.ts";
import { freePort } from "../support/free-port.ts";
import { IS_LONG } from "../support/rounds.ts";
import { runPage } from "../support/shell-page.ts";
import { tempFolder } from "../support/temp-folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = "docs/guide/first-modbus-device.md";
const VERSION = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version;

test.runIf(IS_LONG)("each step of the guide works: install, demo, own device, command", async () => {
  const folder = tempFolder();
  const build = join(folder, "build");
  const home = join(folder, "home");
  const work = join(home, "site");
  mkdirSync(work, { recursive: true });
  execFileSync(process.execPath, [join(ROOT, "scripts/package.mjs"), "--out", build], { stdio: "pipe" });
  cpSync(join(build, `busbar-${VERSION}.tgz`), join(work, `busbar-${VERSION}.tgz`));
  const [http, modbus] = [await freePort(), await freePort()];
  const blocks = codeBlocksOf(PAGE, readFileSync(join(ROOT, PAGE), "utf8"));
  const texts = blocks.map(({ text }) => text).join("\n");
  expect(texts).toContain(`busbar-${VERSION}.tgz`);
  await runPage(blocks, {
    folder: work,
    // Nothing of the checkout is on the path: Node, what npm installs, and the system.
    env: {
      HOME: home,
      PATH: [join(home, "bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
      npm_config_prefix: home,
      npm_config_cache: process.env["npm_config_cache"] ?? join(process.env["HOME"] ?? "", ".npm"),
      npm_config_prefer_offline: "true",
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_userconfig: join(process.env["HOME"] ?? "", ".npmrc"),
      BUSBAR_URL: `http://127.0.0.1:${http}`,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    },
    adapt: (text) =>
      text
        .replaceAll("5020", String(modbus))
        .replaceAll("127.0.0.1:8080", `127.0.0.1:${http}`)
        .replaceAll("busbar serve --demo", `busbar serve --demo --port ${http} --mqtt-port off`),
    runsAll: true,
  });
});
