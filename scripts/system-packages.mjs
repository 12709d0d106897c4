// Debian packages that some tests and benchmarks need. Installed when we may (root on Debian), else named as missing.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { say } from "./say.mjs";

const PROGRAMS = {
  "chromium-headless-shell": "/usr/bin/chromium-headless-shell",
  mosquitto: "/usr/sbin/mosquitto",
  nginx: "/usr/sbin/nginx",
  "python3-paho-mqtt": "/usr/lib/python3/dist-packages/paho/mqtt/client.py",
  "rabbitmq-server": "/usr/lib/rabbitmq/bin/rabbitmq-server",
};
const BENCH_PROGRAMS = {
  chromium: "/usr/bin/chromium",
  wrk: "/usr/bin/wrk",
  "victoria-metrics": "/usr/bin/victoria-metrics",
  influxdb: "/usr/bin/influxd",
  postgresql: "/usr/lib/postgresql",
  "lua5.3": "/usr/bin/lua5.3",
};
/** Debian starts these by itself, on ports that ours or a benchmark may use. */
const SERVICES = ["mosquitto", "nginx", "victoria-metrics", "influxdb", "postgresql", "rabbitmq-server"];

/** Names of the packages that are still missing afterwards. */
export function installSystemPackages(programs = PROGRAMS) {
  const missing = () => Object.keys(programs).filter((name) => !existsSync(programs[name]));
  const wanted = missing();
  if (wanted.length === 0) return [];
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    say(`no ${wanted.join(", ")} here, and only root on Debian can install it: what needs it does not run`);
    return wanted;
  }
  say(`installing ${wanted.join(", ")} from Debian`);
  apt("update", "-qq");
  apt("install", "-y", "-qq", "--no-install-recommends", ...wanted);
  for (const name of SERVICES) {
    if (wanted.includes(name)) spawnSync("systemctl", ["disable", "--now", name], { stdio: "ignore" });
  }
  const left = missing();
  if (left.length > 0) say(`Debian has no ${left.join(", ")} for this machine: what needs it does not run`);
  return left;
}

export const installBenchPackages = () => installSystemPackages(BENCH_PROGRAMS);

function apt(...args) {
  const done = spawnSync("apt-get", args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: 600_000,
  });
  if (done.status !== 0) say(`apt-get ${args[0]} ended with ${done.status ?? done.signal}`);
}
