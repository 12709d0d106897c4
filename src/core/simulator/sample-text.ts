// Texts that are typical for devices, chosen by the name of the field.
import { pickAt, shareAt } from "./noise.ts";
import { hasWord } from "./words.ts";

const SYLLABLES = [
  "al",
  "be",
  "co",
  "da",
  "el",
  "fi",
  "go",
  "hu",
  "in",
  "jo",
  "ka",
  "lu",
  "mi",
  "no",
  "ra",
  "su",
] as const;

/** The same text for the same words and seed. `name` is what the device is called. */
export function sampleText(words: readonly string[], seed: number, name: string): string {
  const digits = (count: number, place: number) =>
    String(Math.floor(shareAt(seed, place) * 10 ** count)).padStart(count, "0");
  const hex = (count: number) =>
    Array.from({ length: count }, (_, place) => Math.floor(shareAt(seed, place) * 16).toString(16)).join("");
  const below = (limit: number, place: number) => Math.floor(shareAt(seed, place) * limit);
  if (hasWord(words, "serial sn")) return `SIM-${hex(8).toUpperCase()}`;
  if (hasWord(words, "version firmware fw software hardware revision"))
    return `${1 + below(4, 1)}.${below(20, 2)}.${below(10, 3)}`;
  if (hasWord(words, "vendor manufacturer brand maker")) return "Busbar Simulated";
  if (hasWord(words, "model product")) return `${name || "Device"} S${1 + below(9, 1)}00`;
  if (hasWord(words, "mac")) return hex(12).replace(/..(?!$)/g, "$&:");
  if (hasWord(words, "ip address host")) return `192.0.2.${1 + below(254, 1)}`;
  if (hasWord(words, "url uri link")) return "https://example.com/device";
  if (hasWord(words, "date time timestamp since")) return `2025-0${1 + below(9, 1)}-1${below(10, 2)}T08:00:00Z`;
  if (hasWord(words, "imei iccid meid")) return digits(15, 1);
  if (hasWord(words, "card user account id identifier number")) return digits(8, 1);
  if (hasWord(words, "mode status state")) return pickAt(["normal", "automatic", "ready"], shareAt(seed, 1));
  if (hasWord(words, "message error fault alarm warning description note")) return "none";
  return `${pickAt(SYLLABLES, shareAt(seed, 1))}${pickAt(SYLLABLES, shareAt(seed, 2))}-${digits(2, 3)}`;
}
