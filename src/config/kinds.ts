import { isIP } from "node:net";
import { resolve } from "node:path";
import { type GroupRule, parseGroupRule } from "#core/access/group-rule.ts";
import { type HardwarePort, parseHardwarePort } from "#core/hardware/hardware-port.ts";
import { parseRange } from "#core/net/address.ts";
import { parseBrokerAddress } from "#core/net/broker-address.ts";
import { parseDatabaseAddress } from "#core/net/database-address.ts";
import { parseReachRule, type ReachRule } from "#core/net/reach-rule.ts";
import { Secret } from "#core/secret.ts";
import { parseRetention, type Retention } from "#core/telemetry/retention.ts";
import { joinQuotedList, splitQuotedList } from "#core/text/quoted-list.ts";
import { type Duration, parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { parseSchedule, type Schedule } from "#core/time/schedule.ts";

/** What a setting's text may look like. Flags, environment and file all give text, and all pass through `parse`. */
export type Kind<T> = {
  /** Named in the documentation, for example `duration`. */
  readonly name: string;
  /** Hidden wherever the setting is printed, and never taken as a flag, which everyone on the machine could read. */
  readonly secret: boolean;
  /** A flag of this kind needs no value: `--demo`, `--no-demo`. */
  readonly isSwitch: boolean;
  /** One text of the items of a YAML list. */
  readonly join: (items: readonly string[]) => string;
  readonly parse: (text: string, cwd: string) => Parsed<T>;
};

/** `shown` is what may be printed: it never holds a secret. */
type Parsed<T> = { readonly value: T; readonly shown: Shown } | { readonly problem: string };
export type Shown = string | number | boolean | readonly string[];

const kind = <T>(name: string, parse: Kind<T>["parse"]): Kind<T> => ({
  ...{ name, parse, secret: false, isSwitch: false },
  join: (items) => items.join(","),
});
const accept = <T extends Shown>(value: T): Parsed<T> => ({ value, shown: value });
const refuse = (problem: string) => ({ problem });

export function oneOf<const T extends string>(...allowed: readonly T[]): Kind<T> {
  return kind(allowed.join(" or ").replaceAll(/ or (?=.* or )/g, ", "), (text) => {
    const found = allowed.find((value) => value === text);
    return found === undefined ? refuse(`must be one of ${allowed.join(", ")}, not "${text}"`) : accept(found);
  });
}

export const toggle: Kind<boolean> = {
  ...kind<boolean>("true or false", (text) =>
    text === "true" || text === "false" ? accept(text === "true") : refuse(`must be true or false, not "${text}"`),
  ),
  isSwitch: true,
};

export function integer(min: number, max: number): Kind<number> {
  return kind(`number from ${min} to ${max}`, (text) => {
    const value = Number(text);
    return /^\d{1,15}$/.test(text) && value >= min && value <= max
      ? accept(value)
      : refuse(`must be a whole number from ${min} to ${max}, not "${text}"`);
  });
}

/** 0 lets the system choose a free port. */
export const port: Kind<number> = { ...integer(0, 65_535), name: "port" };

export const portOrOff: Kind<number | "off"> = kind<number | "off">("port or off", (text, cwd) =>
  text === "off" ? accept("off") : port.parse(text, cwd),
);

export const duration: Kind<Duration> = kind("duration", (text) => {
  const value = parseDuration(text);
  if (value === undefined) return refuse(`must be a duration such as 30s, 1.5m or 2h45m, not "${text}"`);
  return value > 0n ? { value, shown: text } : refuse(`must be longer than zero, not "${text}"`);
});

/** Of the demo's history. It is simulated step by step, so it has an end. */
export const historyLength: Kind<Duration> = kind("duration, 1d to 3650d", (text) => {
  const value = parseDuration(text);
  const days = value === undefined ? 0 : toMilliseconds(value) / 86_400_000;
  const isFitting = value !== undefined && days >= 1 && days <= 3650;
  return isFitting ? { value, shown: text } : refuse(`must be a duration from 1d to 3650d, not "${text}"`);
});

export const durationOrOff: Kind<Duration | "off"> = kind<Duration | "off">("duration or off", (text) =>
  text === "off" ? accept("off") : duration.parse(text, ""),
);

export const retention: Kind<Retention> = kind<Retention>("duration or unlimited", (text) => {
  const value = parseRetention(text);
  return value === undefined
    ? refuse(`must be a duration of at least 1h such as 30d, or unlimited, not "${text}"`)
    : accept(value);
});

const UNITS = { MB: 1e6, GB: 1e9, TB: 1e12 } as const;

/** In bytes; Infinity for unlimited. */
export const sizeOrUnlimited: Kind<number> = kind("size or unlimited", (text) => {
  if (text === "unlimited") return { value: Number.POSITIVE_INFINITY, shown: text };
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,3})?) ?(MB|GB|TB)$/.exec(text) ?? [];
  const bytes = Number(number) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
  return bytes >= UNITS.MB
    ? { value: bytes, shown: text }
    : refuse(`must be a size of at least 1 MB such as 500MB or 20GB, or unlimited, not "${text}"`);
});

