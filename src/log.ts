import { writeSync } from "node:fs";
import { styleText } from "node:util";
import pino from "pino";
import { redact } from "#core/redact.ts";
import { printable } from "#core/text/printable.ts";
import type { Config } from "./config.ts";

export type Logger = pino.Logger;

type LogOptions = Config["log"];

/** Where lines go; a terminal says so by `isTTY`. */
type LogStream = {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean | undefined;
  readonly hasColors?: (() => boolean) | undefined;
  readonly on?: (event: "error", listener: () => void) => unknown;
  readonly destroyed?: boolean;
  readonly fd?: number;
};

type LogRecord = Readonly<Record<string, unknown>>;

/** One line as people are shown it; `details` is JSON. */
interface RecentLine {
  readonly at: string;
  readonly level: string;
  readonly subject: string | undefined;
  readonly message: string;
  readonly details: string;
}

const MAX_RECENT = 300;
const MAX_DETAILS = 2_000;
/** The most that the kept lines of a log take: three texts of two bytes a letter. */
export const RECENT_BYTES = 4 * 1024 * 1024;
const KEPT_LEVELS: ReadonlySet<unknown> = new Set(["info", "warn", "error", "fatal"]);
const recent = new WeakMap<Logger, RecentLine[]>();

/** The newest lines that a log has written, newest last. Secrets are removed from them as from the log. */
export function recentLines(log: Logger): readonly RecentLine[] {
  return recent.get(log) ?? [];
}

function keepLine(lines: RecentLine[], { level, time, subject, msg, ...rest }: LogRecord): void {
  if (!KEPT_LEVELS.has(level)) return;
  lines.push({
    at: String(time),
    level: String(level),
    subject: typeof subject === "string" ? subject.slice(0, MAX_DETAILS) : undefined,
    message: String(msg ?? "").slice(0, MAX_DETAILS),
    details: JSON.stringify(rest).slice(0, MAX_DETAILS),
  });
  if (lines.length > MAX_RECENT) lines.shift();
}

/**
 * The log of the process, on stderr by default. Every line passes one place that removes secrets, so neither a child
 * logger nor a library's own fields can get around it. `subject` names the part that logs: `log.child({ subject: "http"
 * })`.
 */
export function createLogger(options: LogOptions, stream: LogStream = process.stderr): Logger {
  const isPretty = options.format === "pretty" || (options.format === "auto" && stream.isTTY === true);
  const colour = stream.hasColors?.() === true;
  const render = isPretty ? (record: LogRecord) => renderPretty(record, colour) : JSON.stringify;
  const write = createLogOutput(stream, render);
  const lines: RecentLine[] = [];
  const output = {
    write: (line: string) => {
      const record = parseFields(redact(JSON.parse(line)));
      keepLine(lines, record);
      write(record);
    },
  };
  const log = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        req: renderRequest,
        request: renderRequest,
        res: renderResponse,
        response: renderResponse,
        err: pino.stdSerializers.err,
        error: pino.stdSerializers.err,
      },
    },
    output,
  );
  recent.set(log, lines);
  return log;
}

/**
 * A log that cannot be written, for example on a full disk, must not end anything: the line is lost, and the number of
 * lost lines is written first when there is room again. Node gives up a stream after one failed write, but not the file
 * behind it.
 */
function createLogOutput(stream: LogStream, render: (record: LogRecord) => string): (record: LogRecord) => void {
  let lost = 0;
  stream.on?.("error", () => {
    lost++;
  });
  const put = (text: string) => {
    if (stream.destroyed === true && stream.fd !== undefined) writeSync(stream.fd, text);
    else stream.write(text);
  };
  return (record) => {
    try {
      if (lost > 0 && (stream.destroyed !== true || stream.fd !== undefined)) {
        const { time } = record;
        put(`${render({ level: "warn", time, lines: lost, msg: "lines of the log could not be written" })}\n`);
        lost = 0;
      }
      put(`${render(record)}\n`);
    } catch {
      lost++;
    }
  };
}

/** Only what is listed here is ever logged of a request: headers, bodies and query strings may carry secrets. */
function renderRequest(request: unknown): unknown {
  const { id, method, url } = parseFields(request);
  return { id, method, path: typeof url === "string" ? url.split("?", 1)[0] : undefined };
}

function renderResponse(response: unknown): unknown {
  return { status: parseFields(response)["statusCode"] };
}

function parseFields(value: unknown): LogRecord {
  return typeof value === "object" && value !== null ? (value as LogRecord) : {};
}

type Style = "gray" | "green" | "yellow" | "red" | "magenta" | "cyan";
const LEVEL_STYLE: ReadonlyMap<unknown, Style> = new Map([
  ["info", "green"],
  ["warn", "yellow"],
  ["error", "red"],
  ["fatal", "magenta"],
]);

/** `12:03:04.123 INFO  http listening address=127.0.0.1:8080`, with a stack on lines of its own. */
function renderPretty(record: LogRecord, colour: boolean): string {
  const { level, time, subject, msg, err, error, ...rest } = record;
  const paint = (style: Style, text: string) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const { message, stack, type: _type, ...failure } = parseFields(err ?? error);
  const parts = [
    paint("gray", String(time).slice(11, 23)),
    paint(LEVEL_STYLE.get(level) ?? "gray", String(level).toUpperCase().padEnd(5)),
    ...(typeof subject === "string" ? [paint("cyan", printable(subject))] : []),
    ...(msg === undefined ? [] : [printable(String(msg))]),
    ...(message === undefined || message === msg ? [] : [paint("red", printable(String(message)))]),
    ...pairs({ ...rest, ...failure }).map(([key, value]) => `${paint("gray", `${key}=`)}${value}`),
  ];
  const trace = typeof stack === "string" ? stack.split("\n").slice(1) : [];
  return [parts.join(" "), ...trace.map((line) => paint("gray", printable(line)))].join("\n");
}

/** Nested objects one level deep become `req.method=GET`; deeper ones are written as JSON. */
function pairs(record: LogRecord): [string, string][] {
  return Object.entries(record).flatMap(([key, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([inner, part]): [string, string] => [printable(`${key}.${inner}`), shown(part)])
      : [[printable(key), shown(value)] satisfies [string, string]],
  );
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return typeof value === "string" && /[\s"=]|^$/.test(text) ? JSON.stringify(printable(text)) : printable(text);
}
