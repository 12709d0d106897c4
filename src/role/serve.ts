// The long-running process: it starts, prints where to connect, and stops cleanly on a signal.
import { isIP } from "node:net";
import type { Logger } from "pino";
import type { Config } from "#config";
import { AppError } from "#core/app-error.ts";
import { printable } from "#core/text/printable.ts";
import { keepRunning } from "#role/keep-running.ts";
import { type Running, start } from "#role/start.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import { version } from "#version";

/** Resolves after a clean stop. Rejects when it cannot start or must not go on. */
export async function serve(config: Config, log: Logger): Promise<void> {
  // Whatever it writes is for its owner alone, also where a library makes the file.
  process.umask(0o077);
  const end = Promise.withResolvers<void>();
  const unhandled = keepRunning(log);
  const running = await start(config, log, end.reject).catch(async (error: unknown) => {
    throw await explain(error, config);
  });
  unhandled.reportTo(running.troubles);
  const stop = (signal: NodeJS.Signals) => {
    log.info({ signal }, "stopping: finishing what runs, at most 10 s");
    running.stop().then(end.resolve, end.reject);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  // On a terminal the signal says that it was closed.
  if (process.stdin.isTTY !== true) process.on("SIGHUP", () => reload(running, log));
  if (!isLoopback(config.host) && !running.url.startsWith("https:")) {
    log.warn(
      { host: config.host },
      "listening beyond this machine without TLS: set http.tls or put a TLS proxy in front",
    );
  }
  log.info({ role: config.role, data: config.data, url: running.url }, "ready");
  process.stdout.write(welcome(config, running, running.hasPage ? await running.newSignInCode() : undefined));
  keepCompiled();
  try {
    await end.promise;
  } catch (error) {
    // A thread that stores data has ended. Acknowledged data is safe, but nothing more can be stored, so the process
    // ends too.
    log.fatal({ err: error }, "cannot go on; a supervisor should start Busbar again");
    process.exit(1);
  }
  log.info("stopped");
}

function reload(running: Running, log: Logger): void {
  running.reload().then(
    () => log.info("SIGHUP: looked for a new certificate of HTTP"),
    (error: unknown) => log.error({ err: error }, "the certificate of HTTP could not be reloaded"),
  );
}

/** How people call it: from a checkout, whose sources run as they are, or installed. */
const PROGRAM = import.meta.url.endsWith(".ts") ? "./bin/busbar" : "busbar";

/** The first commands to type. A test runs all of them. */
const TRY = [`${PROGRAM} site list`, `${PROGRAM} device list`];
export const TRY_DEMO = [
  `${PROGRAM} device list`,
  `${PROGRAM} now battery-rack-a grid-meter:grid_power --watch`,
  `${PROGRAM} telemetry query roof-inverter:ac_power --from -3d --chart`,
  `${PROGRAM} run weather-station heat_sensors duration=1`,
  `${PROGRAM} run battery-rack-a set_mode mode=remote`,
];

function welcome(config: Config, { url, tokenFile, assumedSite }: Running, code: string | undefined): string {
  // Whoever tries the demo wants to see something first.
  const offersAccount = !config.demo;
  const token = tokenFile === undefined ? "the one in BUSBAR_ADMIN_TOKEN" : tokenFile;
  return [
    "",
    `  Busbar ${version()}, ${config.role}, is ready`,
    "",
    ...(code !== undefined
      ? [
          `  Open      ${url}/sign-in#code=${code}${offersAccount ? "&first" : ""}`,
          `            signs in once, within 10 minutes${offersAccount ? ", and offers you an account" : ""}; busbar open prints a new link`,
        ]
      : [`  Look      ${url}/`]),
    `  API       ${url}/docs`,
    `  Token     ${token}`,
    ...(config.demo ? TRY_DEMO : TRY).map((command, at) => `  ${at === 0 ? "Try" : "   "}       ${command}`),
    ...(config.demo ? ["  More      docs/demo.md"] : []),
    ...(assumedSite === undefined ? [] : askForTimezone(assumedSite)),
    "",
    "  Stop with Ctrl-C.",
    "",
    "",
  ].join("\n");
}

/** The start never waits for an answer: it may run as a service. */
function askForTimezone({ name, timezone }: NonNullable<Running["assumedSite"]>): readonly string[] {
  const example = timezone === "UTC" ? "Europe/Berlin" : timezone;
  return [
    "",
    `  Site      Nobody has confirmed the time zone of "${printable(name)}": ${timezone}, from this machine.`,
    "            Its days begin at midnight there. Give name and time zone on the page, or with",
    `            ${PROGRAM} site update ${JSON.stringify(printable(name))} --name "Plant 1" --timezone ${example}`,
  ];
}

async function explain(error: unknown, config: Config): Promise<unknown> {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    return new Error(`port ${config.port} is in use on ${config.host}; choose another with --port or BUSBAR_PORT`);
  }
  if (code === "EACCES") {
    return new Error(`no permission to use port ${config.port} or the folder ${config.data}`);
  }
  if (code === "EADDRNOTAVAIL") return new Error(`this machine has no address ${config.host}`);
  if (config.database.url === undefined) return error;
  // Loaded only where it is used: a gateway starts sooner without it.
  const { serverTrouble } = await import("#store/postgres/trouble.ts");
  const trouble = serverTrouble(error) ?? refusalOf(error);
  if (trouble !== undefined) return new Error(`the database cannot be used: ${trouble.message}`, { cause: error });
  return error;
}

/** A refusal of the database is the reason of the start's failure, not a fault of the program. */
function refusalOf(error: unknown): AppError | undefined {
  return error instanceof AppError && error.code.startsWith("storage_") ? error : undefined;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