export const scheduleOrOff: Kind<Schedule | "off"> = kind<Schedule | "off">("off, daily or cron expression", (text) => {
  if (text === "off") return accept("off");
  const value = parseSchedule(text);
  return value === undefined
    ? refuse(`must be off, hourly, daily, weekly, monthly or a cron expression such as "30 2 * * *", not "${text}"`)
    : { value, shown: text };
});

export const recipients: Kind<readonly string[]> = kind("list of age recipients", (text) => {
  const list = items(text);
  const wrong = list.find((item) => !/^age1[a-z0-9]{20,4000}$/.test(item));
  return wrong === undefined
    ? accept(list)
    : refuse(`has "${wrong}", which is no age recipient; one looks like age1...`);
});

/** Relative paths count from the working directory, wherever the setting comes from. */
export const folder: Kind<string> = kind("path", (text, cwd) => accept(resolve(cwd, text)));

export const host: Kind<string> = kind("address or host name", (text) =>
  isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)
    ? accept(text)
    : refuse(`must be an address or a host name without scheme or port, not "${text}"`),
);

const items = (text: string): readonly string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

export const names: Kind<readonly string[]> = kind("list of host names", (text, cwd) => {
  const list = items(text);
  const wrong = list.find((item) => "problem" in host.parse(item, cwd));
  return wrong === undefined ? accept(list) : refuse(`has "${wrong}", which is no address or host name`);
});

export function text(name: string): Kind<string> {
  return kind(name, (given) => accept(given));
}

export const headerPrefixes: Kind<readonly string[]> = kind("list of header prefixes", (text) => {
  const list = items(text);
  const wrong = list.find((item) => !/^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$/.test(item));
  if (wrong !== undefined) return refuse(`has "${wrong}", which cannot start a header name (leave the last dash out)`);
  if (list.length === 0) return refuse("needs at least one prefix such as X-Service");
  return new Set(list.map((item) => item.toLowerCase())).size === list.length
    ? accept(list)
    : refuse(`names a prefix twice: "${text}"`);
});

export const origins: Kind<readonly string[]> = kind("list of origins", (text) => {
  const list = items(text).map((item) => item.toLowerCase());
  const wrong = list.find((item) => item !== "*" && !(URL.canParse(item) && new URL(item).origin === item));
  return wrong === undefined
    ? accept(list)
    : refuse(`has "${wrong}", which is no origin; an origin is a scheme, a host and maybe a port: https://app.example`);
});

export const proxies: Kind<boolean | readonly string[]> = kind<boolean | readonly string[]>(
  "true, false or list of addresses",
  (text) => {
    if (text === "true" || text === "false") return accept(text === "true");
    const list = items(text);
    const wrong = list.find((item) => parseRange(item) === undefined);
    if (wrong !== undefined)
      return refuse(`must be true, false, or addresses and ranges such as 10.0.0.0/8, not "${wrong}"`);
    return list.length > 0 ? accept(list) : refuse("must be true, false or a list of addresses");
  },
);

export const reachRules: Kind<readonly ReachRule[]> = parsedList("list of rules", parseReachRule);

export const groupRules: Kind<readonly GroupRule[]> = {
  ...parsedList("list of rules", parseGroupRule, splitQuotedList),
  join: joinQuotedList,
};

/** Claims of an ID token that say how somebody was signed in. */
export const signInProofs: Kind<readonly string[]> = kind("list of claims", (text) => {
  const list = items(text);
  const wrong = list.find((item) => !/^(?:acr|amr)=\S{1,200}$/.test(item));
  return wrong === undefined ? accept(list) : refuse(`has "${wrong}"; one looks like amr=mfa or acr=gold`);
});

export const machinePorts: Kind<readonly HardwarePort[]> = kind("list of ports", (text, cwd) => {
  const list = parsedList("list of ports", parseHardwarePort).parse(text, cwd);
  if ("problem" in list) return list;
  // One name may stand for a port of each device; for whom it is must be clear.
  const owners = new Set<string>();
  for (const { name, devices } of list.value) {
    for (const device of devices.length === 0 ? [""] : devices) {
      const whose = device === "" ? "" : ` for the device ${device}`;
      if (owners.has(`${name} ${device}`)) return refuse(`names the port ${name} twice${whose}`);
      owners.add(`${name} ${device}`);
    }
  }
  return list;
});

