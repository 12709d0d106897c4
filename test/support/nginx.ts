// A real nginx on a free port in front of a Busbar, with the configuration of the example.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certify } from "./certificates.ts";
import { freePort } from "./free-port.ts";

/** Debian's package; another place is for machines where it cannot be installed. */
const PROGRAM = process.env["BUSBAR_TEST_NGINX"] ?? "/usr/sbin/nginx";
export const hasNginx = existsSync(PROGRAM);

const EXAMPLE = new URL("../../examples/compose/nginx.conf", import.meta.url);

export interface Nginx {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** `edit` changes the example before it is used. */
export async function startNginx(target: string, edit: (example: string) => string = (text) => text): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), "busbar-nginx-"));
  const port = await freePort();
  const { cert, key } = certify(["127.0.0.1"]);
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key);
  const server = edit(readFileSync(EXAMPLE, "utf8"))
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace("http://busbar:8080", target)
    .replaceAll("/etc/nginx/", `${folder}/`);
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    join(folder, "nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; worker_processes 1; pid ${join(folder, "pid")}; error_log stderr warn;
     events { worker_connections 128; }
     http { access_log off; ${places.join(" ")} ${server} }`,
  );
  const child = spawn(PROGRAM, ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (part: Buffer) => (said += part.toString()));
  const ended = once(child, "exit");
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${said}`);
  }
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => setTimeout(() => resolve(false), 20));
  });
  socket.destroy();
  return isOpen;
}
