// What a browser says that it is, in short. Pure.

/** In this order: many browsers also name those whose pages they can show. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bHeadlessChrome\/|\bChrome\/|\bChromium\/|\bCriOS\//, "Chrome"],
  [/\bVersion\/.*Safari\//, "Safari"],
  [/^curl\//, "curl"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

export function isPhone(agent: string): boolean {
  return /\biPhone\b|\bAndroid\b.*\bMobile\b/.test(agent);
}

/** `Firefox, Android`; undefined when it says nothing that is known. */
export function describeAgent(agent: string): string | undefined {
  const find = (known: readonly (readonly [RegExp, string])[]) => known.find(([pattern]) => pattern.test(agent))?.[1];
  const parts = [find(BROWSERS), find(SYSTEMS)].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(", ");
}
