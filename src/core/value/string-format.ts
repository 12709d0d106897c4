// The formats that a string argument or parameter may declare. An unknown format checks nothing.
import { isTimezone } from "#core/site/timezone.ts";
import { parseDuration } from "#core/time/duration.ts";
import { parseInstant } from "#core/time/instant.ts";

type Check = readonly [fits: (text: string) => boolean, example: string];

const isUri = (text: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text);
const isDate = (text: string): boolean => parseInstant(`${text}T00:00:00Z`) !== undefined;
const dateTime: Check = [(text) => parseInstant(text) !== undefined, "2026-11-14T12:00:00Z"];

const FORMATS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["connection_uri", [isUri, "tcp://192.0.2.7:502"]],
  ["uri", [isUri, "https://example.com/path"]],
  ["url", [(text) => /^https?:/i.test(text) && URL.canParse(text), "https://example.com/path"]],
  ["date", [isDate, "2026-11-14"]],
  ["date-time", dateTime],
  ["datetime", dateTime],
  ["time", [(text) => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$/.test(text), "14:30"]],
  ["duration", [(text) => parseDuration(text) !== undefined, "2h45m"]],
  ["timezone", [isTimezone, "Europe/Berlin"]],
  ["email", [(text) => /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(text) && text.length <= 254, "name@example.com"]],
  ["hostname", [isHostname, "device.example.com"]],
  ["ipv4", [isIpv4, "192.0.2.7"]],
  ["ipv6", [isIpv6, "2001:db8::7"]],
  [
    "uuid",
    [(text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text), "01a1dd27-6bc6-7b2a-9407-e0dac5905e24"],
  ],
]);

/** Describes why the text does not fit this format; undefined when it does. */
export function formatProblem(format: string, text: string): string | undefined {
  const check = FORMATS.get(format);
  if (check === undefined || check[0](text)) return undefined;
  return `must be written as ${format}, for example ${check[1]}`;
}

/** A text that fits; undefined for an unknown format. */
export function formatExample(format: string | undefined): string | undefined {
  return format === undefined ? undefined : FORMATS.get(format)?.[1];
}

function isHostname(text: string): boolean {
  return (
    text.length <= 253 &&
    /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/.test(text)
  );
}

function isIpv4(text: string): boolean {
  return (
    /^(\d{1,3})(\.\d{1,3}){3}$/.test(text) && text.split(".").every((part) => Number(part) <= 255 && !/^0\d/.test(part))
  );
}

function isIpv6(text: string): boolean {
  return text.includes(":") && URL.canParse(`http://[${text}]/`);
}