function parsedList<T extends object>(
  name: string,
  parse: (item: string) => T | { readonly problem: string },
  split: (text: string) => readonly string[] | { readonly problem: string } = items,
): Kind<readonly T[]> {
  return kind(name, (text) => {
    const list = split(text);
    if ("problem" in list) return refuse(list.problem);
    const values: T[] = [];
    for (const item of list) {
      const parsed = parse(item);
      if ("problem" in parsed) return refuse(parsed.problem);
      values.push(parsed);
    }
    return { value: values, shown: list };
  });
}

/** The problem must not repeat the text: it may be a secret with a slip in it. */
export function secret(name: string, minLength: number): Kind<Secret> {
  return {
    ...kind<Secret>(name, (text) =>
      text.length >= minLength
        ? { value: new Secret(text), shown: "***" }
        : refuse(`must have at least ${minLength} characters, this has ${text.length}`),
    ),
    secret: true,
  };
}

export function url(...schemes: readonly string[]): Kind<string> {
  return kind(`${schemes.join(", ")} address`, (text) => {
    const found = parseUrl(text, schemes);
    if (found === undefined)
      return refuse(`must be an address that starts with ${schemes.join(" or ")}, not "${text}"`);
    if (found.username !== "" || found.password !== "") return refuse("must not carry a name or password");
    return accept(text.replace(/\/+$/, ""));
  });
}

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** As the provider writes it: a slash at its end counts. Without TLS anybody on the way could sign in as anybody. */
export const issuer: Kind<string> = kind("https:// address", (text) => {
  const found = parseUrl(text, ["https://", "http://"]);
  const isSafe = found?.protocol === "https:" || (found !== undefined && LOOPBACK.includes(found.hostname));
  if (found === undefined || !isSafe || found.search !== "" || found.hash !== "")
    return refuse(`must be an https:// address without parameters; http:// only on this machine; not "${text}"`);
  if (found.username !== "" || found.password !== "") return refuse("must not carry a name or password");
  return accept(text);
});

export const pageAddress: Kind<string> = kind("https://, http:// address", (text) => {
  const found = parseUrl(text, ["https://", "http://"]);
  const bare = text.replace(/\/$/, "").toLowerCase();
  return found !== undefined && found.origin === bare
    ? accept(bare)
    : refuse(`must be a scheme, a host and maybe a port, such as https://energy.example, not "${text}"`);
});

/** Separated by spaces, as providers take them. */
export const scopes: Kind<string> = kind("list of scopes", (text) => {
  const list = text.split(/\s+/).filter((one) => one !== "");
  return list.includes("openid") && list.every((one) => /^[!#-[\]-~]{1,200}$/.test(one))
    ? accept(list.join(" "))
    : refuse(`must be scopes with spaces between them, and openid among them, not "${text}"`);
});

const MAIL_CONTACT = /^mailto:[^\s@<>",;:?&%]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/** Where somebody can be written to: the two forms that push services take. */
export const contact: Kind<string> = kind("mailto: or https:// address", (text) => {
  if (MAIL_CONTACT.test(text)) return accept(text);
  const address = url("https://").parse(text, "");
  return "problem" in address
    ? refuse(`must be an address such as mailto:energy@example.com or https://example.com/contact, not "${text}"`)
    : address;
});

/** An address that may carry a password. Printed without name, password and parameters. */
export function secretUrl(...schemes: readonly string[]): Kind<Secret> {
  return {
    ...kind<Secret>(`${schemes.join(", ")} address`, (text) => {
      const found = parseUrl(text, schemes);
      if (found === undefined) return refuse(`must be an address that starts with ${schemes.join(" or ")}`);
      const login = found.username === "" && found.password === "" ? "" : "***@";
      const rest = found.search === "" ? "" : "?***";
      return { value: new Secret(text), shown: `${found.protocol}//${login}${found.host}${found.pathname}${rest}` };
    }),
    secret: true,
  };
}

/** Of PostgreSQL; with several servers, of which one is the primary. */
export const databaseAddress: Kind<Secret> = {
  ...kind<Secret>("postgres://, postgresql:// address", (text) => {
    const parsed = parseDatabaseAddress(text);
    return "problems" in parsed
      ? refuse(parsed.problems.join("; "))
      : { value: new Secret(text), shown: parsed.value.shown };
  }),
  secret: true,
};

/** Of an outside broker; with several servers of one cluster. */
export const brokerAddress: Kind<Secret> = {
  ...kind<Secret>("mqtt://, mqtts://, amqp://, amqps:// address", (text) => {
    const parsed = parseBrokerAddress(text);
    return "problem" in parsed ? refuse(parsed.problem) : { value: new Secret(text), shown: parsed.value.shown };
  }),
  secret: true,
};

function parseUrl(text: string, schemes: readonly string[]): URL | undefined {
  const found = URL.canParse(text) ? new URL(text) : undefined;
  return found !== undefined && schemes.includes(`${found.protocol}//`) && found.host !== "" ? found : undefined;
}
